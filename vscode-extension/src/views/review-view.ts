/** The Needs review view: what waits, the badge that counts it, and the step to the next thing after a decision. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { Badge } from "./badge";
import { Deciding } from "./deciding";
import type { ReviewItem } from "../wire";
import type { Node } from "./outline";
import { Pane } from "./pane";
import { PROPOSALS, queueOf, reviewRows, type Waiting } from "./review-rows";
import type { Row } from "./row";

const PAGE = 100;

/** What the server answers at the most; who comes that far decides about some first. */
const MOST = 2_000;

export class ReviewView implements vscode.Disposable {
  readonly pane: Pane;
  readonly deciding: Deciding;
  private readonly badge: Badge;
  private limit = PAGE;
  private proposals = PROPOSALS;
  /** What is shown, in order. */
  private order: readonly ReviewItem[] = [];

  constructor(private readonly memory: Memory) {
    this.pane = new Pane("memlsp.review", memory, () => this.load(), { canSelectMany: true });
    this.badge = new Badge(memory, this.pane.view);
    this.deciding = new Deciding(memory, (item) => this.after(item));
  }

  /** A page more of a group. */
  more({ row }: Node): void {
    if (row.id === "waits:proposal/more") this.proposals += PAGE;
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
    const rows = reviewRows(this.memory, queue, this.proposals);
    this.order = rows.flatMap((group) => (group.rows ?? []).flatMap(({ item }) => item ?? []));
    void vscode.commands.executeCommand("setContext", "memlsp.review.empty", rows.length === 0);
    return rows;
  }

  /**
   * Looks again, and goes on to what comes after; what was brought back is gone to itself. From what is urgent nobody is led
   * on to proposals.
   */
  private async after(item: string): Promise<void> {
    const before = this.order;
    if (!this.pane.view.visible) return;
    await this.pane.outline.refresh();
    const at = before.findIndex(({ id }) => id === item);
    const urgent = at >= 0 && before[at]?.kind !== "proposal";
    const others = [...before.slice(at + 1), ...before.slice(0, Math.max(at, 0)).reverse()];
    const wanted = [item, ...others.filter(({ kind }) => !urgent || kind !== "proposal").map(({ id }) => id)];
    const next = wanted.find((id) => this.order.some((each) => each.id === id));
    const node = next === undefined ? undefined : this.pane.outline.find((row) => row.item?.id === next && !row.change);
    if (node) await this.pane.view.reveal(node, { select: true, focus: true });
  }
}

/** The thing that waits which a row is about; none for a row of something else. */
export function waitingOf({ row }: Node): Waiting[] {
  return row.item && row.folder ? [{ item: row.item, folder: { uri: row.folder, name: "" } }] : [];
}
