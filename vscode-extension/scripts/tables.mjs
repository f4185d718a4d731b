/**
 * Settings, commands and views as tables, from package.json: `node scripts/tables.mjs`, or `--check` to compare only.
 *
 * They stand between marks in README.md, which the marketplace shows, and as docs/reference/vs-code.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const extension = path.resolve(import.meta.dirname, "..");
const readme = path.join(extension, "README.md");
const reference = path.join(extension, "..", "docs", "reference", "vs-code.md");
const manifest = JSON.parse(readFileSync(path.join(extension, "package.json"), "utf8"));
const labels = JSON.parse(readFileSync(path.join(extension, "package.nls.json"), "utf8"));
const contributes = manifest.contributes;

/** The text behind `%key%`, on one line of a table. */
function label(text = "") {
  const said = labels[/^%(.+)%$/.exec(text)?.[1] ?? ""] ?? text;
  return (typeof said === "string" ? said : said.message)
    .replace(/`#([^#`]+)#`/g, "`$1`") // a link to another setting, in the settings editor alone
    .replace(/\[([^\]]+)\]\(command:[^)]*\)/g, "$1")
    .replaceAll("|", "\\|")
    .replace(/\s*\n\s*/g, " ");
}

const WIDTH = 100;

/** A list item in lines of at most WIDTH columns; spans of code stay whole. */
function item(text, indent = "") {
  const lines = [`${indent}-`];
  for (const word of text.replace(/`[^`]{1,60}`/g, (span) => span.replaceAll(" ", "\0")).split(/\s+/)) {
    if (lines.at(-1).length + 1 + word.length <= WIDTH) lines[lines.length - 1] += ` ${word}`;
    else if (/^([-*+>|#]|\d+[.)])$/.test(word)) {
      // such a word would begin a list at the start of a line, so the word before it goes along
      const [, line, last] = /^(.*) (\S+)$/s.exec(lines.pop());
      lines.push(line, `${indent}  ${last} ${word}`);
    } else lines.push(`${indent}  ${word}`);
  }
  return lines.join("\n").replaceAll("\0", " ");
}

/** A condition that is never true: the command is there for menus and for other commands. */
const hidden = new Set((contributes.menus?.commandPalette ?? []).filter((entry) => entry.when === "false").map((entry) => entry.command));

function settings() {
  return [contributes.configuration].flat().map((group) => ({
    title: label(group.title),
    rows: Object.entries(group.properties).sort(([, one], [, other]) => (one.order ?? 0) - (other.order ?? 0)),
  }));
}

function takes(setting) {
  if (setting.enum) return setting.enum.map((value) => `\`${value}\``).join(", ");
  const types = [setting.type].flat().join(" or ");
  if (setting.properties) return `${types} of ${Object.keys(setting.properties).map((key) => `\`${key}\``).join(", ")}`;
  return setting.minimum === undefined ? types : `${types}, ${setting.minimum} to ${setting.maximum ?? "…"}`;
}

/** The description and, for a choice, one line for each value. */
function about(setting) {
  const said = label(setting.markdownDescription ?? setting.description);
  const each = setting.markdownEnumDescriptions ?? setting.enumDescriptions;
  if (!each) return [said];
  return [said, ...setting.enum.map((value, at) => `\`${value}\`: ${label(each[at])}`)];
}

const SCOPES = {
  application: "user",
  machine: "machine",
  "machine-overridable": "machine, or a trusted workspace",
  window: "user or workspace",
  resource: "user, workspace or folder",
  "language-overridable": "user, workspace or folder, for each language",
};

