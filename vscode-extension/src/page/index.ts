/** The belief page: `memlsp.openBelief`, its restoring, and the documents with code then and now. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { CodeDocuments, SCHEME } from "./code";
import { type Subject, subjectOf } from "./messages";
import { BeliefPanels, VIEW_TYPE } from "./panels";

/** `meant` finds what a key binding means; a menu, a link and a row say it themselves. */
export function registerBeliefPage(
  context: vscode.ExtensionContext,
  memory: Memory,
  meant = (argument: unknown): Promise<unknown> => Promise.resolve(argument),
): void {
  const panels = new BeliefPanels(memory, context.extensionUri);
  const documents = new CodeDocuments(memory);
  context.subscriptions.push(
    panels,
    documents,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, panels),
    vscode.commands.registerCommand("memlsp.openBelief", async (which?: unknown) => {
      const subject = asked(await meant(which));
      if (subject) panels.show(subject);
      else await vscode.commands.executeCommand("memlsp.recall");
    }),
  );
}

/** A belief as a link, a tree's item or another command names it: an id, `{ id, root? }`, or something with a `belief`. */
export function asked(which: unknown): Subject | undefined {
  if (typeof which === "object" && which !== null && "named" in which) return subjectOf(which.named);
  if (typeof which === "string") return subjectOf({ id: which });
  if (typeof which === "object" && which !== null && "belief" in which) return asked(which.belief);
  return subjectOf(which);
}
