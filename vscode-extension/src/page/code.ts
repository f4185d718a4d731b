/**
 * The code of a belief then and now, as documents that the editor's own comparison can show: `memlsp-code:` names the
 * belief (or what waits for review) and one of its changes, so that a document can be read again after a reload.
 */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { CodeChange } from "../wire";

export const SCHEME = "memlsp-code";

/** Which change of what: an index into `changes` of the answer. `root` is a folder uri. */
export interface CodeSource {
  readonly method: "memlsp/belief" | "memlsp/reviewItem";
  readonly id: string;
  readonly root?: string;
  readonly change: number;
}

type Side = "then" | "now";

/** Opens the editor's comparison of the code then and now. */
export async function openDiff(source: CodeSource, change: CodeChange, column = vscode.ViewColumn.Active): Promise<void> {
  const name = change.now ?? change.was;
  await vscode.commands.executeCommand(
    "vscode.diff",
    codeUri(source, "then", change.was),
    codeUri(source, "now", name),
    vscode.l10n.t("{0} (as verified ↔ now)", name),
    { viewColumn: column, preview: true },
  );
}

/** The address of one side. Its path ends like the file's, so that it is coloured as such. */
export function codeUri(source: CodeSource, side: Side, place: string): vscode.Uri {
  const path = place.replace(/#.*$/s, "").replace(/:\d+$/, "");
  const query = JSON.stringify({ ...source, side });
  return vscode.Uri.from({ scheme: SCHEME, path: `/${side}/${path.replace(/^\/+/, "")}`, query });
}

/** What an address asks for, or nothing when it is not one of ours. */
export function codeSource(uri: vscode.Uri): (CodeSource & { readonly side: Side }) | undefined {
  let read: unknown;
  try {
    read = JSON.parse(uri.query);
  } catch {
    return undefined;
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { method, id, root, change, side } = read as Record<string, unknown>;
  if (method !== "memlsp/belief" && method !== "memlsp/reviewItem") return undefined;
  if (typeof id !== "string" || typeof change !== "number" || (side !== "then" && side !== "now")) return undefined;
  return { method, id, change, side, ...(typeof root === "string" ? { root } : {}) };
}

/** One side of a change: lines with "-" were, lines with "+" are, all others both. */
export function sideOf(change: CodeChange, side: Side): string {
  const other = side === "then" ? "+" : "-";
  const lines = change.lines.filter((line) => !line.startsWith(other));
  return lines.map((line) => (line.startsWith("…") ? line : line.slice(1))).join("\n");
}

/** Answers for `memlsp-code:`; an open comparison follows what moves. */
export class CodeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<vscode.Uri>();
  private readonly heard: vscode.Disposable;
  readonly onDidChange = this.moved.event;

  constructor(private readonly memory: Memory) {
    this.heard = memory.onDidChange(() => {
      for (const document of vscode.workspace.textDocuments) {
        if (document.uri.scheme === SCHEME) this.moved.fire(document.uri);
      }
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri, token?: vscode.CancellationToken): Promise<string> {
    const source = codeSource(uri);
    if (!source) return "";
    const params = { id: source.id, ...(source.root === undefined ? {} : { uri: source.root }) };
    try {
      const { changes } = await this.memory.ask(source.method, params, token);
      const change = changes?.[source.change];
      return change ? sideOf(change, source.side) : "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  dispose(): void {
    this.heard.dispose();
    this.moved.dispose();
  }
}
