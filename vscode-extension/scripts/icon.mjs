/** Draws media/icon.png from media/icon.svg: `node scripts/icon.mjs`, or `--check` to compare only. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Resvg } from "@resvg/resvg-js";

const media = path.resolve(import.meta.dirname, "..", "media");
const place = path.join(media, "icon.png");
const drawn = new Resvg(readFileSync(path.join(media, "icon.svg"), "utf8"), { fitTo: { mode: "width", value: 256 } }).render();
if (process.argv.includes("--check")) {
  // the pixels, not the bytes: another version of the renderer may compress otherwise
  const kept = new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><image width="256" height="256" href="data:image/png;base64,${readFileSync(place).toString("base64")}"/></svg>`,
  ).render();
  const [one, other] = [drawn.pixels, kept.pixels];
  const differ = one.reduce((count, value, at) => count + (Math.abs(value - other[at]) > 8 ? 1 : 0), 0);
  if (one.length !== other.length || differ > one.length / 200) {
    console.error("media/icon.png lags behind media/icon.svg: node scripts/icon.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(place, drawn.asPng());
}
