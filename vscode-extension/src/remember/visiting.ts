/** From a belief in a list to its page or its code. */
import * as vscode from "vscode";
import { documentOf } from "../views/folders";
import type { Belief } from "../wire";
import { quoted } from "./asked";

/** Opens the page of a belief; `near` is a document of its workspace, for answers that do not say which it is. */
export async function openPage(belief: Belief, near?: vscode.Uri): Promise<void> {
  const root = belief.root || near?.toString();
  await vscode.commands.executeCommand("memlsp.openBelief", root ? { id: belief.id, root } : { id: belief.id });
}

/** Shows the code that a belief speaks of. */
export async function goTo(belief: Belief, near?: vscode.Uri): Promise<void> {
  const spot = belief.anchors[0];
  const root = rootOf(belief, near);
  if (spot && root) await show(root, spot.path, spot.line);
}

/** Shows a line, counted from 1, of a file of a workspace. */
export async function show(root: vscode.Uri, path: string, line: number | undefined): Promise<void> {
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  try {
    const file = documentOf({ root: root.toString(), path, line: line ?? null });
    if (!file) throw new Error("it leads out of the workspace");
    await vscode.window.showTextDocument(file, { selection: new vscode.Range(at, at) });
  } catch {
    void vscode.window.showInformationMessage(vscode.l10n.t("{0} is not there any more.", quoted(path, 200)));
  }
}

/** The folder that a belief's paths start from. */
export function rootOf(belief: Pick<Belief, "root">, near?: vscode.Uri): vscode.Uri | undefined {
  if (belief.root) return vscode.Uri.parse(belief.root);
  const folder = near ? vscode.workspace.getWorkspaceFolder(near) : vscode.workspace.workspaceFolders?.[0];
  return folder?.uri;
}