function keys(command) {
  return (contributes.keybindings ?? [])
    .filter((binding) => binding.command === command)
    .map((binding) => `\`${binding.key}\`${binding.mac ? ` (macOS: \`${binding.mac}\`)` : ""}`)
    .join(", ");
}

function named(command) {
  return `${command.category ? `${label(command.category)}: ` : ""}${label(command.title)}`;
}

function shortTables() {
  const lines = ["### Commands", "", "| command | key |", "|---|---|"];
  for (const command of contributes.commands) {
    if (!hidden.has(command.command)) lines.push(`| ${named(command)} | ${keys(command.command)} |`);
  }
  lines.push("", "### Settings", "");
  for (const { rows } of settings()) {
    for (const [name, setting] of rows) {
      const value = defaultOf(setting);
      lines.push(item(`\`${name}\`${value && ` (${value})`}: ${label(setting.markdownDescription ?? setting.description)}`));
    }
  }
  return lines.join("\n");
}

function defaultOf(setting) {
  if (setting.default === "" || setting.default === undefined) return "";
  return `\`${JSON.stringify(setting.default).replace(/^"(.*)"$/, "$1").replaceAll(',"', ', "')}\``;
}

function referencePage() {
  const lines = [
    "<!-- Written by `npm run tables` in vscode-extension/ from its package.json. Do not edit. -->",
    "",
    "# The VS Code extension",
    "",
    `Version ${manifest.version}, for VS Code ${manifest.engines.vscode.replace("^", "")} or later and editors built on it.`,
    "[How to use it](../how-to/use-with-vs-code.md).",
    "",
    "## Settings",
    "",
    "*Where* says who may set it. The extension ignores a setting that chooses a program, or files to",
    "watch, when it comes from an untrusted folder.",
  ];
  const restricted = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
  for (const { title, rows } of settings()) {
    lines.push("", `### ${title}`, "");
    for (const [name, setting] of rows) {
      const scope = setting.scope ?? "window";
      const where = `${SCOPES[scope]}${restricted.has(name) && !scope.startsWith("machine") ? ", if trusted" : ""}`;
      const [said, ...values] = about(setting);
      const value = defaultOf(setting);
      lines.push(item(`\`${name}\`: ${said}`), ...values.map((each) => item(each, "  ")));
      lines.push(item(`*Takes* ${takes(setting)}. ${value && `*Default:* ${value}. `}*Where:* ${where}.`, "  "));
    }
  }
  lines.push("", "## Commands", "", "The command palette has these. The id is for key bindings of your own.", "");
  const [shown, inner] = [contributes.commands.filter((each) => !hidden.has(each.command)), contributes.commands.filter((each) => hidden.has(each.command))];
  const line = (name, id) => item(`${name}: ${[`\`${id}\``, keys(id)].filter(Boolean).join(", ")}`);
  for (const each of shown) lines.push(line(`**${named(each)}**`, each.command));
  lines.push("", "Menus and views have these:", "");
  for (const each of inner) lines.push(line(`**${label(each.title)}**`, each.command));
  lines.push("", "## Views", "", "| view | id |", "|---|---|");
  for (const views of Object.values(contributes.views)) {
    for (const view of views) lines.push(`| ${label(view.name)} | \`${view.id}\` |`);
  }
  lines.push("", "## Agents", "", "| MCP servers of | id |", "|---|---|");
  for (const each of contributes.mcpServerDefinitionProviders) lines.push(`| ${label(each.label)} | \`${each.id}\` |`);
  return `${lines.join("\n")}\n`;
}

/** A page as it has to be. */
function readmePage() {
  const [start, end] = ["<!-- tables: written by `npm run tables` -->", "<!-- end of tables -->"];
  const text = readFileSync(readme, "utf8");
  const [before, rest] = text.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`README.md has no place for the tables: ${start} ${end}`);
  return `${before}${start}\n\n${shortTables()}\n\n${end}${after}`;
}

for (const [place, written] of [[readme, readmePage()], [reference, referencePage()]]) {
  let there = "";
  try {
    there = readFileSync(place, "utf8");
  } catch {
    // not written yet
  }
  if (there === written) continue;
  if (process.argv.includes("--check")) {
    console.error(`${path.relative(extension, place)} lags behind package.json: npm run tables`);
    process.exitCode = 1;
  } else writeFileSync(place, written);
}
