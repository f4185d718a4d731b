/** How stored text, which people and programs wrote whom we do not know, is shown: as text, and as nothing else. */
import * as vscode from "vscode";
import type { Tip } from "./row";

// Controls, and the marks that turn the direction of writing: they hide in a line what it really says.
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/gu;

/** One line without anything unseen, at most `limit` characters of it. */
export function plain(text: string, limit = 300): string {
  const line = text.replace(UNSEEN, " ").replace(/\s+/gu, " ").trim();
  if (line.length <= limit) return line;
  const half = /[\ud800-\udbff]$/u; // of a letter that takes two places
  return `${line
    .slice(0, limit - 1)
    .replace(half, "")
    .trimEnd()}…`;
}

/** The same as the words of a row, in which the marks around code would be drawn as they are. */
export function rowText(text: string): string {
  return plain(text.replace(/`([^`]+)`/gu, "$1"));
}

/** The same for the quick pick, which draws `$(name)` as a picture. */
export function plainLabel(text: string, limit = 200): string {
  return plain(text, limit).replaceAll("$(", "\\$(");
}

/** A tooltip in which stored text can be no link, picture, command or heading. */
export function tooltip(tip: Tip): vscode.MarkdownString {
  const shown = new vscode.MarkdownString();
  append(shown, plain(tip.text, 2_000));
  for (const [at, line] of (tip.list ?? []).entries()) {
    shown.appendMarkdown(at === 0 ? "\n\n- " : "\n- ");
    append(shown, plain(line, 600));
  }
  if (tip.foot) {
    shown.appendMarkdown("\n\n");
    append(shown, plain(tip.foot, 600));
  }
  return shown;
}

/**
 * One line as markdown that says nothing but its letters; what stands between backticks is code. Not `appendText`: that
 * makes every space one at which no line can break.
 */
function append(to: vscode.MarkdownString, text: string): void {
  const parts = text.split(/(?<!`)`([^`]+)`(?!`)/u);
  to.appendMarkdown(parts.map((part, at) => (at % 2 ? `\`${part}\`` : escaped(part))).join(""));
}

/** Marks, and what makes a link without any mark, such as an address; a number that begins a line would begin a list. */
function escaped(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()#+\-!~<>|&$:@=]/gu, "\\$&")
    .replace(/^(\d+)\./u, "$1\\.")
    .replace(/\bwww\./giu, "$&\u2060");
}
