/**
 * The end-to-end suite: the packaged extension in the real workbench, driven in a headless browser.
 *
 * `node e2e/run.mjs [--only NAME,NAME] [--port 8123] [--vsix FILE] [--whole] [--keep] [--attach FOLDER]`. A scenario is
 * a file in `scenarios/`; they run in the order of their names, and most of them share a window. With `--attach` they
 * run in what `serve.mjs --data FOLDER` serves, with the extension as it was then.
 */
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { browse } from "./editor.mjs";
import { Stage } from "./stage.mjs";
import { packaged } from "./packaged.mjs";
import { patience, slowness } from "./patience.mjs";
import { artefacts, extension, folder, missing } from "./places.mjs";
import { makeRemembered, uv } from "./project.mjs";
import { Workbench } from "./workbench.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    port: { type: "string", default: "8123" },
    vsix: { type: "string" },
    whole: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    attach: { type: "string" },
  },
});

const absent = missing();
if (absent.length) {
  console.error(`The end-to-end suite cannot run:\n${absent.map((line) => `  ${line}`).join("\n")}`);
  process.exit(process.env.CI === "true" ? 1 : 0);
}

/** Every scenario, or those whose file name holds one of the wanted words. */
async function scenarios() {
  const place = path.join(extension, "e2e", "scenarios");
  const names = readdirSync(place).filter((name) => name.endsWith(".mjs")).sort();
  const wanted = values.only?.split(",") ?? [""];
  const chosen = names.filter((name) => wanted.some((word) => name.includes(word)));
  return Promise.all(chosen.map(async (name) => ({ name: name.slice(0, -4), ...(await import(path.join(place, name))) })));
}

const began = Date.now();
console.log(`patience      ${(patience / 1000).toFixed(0)} s a wait, slowness ${slowness.toFixed(1)}`);
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
const chosen = await scenarios();
if (!values.only) rmSync(artefacts, { recursive: true, force: true });
const workbench = new Workbench({ port: Number(values.port), data: values.attach });
const failed = [];
const timings = {};
let stage;
let browser;

async function stop() {
  await browser?.close().catch(() => {});
  if (values.attach) return;
  if (values.keep) console.log(`kept: ${workbench.data}`);
  workbench.kept = values.keep;
  await workbench.end();
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop().then(() => process.exit(130)));

/** The workbench with the extension in it and the repository beside it. */
async function prepare() {
  if (values.attach) {
    const { url, ids } = JSON.parse(readFileSync(path.join(values.attach, "serving.json"), "utf8"));
    workbench.url = url;
    workbench.set({});
    return new Stage(workbench, undefined, ids);
  }
  if (chosen.some((scenario) => scenario.whole)) workbench.tools = [uv()];
  const vsix = packaged(workbench.data, { named: values.vsix, whole: values.whole || chosen.some((scenario) => scenario.whole) });
  console.log(`packaged      ${seconds(began)}`);
  workbench.install(vsix);
  console.log(`installed     ${seconds(began)}`);
  const starting = workbench.start();
  const ids = makeRemembered(path.join(workbench.workspaces, "httpx"), workbench.memory);
  await starting;
  console.log(`served        ${seconds(began)}`);
  return new Stage(workbench, vsix, ids);
}

try {
  stage = await prepare();
  browser = await browse();
  stage.browser = browser;
  for (const scenario of chosen) {
    const since = Date.now();
    try {
      await scenario.run(stage);
      const complaints = stage.complaints();
      if (complaints.length && !scenario.complains) throw new Error(`errors in the page:\n${complaints.join("\n")}`);
      console.log(`ok            ${seconds(since).padStart(7)}  ${scenario.name}`);
    } catch (error) {
      failed.push(scenario.name);
      console.log(`FAILED        ${seconds(since).padStart(7)}  ${scenario.name}\n${error.stack ?? error}`);
      for (const [number, window] of stage.windows.entries()) await window.leave(`${scenario.name}-${number}`);
    }
    timings[scenario.name] = (Date.now() - since) / 1000;
  }
  for (const line of stage.logged()) console.log(`the extension logged ${line}`);
} finally {
  await stop();
}
writeFileSync(path.join(folder(artefacts), "timings.json"), `${JSON.stringify({ seconds: timings, measured: stage?.measured, total: (Date.now() - began) / 1000, failed }, null, 2)}\n`);
console.log(`${chosen.length - failed.length} of ${chosen.length} scenarios, ${seconds(began)}`);
process.exit(failed.length ? 1 : 0);
