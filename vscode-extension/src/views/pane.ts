/** One view of ours: an outline that is asked for while somebody looks at it and a server is there. */
import * as vscode from "vscode";
import type { Memory, State } from "../memory";
import { type Node, Outline } from "./outline";
import { Debounce } from "./debounce";
import type { Load, Row } from "./row";

export class Pane implements vscode.Disposable {
  readonly view: vscode.TreeView<Node>;
  readonly outline: Outline;
  private readonly pace: Debounce;
  private readonly ends: readonly { dispose(): unknown }[];
  private rows: readonly Row[] = [];
  private outdated = false;
  /** The rows were asked for since a server was there. */
  private known = false;

  /** `pause` is how long changes are gathered before the rows are asked for again, in milliseconds. */
  constructor(
    id: string,
    private readonly memory: Memory,
    private readonly load: Load,
    { pause = 200, canSelectMany = false } = {},
  ) {
    this.outline = new Outline((cancelled) => this.look(cancelled));
    this.view = vscode.window.createTreeView(id, {
      treeDataProvider: this.outline,
      showCollapseAll: true,
      canSelectMany,
    });
    this.pace = new Debounce(() => this.outline.refresh(), pause);
    this.tellReading();
    this.ends = [
      this.view,
      this.outline,
      this.pace,
      memory.onDidChange(() => this.refresh()),
      memory.onDidChangeState(() => {
        this.tellReading();
        this.refresh();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      this.view.onDidCollapseElement(({ element }) => this.outline.closed(element)),
      this.view.onDidExpandElement(({ element }) => this.outline.opened(element)),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.outdated) this.refresh();
      }),
    ];
  }

  /** Says that something is on its way while there is nothing to show yet: an empty view says that there is nothing. */
  private tellReading(): void {
    const { state } = this.memory;
    const reading = !this.rows.length && (isPassing(state) || (state === "running" && !this.known));
    this.view.message = reading ? vscode.l10n.t("Reading…") : "";
  }

  /** Look again: soon when somebody looks at the view, else when they do. */
  refresh(): void {
    this.outdated = !this.view.visible;
    if (this.view.visible) this.pace.ask();
  }

  dispose(): void {
    for (const each of this.ends) each.dispose();
  }

  /** Without a server there are no rows, and a welcome says why; while one is started anew those from before stay. */
  private async look(cancelled: () => boolean): Promise<readonly Row[]> {
    const { state } = this.memory;
    try {
      if (state === "running") this.rows = await this.load(cancelled);
      else if (!isPassing(state)) this.rows = [];
    } finally {
      if (!cancelled()) this.known = state === "running";
      this.tellReading();
    }
    return this.rows;
  }
}

/** True while a server is on its way. */
export function isPassing(state: State): boolean {
  return state === "looking" || state === "starting" || state === "installing";
}
