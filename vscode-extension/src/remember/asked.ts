/** The questions that several flows put to the user, so that they read the same everywhere. */
import * as vscode from "vscode";
import { plain } from "../views/plain";

/** The longest statement that the memory keeps. */
export const LONGEST_STATEMENT = 4000;
const SHORTEST_STATEMENT = 4;
const QUOTED = 60;

/** What is wrong with a statement, undefined when nothing is. */
export function statementProblem(text: string): string | undefined {
  const said = text.trim();
  if (said.length < SHORTEST_STATEMENT) return vscode.l10n.t("Write a sentence that somebody else will understand.");
  if (said.length > LONGEST_STATEMENT) {
    return vscode.l10n.t("{0} characters are too many; {1} at the most.", said.length, LONGEST_STATEMENT);
  }
  return undefined;
}

/** What is wrong with conditions such as `env=staging, os=linux`. */
export function conditionsProblem(text: string): string | undefined {
  const each = text.split(",").map((pair) => pair.trim());
  if (each.every((pair) => /^[^=\s][^=]*=\s*\S/.test(pair))) return undefined;
  return vscode.l10n.t("Write KEY=VALUE, such as env=staging; several with commas.");
}

/** What is wrong with a place such as `src/api.py#fetch`. */
export function placeProblem(text: string): string | undefined {
  const place = text.trim();
  if (!place) return vscode.l10n.t("Write a path, or a path and a name, such as src/api.py#fetch.");
  if (place.startsWith("/") || /^[a-z]:/i.test(place)) return vscode.l10n.t("Write the path from the folder's root.");
  return undefined;
}

/** A statement, to be written or edited. Undefined when the user thought better of it. */
export async function askStatement(title: string, prompt: string, value = ""): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (typed) => (typed ? statementProblem(typed) : undefined),
  });
  return text === undefined || statementProblem(text) ? undefined : text.trim();
}

/** Conditions, as KEY=VALUE with commas; an empty text, which takes those away that are there, only in their place. */
export async function askConditions(title: string, value = ""): Promise<string | undefined> {
  const problem = (typed: string): string | undefined => (value && !typed.trim() ? undefined : conditionsProblem(typed));
  const text = await vscode.window.showInputBox({
    title,
    prompt: value
      ? vscode.l10n.t("When does it apply? KEY=VALUE, several with commas; nothing for always")
      : vscode.l10n.t("When does it apply? KEY=VALUE, several with commas"),
    placeHolder: "env=staging",
    value,
    ignoreFocusOut: true,
    validateInput: (typed) => (typed ? conditionsProblem(typed) : undefined),
  });
  return text === undefined || problem(text) ? undefined : text.trim();
}

/** A few words why; "" when the user has none to give, undefined when they thought better of it. */
export async function askNote(title: string, prompt: string): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
  return text?.trim();
}

/** The beginning of a statement, on one line, for titles, messages and labels. */
export function quoted(text: string, most = QUOTED): string {
  return harmless(plain(text, most));
}

/**
 * Text of the memory as the editor may show it in a message, prompt or label. There it reads `[words](command:...)` as
 * a link that runs, and `$(name)` as an icon; both are broken by a space, so that nothing remembered can run or pretend.
 */
export function harmless(text: string): string {
  return text.replaceAll("](", "] (").replaceAll("$(", "$ (");
}

/** Somebody decided about a belief: that step of the walkthrough is done. */
export function noteDecision(): void {
  void vscode.commands.executeCommand("setContext", "memlsp.decided", true);
}

/** Says quietly that something is done. */
export function tell(text: string): void {
  vscode.window.setStatusBarMessage(harmless(text), 6000);
}
