/** From a row to the code: the document is shown at the line, beside nothing else and without closing what is open. */
import * as vscode from "vscode";
import { quoted } from "../remember/asked";
import { documentOf } from "./folders";
import type { Place } from "./row";

/** False when the place is not there any more. */
export async function reveal(place: Place): Promise<boolean> {
  const uri = documentOf(place);
  if (!uri) return false;
  const at = new vscode.Position(Math.max((place.line ?? 1) - 1, 0), 0);
  try {
    await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(at, at) });
    return true;
  } catch {
    return false;
  }
}

export function tellGone(place: Place): void {
  void vscode.window.showInformationMessage(vscode.l10n.t("{0} is not there any more.", quoted(place.path, 200)));
}
