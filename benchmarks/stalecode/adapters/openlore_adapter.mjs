// OpenLore 2: a note anchored to the symbol and the file, recalled with its verdict of freshness.
//
// npm install openlore (Node 22 or later), then: node openlore_adapter.mjs FOLDER, the folder with node_modules.
// No model, no network. The index is made anew before a note is written and after an edit, as `openlore analyze` does.
// A note that is fresh is trusted; one that drifted, or has to be anchored again, is not.

import { createInterface } from "node:readline";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const home = resolve(process.argv[2] ?? ".", "node_modules", "openlore");
const from = (path) => import(pathToFileURL(join(home, path)).href);
const write = process.stdout.write.bind(process.stdout);
console.log = console.error; // standard output is for answers
const { openloreInit, openloreAnalyze } = await from("dist/api/index.js");
const { dispatchTool } = await from("dist/core/services/tool-dispatch.js");
const { version } = (await import(pathToFileURL(join(home, "package.json")).href, { with: { type: "json" } })).default;

let root = "";
const ids = new Map();

const ops = {
  async begin({ folder }) {
    root = folder;
    ids.clear();
    for (const left of [".openlore", "openspec"]) await rm(join(root, left), { recursive: true, force: true });
    await openloreInit({ rootPath: root, force: true });
    await openloreAnalyze({ rootPath: root, force: true });
    return {};
  },
  async remember({ id, text, path, symbol }) {
    const name = symbol ? symbol.split(/[.:#]+/).pop() : undefined;
    const anchors = path ? [{ file: path, ...(name ? { symbol: name } : {}) }] : [];
    const told = await dispatchTool("remember", { directory: root, content: text, anchors }, root);
    if (told.error) return { error: told.error };
    ids.set(id, told.id);
    return {};
  },
  async tree({ folder }) {
    await openloreAnalyze({ rootPath: folder, force: true });
    return {};
  },
  async ask({ id }) {
    const told = await dispatchTool("recall", { directory: root, limit: 200 }, root);
    if (told.error) return { error: told.error };
    const own = ids.get(id);
    const found = told.authoritative.find((note) => note.id === own);
    const lost = told.needsReanchoring.find((note) => note.id === own);
    if (!found && !lost) return { trust: null };
    const trust = found !== undefined && found.freshness === "fresh";
    return { trust, why: trust ? "" : JSON.stringify((found ?? lost).anchors) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...keys } = JSON.parse(line);
  let answer;
  try {
    answer = op === "hello" ? { name: "OpenLore", version, can: Object.keys(ops) } : await ops[op](keys);
  } catch (error) {
    answer = { error: String(error).slice(0, 500) };
  }
  write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
