/**
 * The row that a key is meant for. The editor tells extensions which row is selected, and arrow keys move only the
 * focus: a key would act on another row than the one that is marked.
 */
import * as vscode from "vscode";
import type { Node } from "./outline";

/** The row with the focus, in the view that has it. The selection is as it was afterwards. */
export async function focusedIn(view: Pick<vscode.TreeView<Node>, "selection">): Promise<Node | undefined> {
  const before = view.selection;
  const toggle = "list.toggleSelection"; // of the focused row; it opens nothing
  await vscode.commands.executeCommand(toggle);
  const after = view.selection;
  const [fewer, more] = after.length < before.length ? [after, before] : [before, after];
  await vscode.commands.executeCommand(toggle);
  return more.find((node) => !fewer.includes(node)) ?? before[0];
}
