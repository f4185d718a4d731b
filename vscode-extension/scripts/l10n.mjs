/**
 * The texts of the extension in other languages: `node scripts/l10n.mjs`, or `--check` to compare only.
 *
 * Writes l10n/bundle.l10n.json from every `vscode.l10n.t("...")` in src/, and says what is missing or left over in the
 * translations (bundle.l10n.LANGUAGE.json, package.nls.LANGUAGE.json) and in package.nls.json. Nothing is translated
 * here: a translation is written by a person who knows the language.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { getL10nJson } from "@vscode/l10n-dev";

const extension = path.resolve(import.meta.dirname, "..");
const check = process.argv.includes("--check");
const faults = [];

const read = (name) => readFileSync(path.join(extension, name), "utf8");
const readJson = (name) => JSON.parse(read(name));
const messageOf = (entry) => (typeof entry === "string" ? entry : entry.message);

function sources(folder) {
  return readdirSync(path.join(extension, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => ({ name, extension: ".ts", contents: wholeNames(read(path.join(folder, name))) }));
}

/** The extractor knows `vscode.l10n.t` by its whole name alone; some modules take `t` out of it first. */
function wholeNames(source) {
  return /\bt \} = vscode\.l10n\b/.test(source) ? source.replace(/(?<![\w.])t\((?=\s*["{])/g, "vscode.l10n.t(") : source;
}

/** Calls of a `t` that was taken out of l10n, with something else than a literal. */
function spokenByName(source) {
  return /\bt \} = vscode\.l10n\b/.test(source) ? (source.match(/(?<![\w.])t\([^)\n]+/g) ?? []) : [];
}

function sorted(entries) {
  return Object.fromEntries(Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** `{0}`, `{name}` and what stands between backticks: what a translation must take over as it is. */
function fixedParts(text) {
  return [...text.matchAll(/\{\w+\}|`[^`]+`|\$\([a-z~-]+\)|\]\(command:[^)]+\)/g)].map(([part]) => part).sort().join(" ");
}

function compare(name, original, translated) {
  for (const [key, entry] of Object.entries(original)) {
    const text = translated[key] === undefined ? undefined : messageOf(translated[key]);
    if (!text?.trim()) faults.push(`${name}: no translation of ${JSON.stringify(key)}`);
    else if (fixedParts(text) !== fixedParts(messageOf(entry))) faults.push(`${name}: ${JSON.stringify(key)} lost or gained one of ${fixedParts(messageOf(entry)) || "nothing"}`);
  }
  for (const key of Object.keys(translated)) {
    if (original[key] === undefined) faults.push(`${name}: ${JSON.stringify(key)} is not used any more`);
  }
}

const files = sources("src");
for (const { name, contents } of files) {
  // the extractor passes over what it cannot read, so nothing but a literal may be said
  for (const [call] of contents.matchAll(/l10n\.t\((?!\s*["{])[^\n]*/g)) faults.push(`src/${name}: not a literal: ${call.trim()}`);
  // nor may the function get another name, which the extractor does not follow
  const rest = contents.replace(/\bconst \{ t \} = vscode\.l10n;/g, "");
  for (const [use] of rest.matchAll(/\bl10n\b(?!\.t\()[^\n]*/g)) faults.push(`src/${name}: write vscode.l10n.t("..."): ${use}`);
  for (const text of spokenByName(contents)) faults.push(`src/${name}: not a literal: ${text}`);
}
const extracted = `${JSON.stringify(sorted(await getL10nJson(files)), null, 2)}\n`;
if (!check) writeFileSync(path.join(extension, "l10n", "bundle.l10n.json"), extracted);
else if (extracted !== read("l10n/bundle.l10n.json")) faults.push("l10n/bundle.l10n.json lags behind src/: npm run l10n");

const bundle = JSON.parse(extracted);
const labels = readJson("package.nls.json");
const used = new Set([...read("package.json").matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key));
for (const key of used) if (labels[key] === undefined) faults.push(`package.nls.json: no ${key}, which package.json uses`);
for (const key of Object.keys(labels)) if (!used.has(key)) faults.push(`package.nls.json: ${key} is not used by package.json`);

for (const name of readdirSync(path.join(extension, "l10n"))) {
  if (/^bundle\.l10n\.[a-z-]+\.json$/.test(name)) compare(`l10n/${name}`, bundle, readJson(`l10n/${name}`));
}
for (const name of readdirSync(extension)) {
  if (/^package\.nls\.[a-z-]+\.json$/.test(name)) compare(name, labels, readJson(name));
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
