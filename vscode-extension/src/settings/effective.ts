/** What the server is told: what somebody set, else what the mode says, else the default. */
import * as vscode from "vscode";
import { currentMode, MODE_OPTIONS } from "./modes";
import { DEFAULTS } from "./options";

/**
 * The section `memlsp` as the server reads it, with every option in it: `{ hover: { enabled: true, ... }, ... }`.
 *
 * The server keeps one set of options for all folders, so a scope matters only to those who ask for one.
 */
export function effective(scope?: vscode.ConfigurationScope): Record<string, unknown> {
  const section: Record<string, unknown> = {};
  for (const name of Object.keys(DEFAULTS)) place(section, name.split("."), effectiveOption(name, scope));
  return section;
}

/** One option by its name below `memlsp.`. Of an object each key is decided by itself. */
export function effectiveOption(name: string, scope?: vscode.ConfigurationScope): unknown {
  const otherwise = MODE_OPTIONS[currentMode(scope)][name] ?? DEFAULTS[name];
  const set = explicit(name, scope);
  if (set.length === 0) return otherwise;
  if (!isRecord(otherwise)) return vscode.workspace.getConfiguration("memlsp", scope).get<unknown>(name, otherwise);
  return set.filter(isRecord).reduce((merged, each) => ({ ...merged, ...each }), otherwise);
}

/** What was set by hand, the weakest first. */
export function explicit(name: string, scope?: vscode.ConfigurationScope): unknown[] {
  const found = vscode.workspace.getConfiguration("memlsp", scope).inspect<unknown>(name);
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].filter((value) => value !== undefined);
}

function place(section: Record<string, unknown>, [first, ...rest]: string[], value: unknown): void {
  if (first === undefined) return;
  if (rest.length === 0) {
    section[first] = value;
    return;
  }
  const known = section[first];
  const inner = isRecord(known) ? known : {};
  section[first] = inner;
  place(inner, rest, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
