/**
 * Serves the workbench with the extension as it is now and a seeded repository, for a person with a browser:
 * `node e2e/serve.mjs [--port 8123] [--path PROGRAM | --no-server] [--whole] [--vsix FILE] [--data FOLDER]`.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { packaged } from "./packaged.mjs";
import { missing } from "./places.mjs";
import { makeRemembered, uv } from "./project.mjs";
import { Workbench } from "./workbench.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8123" },
    path: { type: "string" },
    "no-server": { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    vsix: { type: "string" },
    data: { type: "string" },
  },
});
const absent = missing();
if (absent.length) throw new Error(absent.join("; "));

const program = values["no-server"] ? "" : values.path;
const workbench = new Workbench({ port: Number(values.port), path: program, data: values.data });
const repository = path.join(workbench.workspaces, "httpx");
if (values.whole) workbench.tools = [uv()];
workbench.install(packaged(workbench.data, { named: values.vsix, whole: values.whole }));
const starting = workbench.start();
const ids = makeRemembered(repository, workbench.memory);
await starting;
writeFileSync(path.join(workbench.data, "serving.json"), JSON.stringify({ url: workbench.url, ids }));
console.log(`${workbench.url}/?folder=${repository}`);
console.log(`data: ${workbench.data}; stop with Ctrl-C or kill ${process.pid}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void workbench.end().then(() => process.exit(0)));
