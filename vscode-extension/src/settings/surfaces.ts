/** What memlsp shows in the text, each turned on and off by a command of its own. */
import * as vscode from "vscode";
import { effectiveOption } from "./effective";
import { currentMode, MODE_OPTIONS } from "./modes";
import { DEFAULTS } from "./options";

export const SURFACES = ["hover", "lens", "diagnostics"] as const;

export type Surface = (typeof SURFACES)[number];

/** Turns a surface on or off, and says what it is now. */
export async function toggle(surface: Surface): Promise<boolean> {
  const name = `${surface}.enabled`;
  const wanted = effectiveOption(name) !== true;
  await set(name, wanted);
  vscode.window.setStatusBarMessage(describe(surface, wanted), 4000);
  return wanted;
}

/**
 * Writes a setting where it was set before, else into the user's settings. What the mode says anyway is not written but
 * taken out, so that another mode still has a say.
 */
export async function set(name: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("memlsp");
  const found = configuration.inspect<unknown>(name);
  const inWorkspace = found?.workspaceValue !== undefined;
  const below = inWorkspace ? found.globalValue : undefined;
  const otherwise = below ?? (name === "mode" ? "normal" : (MODE_OPTIONS[currentMode()][name] ?? DEFAULTS[name]));
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration.update(name, value === otherwise ? undefined : value, target);
}

function describe(surface: Surface, on: boolean): string {
  switch (surface) {
    case "hover":
      return on ? vscode.l10n.t("memlsp: hovers are on") : vscode.l10n.t("memlsp: hovers are off");
    case "lens":
      return on ? vscode.l10n.t("memlsp: lenses are on") : vscode.l10n.t("memlsp: lenses are off");
    case "diagnostics":
      return on ? vscode.l10n.t("memlsp: problems are on") : vscode.l10n.t("memlsp: problems are off");
  }
}
