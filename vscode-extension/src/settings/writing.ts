/** Writing a setting where its user keeps it. */
import * as vscode from "vscode";
import { currentMode, MODE_OPTIONS } from "./modes";
import { DEFAULTS } from "./options";

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
