/** The belief page: one tab that shows what was asked for last; tabs of an earlier window are restored. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { type Subject, subjectOf } from "./messages";
import { BeliefPanel } from "./panel";

export const VIEW_TYPE = "memlsp.belief";

/** Opens, finds and restores pages. */
export class BeliefPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly open = new Set<BeliefPanel>();

  constructor(
    private readonly memory: Memory,
    private readonly extension: vscode.Uri,
  ) {}

  /** The page of a belief, in front. A tab that shows it already is taken, else the one that was used last. */
  show(subject: Subject): BeliefPanel {
    const known = this.find(subject);
    const tab = known ?? [...this.open].at(-1);
    if (tab) {
      if (!known) tab.become(subject);
      tab.reveal();
      return tab;
    }
    return this.adopt(
      vscode.window.createWebviewPanel(VIEW_TYPE, vscode.l10n.t("Belief"), vscode.ViewColumn.Active, { enableFindWidget: true }),
      subject,
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const subject = subjectOf(state);
    if (subject && !this.find(subject)) this.adopt(panel, subject);
    else panel.dispose();
    return Promise.resolve();
  }

  private adopt(panel: vscode.WebviewPanel, subject: Subject): BeliefPanel {
    const page = new BeliefPanel(panel, subject, {
      memory: this.memory,
      extension: this.extension,
      open: (other) => this.show(other),
    });
    this.open.add(page);
    page.onDidEnd(() => this.open.delete(page));
    return page;
  }

  /** Two workspaces may have a belief with the same id; where it is not said which is meant, any page of it will do. */
  private find({ id, root }: Subject): BeliefPanel | undefined {
    return [...this.open].find((page) => page.subject.id === id && (!root || page.isIn(root)));
  }

  dispose(): void {
    // the panels stay: the editor restores them in the next window through the serializer
    this.open.clear();
  }
}
