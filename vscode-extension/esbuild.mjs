/** One file for the editor, and script and stylesheet of the belief page: `node esbuild.mjs [--production] [--watch]`. */
import { readFile } from "node:fs/promises";
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const shared = { bundle: true, minify: production, sourcemap: !production, logLevel: "info" };

/**
 * `import * as vscode` copies every name of the editor's interface, in each module anew: some 25,000 properties before
 * anything is done. Required as it is, it costs nothing.
 */
const uncopied = {
  name: "uncopied",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { loader: "ts", contents: text.replace(/^import \* as vscode from "vscode";$/m, 'import vscode = require("vscode");') };
    });
  },
};

const bundles = [
  {
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    plugins: [uncopied],
  },
  {
    ...shared,
    entryPoints: [
      { in: "src/page/view/main.ts", out: "page" },
      { in: "src/page/view/page.css", out: "page" },
    ],
    outdir: "dist/page",
    platform: "browser",
    target: "chrome120",
    format: "iife",
    sourcemap: production ? false : "inline", // the page may load nothing but its script and its stylesheet
  },
];
for (const options of bundles) {
  if (process.argv.includes("--watch")) await (await context(options)).watch();
  else await build(options);
}
