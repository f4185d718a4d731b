/** One file for the editor, and script and stylesheet of the belief page: `node esbuild.mjs [--production] [--watch]`. */
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const shared = { bundle: true, minify: production, sourcemap: !production, logLevel: "info" };
const bundles = [
  {
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
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
