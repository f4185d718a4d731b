/** How far a statement applies, as choices: from the symbol at the cursor to everything that the user does. */
import * as vscode from "vscode";
import type { Kind, ScopeName } from "../wire";
import { harmless } from "./asked";
import type { Choice } from "./steps";

/** A scope with the pattern of a `glob`; an empty pattern is to be asked for. */
export interface ScopeChoice {
  readonly scope: ScopeName;
  readonly glob?: string;
}

/** What is known of where the user is: nothing when no file is open. */
export interface Whereabouts {
  readonly path: string;
  readonly symbol: string;
}

export const SCOPES: readonly ScopeName[] = ["symbol", "file", "glob", "workspace", "user"];

export function isScope(value: unknown): value is ScopeName {
  return SCOPES.some((scope) => scope === value);
}

/** The choices there, the nearest first; for a preference the user's own. */
export function scopeChoices(where: Whereabouts | undefined, kind: Kind | undefined): Choice<ScopeChoice>[] {
  const near: Choice<ScopeChoice>[] = [];
  if (where?.symbol) {
    near.push({
      label: `$(symbol-misc) ${harmless(where.symbol)}`,
      description: vscode.l10n.t("this symbol"),
      detail: vscode.l10n.t("Says so when this code changes"),
      value: { scope: "symbol" },
    });
  }
  if (where) {
    const [folder, name] = split(where.path);
    near.push({ label: `$(file) ${harmless(name)}`, description: vscode.l10n.t("this file"), value: { scope: "file" } });
    if (folder) {
      near.push({
        label: `$(folder) ${harmless(folder)}/**`,
        description: vscode.l10n.t("this folder and those below"),
        value: { scope: "glob", glob: `${folder}/**` },
      });
    }
  }
  const pattern: Choice<ScopeChoice> = {
    label: `$(list-filter) ${vscode.l10n.t("Files of a pattern…")}`,
    description: "src/**/*.py",
    value: { scope: "glob", glob: "" },
  };
  const workspace: Choice<ScopeChoice> = {
    label: `$(root-folder) ${vscode.l10n.t("Workspace")}`,
    description: vscode.l10n.t("everywhere in this project"),
    value: { scope: "workspace" },
  };
  const user: Choice<ScopeChoice> = {
    label: `$(account) ${vscode.l10n.t("You")}`,
    description: vscode.l10n.t("in every project, seen by you alone"),
    value: { scope: "user" },
  };
  return kind === "preference" ? [user, ...near, pattern, workspace] : [...near, pattern, workspace, user];
}

/** What is wrong with a pattern. */
export function patternProblem(text: string): string | undefined {
  const pattern = text.trim();
  if (!pattern) return vscode.l10n.t("Write a pattern such as src/**/*.py.");
  if (pattern.startsWith("/") || pattern.startsWith("..") || pattern.includes("\\")) {
    return vscode.l10n.t("Write it from the folder's root, with forward slashes.");
  }
  return undefined;
}

function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf("/");
  return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)];
}
