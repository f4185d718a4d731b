/** The .vsix under test: the one that is named, or one made from the sources as they are. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { extension } from "./places.mjs";

/** A PNG of one pixel, for the time before there is an icon. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });

/**
 * The path of a .vsix: of the one that somebody `named`, else of one that is made in `place`: `whole` as it is released,
 * with the server in it, else in a second or two, without the server.
 */
export function packaged(place, { named, whole = false }) {
  if (named) return path.resolve(named);
  const folder = mkdtempSync(path.join(place, "vsix-"));
  if (whole) run(process.execPath, ["scripts/package.mjs", "--out", folder], extension);
  else quickly(path.join(folder, "memlsp.vsix"));
  return path.join(folder, readdirSync(folder)[0]);
}

/** What vsce makes of the sources, in a copy, so that other runs are not disturbed. */
function quickly(out) {
  run(process.execPath, ["esbuild.mjs", "--production", "--log-level=error"], extension);
  const copy = mkdtempSync(path.join(tmpdir(), "memlsp-package-"));
  const left = new Set(["node_modules", "e2e", "test", "src", "bundled"]);
  cpSync(extension, copy, { recursive: true, filter: (place) => !left.has(path.relative(extension, place)) });
  const icon = path.join(copy, "media", "icon.png");
  if (!existsSync(icon)) writeFileSync(icon, pixel);
  const vsce = path.join(extension, "node_modules", ".bin", "vsce");
  run(vsce, ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", out], copy);
  rmSync(copy, { recursive: true });
}
