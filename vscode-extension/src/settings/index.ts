/** The command that changes the mode. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { currentMode, describeMode, type Mode, modeNamed, MODES } from "./modes";
import { set } from "./writing";

export function registerSettings(context: vscode.ExtensionContext, _memory: Memory): void {
  context.subscriptions.push(
    vscode.commands.registerCommand("memlsp.mode", (wanted?: unknown) => chooseMode(wanted)),
  );
}

/** Sets the mode that is named, or lets the user choose; the one that holds afterwards. */
export async function chooseMode(wanted?: unknown): Promise<Mode> {
  const now = currentMode();
  const chosen = MODES.find((mode) => mode === wanted) ?? (await askMode(now));
  if (!chosen || chosen === now) return now;
  await set("mode", chosen);
  vscode.window.setStatusBarMessage(vscode.l10n.t("memlsp: {0} mode", describeMode(chosen).name), 4000);
  return chosen;
}

async function askMode(now: Mode): Promise<Mode | undefined> {
  const items = MODES.map((mode) => {
    const { name, about } = describeMode(mode);
    return mode === now
      ? { label: name, description: vscode.l10n.t("now"), detail: about, mode, picked: true }
      : { label: name, detail: about, mode };
  });
  const settings = { label: vscode.l10n.t("Each setting by itself…"), iconPath: new vscode.ThemeIcon("settings-gear") };
  const chosen = await vscode.window.showQuickPick(
    [...items, { label: "", kind: vscode.QuickPickItemKind.Separator }, settings],
    { title: vscode.l10n.t("How much memlsp shows"), placeHolder: vscode.l10n.t("What you set yourself wins over a mode") },
  );
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "@ext:memlsp.memlsp");
    return undefined;
  }
  return chosen && "mode" in chosen ? modeNamed(chosen.mode) : undefined;
}
