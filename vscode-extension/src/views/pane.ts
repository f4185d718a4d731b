/** One view of ours: an outline that is asked for while somebody looks at it, and not before. */
import * as vscode from "vscode";
import { type Node, Outline } from "./outline";
import { Pace } from "./pace";
import type { Load } from "./row";

export class Pane implements vscode.Disposable {
  readonly view: vscode.TreeView<Node>;
  readonly outline: Outline;
  private readonly pace: Pace;
  private readonly ends: readonly { dispose(): unknown }[];
  private outdated = false;

  /** `pause` is how long changes are gathered before the rows are asked for again, in milliseconds. */
  constructor(id: string, load: Load, pause = 200) {
    this.outline = new Outline(load);
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this.outline, showCollapseAll: true });
    this.pace = new Pace(() => this.outline.refresh(), pause);
    this.ends = [
      this.view,
      this.outline,
      this.pace,
      this.view.onDidCollapseElement(({ element }) => this.outline.closed(element)),
      this.view.onDidExpandElement(({ element }) => this.outline.opened(element)),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.outdated) this.refresh();
      }),
    ];
  }

  /** Look again: soon when somebody looks at the view, else when they do. */
  refresh(): void {
    this.outdated = !this.view.visible;
    if (this.view.visible) this.pace.ask();
  }

  dispose(): void {
    for (const each of this.ends) each.dispose();
  }
}
