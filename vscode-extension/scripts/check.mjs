/** Everything about the sources that has to hold, two at a time: `node scripts/check.mjs`. Says all that fails. */
import { spawn } from "node:child_process";
import path from "node:path";

const extension = path.resolve(import.meta.dirname, "..");
const tool = (name, ...args) => [path.join("node_modules", ...name.split("/")), ...args];

/** The longest first. */
const checks = [
  tool("eslint/bin/eslint.js", "."),
  tool("typescript/bin/tsc", "--noEmit", "-p", "test"),
  tool("typescript/bin/tsc", "--noEmit"),
  tool("typescript/bin/tsc", "--noEmit", "-p", "src/page/view"),
  ["scripts/l10n.mjs", "--check"],
  ["scripts/tables.mjs", "--check"],
  ["scripts/icon.mjs", "--check"],
];

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: extension, stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said.push(part));
    child.on("close", (code) => {
      if (code !== 0) console.error(`${args.join(" ")}\n${Buffer.concat(said).toString()}`);
      resolve(code === 0);
    });
  });
}

async function work() {
  for (let next = checks.shift(); next; next = checks.shift()) {
    if (!(await run(next))) process.exitCode = 1;
  }
}
await Promise.all([work(), work()]);
