/** Restart, Show log, Doctor. */
import * as vscode from "vscode";
import type { Session } from "./session";

export function registerServerCommands(
  context: vscode.ExtensionContext,
  session: Session,
  log: vscode.LogOutputChannel,
): void {
  context.subscriptions.push(
    vscode.commands.registerCommand("memlsp.restart", () => session.restart()),
    vscode.commands.registerCommand("memlsp.showLog", () => log.show()),
  );
}
