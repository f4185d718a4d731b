/** Where a belief is tied to anew: a place that the server proposes, the one at the cursor, or one that is typed. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Belief } from "../wire";
import { harmless, placeProblem, quoted } from "./asked";

interface PlaceItem extends vscode.QuickPickItem {
  place?: string;
}

/** A place as people write it, `path#symbol` or `path`, as the server names it. */
export function placeText(path: string, symbol: string | null): string {
  return symbol ? `${path}#${symbol}` : path;
}

/** The place that a belief is to be tied to; undefined when the user thought better of it. */
export async function askPlace(memory: Memory, belief: Belief): Promise<string | undefined> {
  const title = vscode.l10n.t("Tie to another place: {0}", quoted(belief.text));
  const items: PlaceItem[] = belief.candidates.map((candidate) => ({
    label: harmless(candidate.symbol ?? candidate.path),
    description: harmless(`${candidate.path}:${String(candidate.line)}`),
    detail: vscode.l10n.t("{0} % alike", Math.round(candidate.similarity * 100)),
    place: placeText(candidate.path, candidate.symbol),
  }));
  const here = await placeAtCursor(memory);
  if (here && !items.some((item) => item.place === here.place)) items.push(here);
  if (items.length > 0) {
    const typed: PlaceItem = { label: vscode.l10n.t("Another place…") };
    const chosen = await vscode.window.showQuickPick([...items, typed], {
      title,
      placeHolder: vscode.l10n.t("Which code does it speak of?"),
      matchOnDescription: true,
    });
    if (!chosen) return undefined;
    if (chosen.place) return chosen.place;
  }
  const first = belief.anchors[0];
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("A path from the folder's root, with #name for a symbol in it"),
    placeHolder: "src/api.py#Client.fetch",
    value: first ? placeText(first.path, first.symbol) : "",
    ignoreFocusOut: true,
    validateInput: (typed) => (typed ? placeProblem(typed) : undefined),
  });
  return text === undefined || placeProblem(text) ? undefined : text.trim();
}

async function placeAtCursor(memory: Memory): Promise<PlaceItem | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") return undefined;
  const line = editor.selection.active.line + 1;
  try {
    const found = await memory.ask("memlsp/place", { uri: editor.document.uri.toString(), line });
    return {
      label: harmless(found.symbol || found.path),
      description: harmless(`${found.path}:${String(found.line)}`),
      detail: vscode.l10n.t("At the cursor"),
      place: placeText(found.path, found.symbol),
    };
  } catch {
    return undefined; // a file of no workspace, or a server that is not there: then it is typed
  }
}
