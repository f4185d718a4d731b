/** The Needs review view: what waits, the badge that counts it, and the step to the next thing after a decision. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { Badge } from "./badge";
import { Deciding } from "./deciding";
import type { Node } from "./outline";
import { Pane } from "./pane";
import { queueOf, reviewRows, type Waiting } from "./review-rows";
import type { Row } from "./row";

const PAGE = 100;

/** What the server answers at the most; who comes that far decides about some first. */
const MOST = 2_000;

export class ReviewView implements vscode.Disposable {
  readonly pane: Pane;
  readonly deciding: Deciding;
  private readonly badge: Badge;
  private limit = PAGE;
  /** The ids of what is shown, in order. */
  private order: readonly string[] = [];

  constructor(private readonly memory: Memory) {
    this.pane = new Pane("memlsp.review", memory, () => this.load(), { canSelectMany: true });
    this.badge = new Badge(memory, this.pane.view);
    this.deciding = new Deciding(memory, (item) => this.after(item));
  }

  more(): void {
    this.limit = Math.min(this.limit + PAGE, MOST);
    this.pane.refresh();
  }

  dispose(): void {
    this.badge.dispose();
    this.pane.dispose();
  }

  private async load(): Promise<readonly Row[]> {
    const queue = await queueOf(this.memory, this.limit);
    this.badge.show(queue);
    const rows = reviewRows(this.memory, queue);
    this.order = rows.flatMap((group) => (group.rows ?? []).flatMap((row) => row.item?.id ?? []));
    void vscode.commands.executeCommand("setContext", "memlsp.review.empty", rows.length === 0);
    return rows;
  }

  /** Looks again, and goes on to what comes after; what was brought back is gone to itself. */
  private async after(item: string): Promise<void> {
    const before = this.order;
    if (!this.pane.view.visible) return;
    await this.pane.outline.refresh();
    const at = before.indexOf(item);
    const wanted = [item, ...before.slice(at + 1), ...before.slice(0, Math.max(at, 0)).reverse()];
    const next = wanted.find((id) => this.order.includes(id));
    const node = next === undefined ? undefined : this.pane.outline.find((row) => row.item?.id === next && !row.change);
    if (node) await this.pane.view.reveal(node, { select: true, focus: true });
  }
}

/** The thing that waits which a row is about; none for a row of something else. */
export function waitingOf({ row }: Node): Waiting[] {
  return row.item && row.folder ? [{ item: row.item, folder: { uri: row.folder, name: "" } }] : [];
}
