/**
 * The pictures of the README, the marketplace page and the documentation, as the suite sees them:
 * `node e2e/pictures.mjs [options of run.mjs]` runs the scenarios that they come from and puts them where they belong;
 * `node e2e/pictures.mjs made` takes those of the last run.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, statSync } from "node:fs";
import path from "node:path";
import { artefacts, extension, folder, project } from "./places.mjs";

/** A picture's name, and the screenshot that it is. */
const pictures = { diagnostic: "problem", views: "review", page: "page" };
const LIMIT = 250_000; // bytes: a page with three of them is still quick

const options = process.argv.slice(2);
if (options[0] !== "made") {
  const run = path.join(extension, "e2e", "run.mjs");
  const made = spawnSync(process.execPath, [run, "--only", "16-edit,22-review,24-belief-page", ...options], { stdio: "inherit" });
  if (made.status !== 0) process.exit(made.status ?? 1);
}
for (const [name, screenshot] of Object.entries(pictures)) {
  const from = path.join(artefacts, `${screenshot}.png`);
  if (statSync(from).size > LIMIT) throw new Error(`${screenshot}.png is larger than ${LIMIT} bytes`);
  copyFileSync(from, path.join(folder(extension, "media", "pictures"), `${name}.png`));
  copyFileSync(from, path.join(folder(project, "docs", "pictures"), `vscode-${name}.png`));
  console.log(`picture       ${name}`);
}
