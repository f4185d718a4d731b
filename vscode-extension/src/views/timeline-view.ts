/** The view of episodes and threads: what happened here, newest first, and what was left open. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { askNote, tell } from "../remember/asked";
import { report } from "../remember/actions";
import { folders } from "./folders";
import { History } from "./history";
import type { Node } from "./outline";
import { Pane } from "./pane";
import { plain } from "./plain";
import type { Row } from "./row";
import { timelineRows } from "./timeline-rows";

/** What happened does not change with each pause in typing. In milliseconds. */
const PAUSE = 800;

export class TimelineView implements vscode.Disposable {
  readonly pane: Pane;
  private readonly history: History;
  private older = false;

  constructor(private readonly memory: Memory) {
    this.history = new History(memory);
    this.pane = new Pane("memlsp.timeline", memory, () => this.load(), { pause: PAUSE });
  }

  /** What is older is put below; what is there is not asked for again. */
  async more(): Promise<void> {
    try {
      await vscode.window.withProgress({ location: { viewId: "memlsp.timeline" } }, () => this.history.more());
    } catch (error) {
      report(error);
      return;
    }
    this.older = true;
    await this.pane.outline.refresh();
  }

  /** Closes work left open, after asking why; it is not opened again by hand. */
  async closeThread(node: Node): Promise<void> {
    const { thread } = node.row;
    if (!thread) return;
    const note = await askNote(
      vscode.l10n.t("Close: {0}", plain(thread.text, 80)),
      vscode.l10n.t("What became of it? Enter without a word is fine"),
    );
    if (note === undefined) return;
    try {
      await this.memory.ask("memlsp/closeThread", { id: thread.id, ...(note ? { note } : {}) });
    } catch (error) {
      report(error);
      return;
    }
    this.pane.refresh();
  }

  /** Takes a handoff over, so that others see who goes on with it. */
  async takeHandoff(node: Node): Promise<void> {
    const { entry, folder } = node.row;
    if (entry?.what !== "handoff") return;
    try {
      await this.memory.ask("memlsp/handoff", { id: entry.id, claim: true, ...(folder ? { uri: folder } : {}) });
    } catch (error) {
      report(error);
      return;
    }
    tell(vscode.l10n.t("Taken: {0}", plain(entry.title, 80)));
    this.pane.refresh();
  }

  dispose(): void {
    this.pane.dispose();
  }

  private async load(): Promise<readonly Row[]> {
    if (!this.older) await this.history.begin(folders());
    this.older = false;
    const rows = timelineRows(this.memory, this.history);
    void vscode.commands.executeCommand("setContext", "memlsp.timeline.empty", rows.length === 0);
    return rows;
  }
}
