/** One file for the editor: `node esbuild.mjs [--production] [--watch]`. */
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const options = {
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  minify: production,
  sourcemap: !production,
  logLevel: "info",
};
if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
