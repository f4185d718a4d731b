/** The Memory view: follows the editor, is filtered, and asks again when the memory or the code moved. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Beliefs, BeliefsParams } from "../wire";
import { Filter } from "./filter";
import { memoryRows, PAGE } from "./memory-rows";
import type { Node } from "./outline";
import { Pane } from "./pane";

export class MemoryView implements vscode.Disposable {
  readonly pane: Pane;
  readonly filter: Filter;
  private readonly ends: readonly { dispose(): unknown }[];
  private readonly answers = new Map<string, Promise<Beliefs>>();
  private readonly pages = new Map<string, number>();
  private file = fileAtHand();

  constructor(
    private readonly memory: Memory,
    kept: vscode.Memento,
  ) {
    this.filter = new Filter(kept);
    this.pane = new Pane("memlsp.memory", memory, () => this.load());
    this.pane.view.description = this.filter.summary;
    this.ends = [
      this.pane,
      this.filter,
      this.filter.onDidChange(() => {
        this.pane.view.description = this.filter.summary;
        this.pages.clear();
        this.pane.refresh();
      }),
      memory.onDidChange(() => this.answers.clear()),
      memory.onDidChangeState(() => this.answers.clear()),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.follow()),
    ];
  }

  refresh(): void {
    this.answers.clear();
    this.pane.refresh();
  }

  /** A page more of the section that a row belongs to. */
  more(row: Node): void {
    const section = row.parent?.row.id;
    if (!section) return;
    this.pages.set(section, (this.pages.get(section) ?? PAGE) + PAGE);
    this.pane.refresh();
  }

  dispose(): void {
    for (const each of this.ends) each.dispose();
  }

  private follow(): void {
    const file = fileAtHand(this.file);
    if (file === this.file) return;
    this.file = file;
    this.pane.refresh();
  }

  private async load(): Promise<Awaited<ReturnType<typeof memoryRows>>> {
    const { filter, file, pages } = this;
    const rows = await memoryRows({ filter, file, pages, beliefs: (params) => this.beliefs(params) });
    void vscode.commands.executeCommand("setContext", "memlsp.memory.empty", rows.length === 0);
    return rows;
  }

  /** An answer holds until something moves; what the same question is asked twice in a refresh is asked once. */
  private async beliefs(params: BeliefsParams): Promise<Beliefs> {
    const question = JSON.stringify(params);
    let answer = this.answers.get(question);
    if (!answer) {
      answer = this.memory.ask("memlsp/beliefs", params);
      this.answers.set(question, answer);
    }
    try {
      return await answer;
    } catch (error) {
      if (this.answers.get(question) === answer) this.answers.delete(question);
      throw error;
    }
  }
}

/** The document of the active editor; while a page, an output or a diff is in front of it, the one before, if it is open. */
function fileAtHand(before = ""): string {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === "file") return uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const open = tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === before);
  return open ? before : "";
}
