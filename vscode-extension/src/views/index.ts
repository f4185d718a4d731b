/** The three views, and what can be done from their rows and headings. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { openDiff } from "../page/code";
import type { Rows } from "../remember";
import { report } from "../remember/actions";
import { tell } from "../remember/asked";
import { beliefOf, isRecord } from "../remember/named";
import { episodeText, idOf, textOf } from "./copying";
import { focusedIn } from "./focus";
import { MemoryView } from "./memory-view";
import { Node } from "./outline";
import type { Pane } from "./pane";
import { reveal, tellGone } from "./reveal";
import { ReviewView, waitingOf } from "./review-view";
import { TimelineView } from "./timeline-view";

/** The answers that need nothing beside, and are given to all that are selected. */
const BARE = ["admit", "reject", "confirm"];

export function registerViews(context: vscode.ExtensionContext, memory: Memory): Rows {
  const known = new MemoryView(memory, context.workspaceState);
  const review = new ReviewView(memory);
  const timeline = new TimelineView(memory);
  context.subscriptions.push(known, review, timeline);

  const command = (id: string, work: (argument: unknown, all: unknown) => unknown): void => {
    context.subscriptions.push(vscode.commands.registerCommand(id, work));
  };
  const panes = new Map<unknown, Pane>([
    ["memlsp.memory", known.pane],
    ["memlsp.review", review.pane],
    ["memlsp.timeline", timeline.pane],
  ]);
  /** A key binding names its view, and means the row there that has the focus. */
  const meant = (argument: unknown): Promise<unknown> => {
    const pane = isRecord(argument) && !(argument instanceof Node) ? panes.get(argument["focused"]) : undefined;
    return pane ? focusedIn(pane.view) : Promise.resolve(argument);
  };
  const on = (id: string, work: (node: Node) => unknown): void =>
    command(id, async (argument) => {
      const node = await meant(argument);
      if (node instanceof Node) await work(node);
    });

  command("memlsp.views.refresh", () => {
    known.refresh();
    review.pane.refresh();
    timeline.pane.refresh();
  });
  on("memlsp.views.reveal", goTo);
  on("memlsp.views.more", (node) => {
    if (node.row.id.startsWith("waits:")) review.more(node);
    else if (node.parent) known.more(node);
    else return timeline.more();
    return undefined;
  });
  on("memlsp.views.copyText", (node) => copyText(node));
  on("memlsp.views.copyId", (node) => copy(idOf(node.row)));

  command("memlsp.memory.filter", () => known.filter.choose());
  command("memlsp.memory.clearFilter", () => known.filter.clear());
  command("memlsp.review.undo", () => review.deciding.undo());
  command("memlsp.review.walk", () => review.deciding.walk());
  on("memlsp.review.decide", offer);
  on("memlsp.review.compare", compare);
  command("memlsp.settle", (argument) => settle(argument));

  on("memlsp.timeline.closeThread", (node) => timeline.closeThread(node));
  on("memlsp.timeline.takeHandoff", (node) => timeline.takeHandoff(node));

  return { meant, decide };

  /** A menu hands over the row, and all that are selected with it. */
  async function decide(argument: unknown, all: unknown, choice: string): Promise<boolean> {
    if (!(argument instanceof Node) || !argument.row.item) return false;
    const selected = Array.isArray(all) ? all.filter((each): each is Node => each instanceof Node) : [];
    const nodes = BARE.includes(choice) && selected.includes(argument) ? selected : [argument];
    await review.deciding.give(nodes.flatMap(waitingOf), choice);
    return true;
  }

  async function offer(node: Node): Promise<void> {
    for (const waiting of waitingOf(node)) await review.deciding.offer(waiting);
  }

  /** Offers the answers to each contradiction that a belief is in: a row, a link and a page name one of its sides. */
  async function settle(argument: unknown): Promise<void> {
    if (argument instanceof Node && argument.row.item) return offer(argument);
    try {
      const named = await beliefOf(memory, argument);
      // as it is now: the answer that a row was made of may be older
      const { belief } = named ? await memory.ask("memlsp/belief", { id: named.id, uri: named.root }) : { belief: undefined };
      const items = belief?.conflicts ?? [];
      if (!belief || !items.length) {
        tell(vscode.l10n.t("It is in no conflict."));
        return;
      }
      for (const id of items) {
        const item = await memory.ask("memlsp/reviewItem", { id, uri: belief.root });
        if (!(await review.deciding.offer({ item, folder: { uri: belief.root, name: "" } }))) return;
      }
    } catch (error) {
      report(error);
    }
  }

  /** The whole text of a row; of a task the report, which is asked for. */
  async function copyText({ row }: Node): Promise<void> {
    const { entry, folder } = row;
    if (entry?.what !== "episode" || row.episode) return copy(textOf(row));
    try {
      const ask = { id: entry.id, ...(folder === undefined ? {} : { uri: folder }) };
      await copy(episodeText(await memory.ask("memlsp/episode", ask)));
    } catch (error) {
      report(error);
    }
  }

  /** The editor's own comparison of the code then and now; of an item, that of its first place. */
  async function compare(node: Node): Promise<void> {
    const { item, folder, change, changeAt } = node.row;
    if (!item) return;
    try {
      const at = changeAt ?? 0;
      const root = folder === undefined ? {} : { root: folder };
      const ask = { id: item.id, ...(folder === undefined ? {} : { uri: folder }) };
      const shown = change ?? (await memory.ask("memlsp/reviewItem", ask)).changes?.[at];
      if (shown) await openDiff({ method: "memlsp/reviewItem", id: item.id, change: at, ...root }, shown);
      else tell(vscode.l10n.t("There is no code to compare."));
    } catch (error) {
      report(error);
    }
  }
}

/** The code of a row; the page of a belief whose code is gone. */
async function goTo(node: Node): Promise<void> {
  const { place, belief } = node.row;
  if (place && (await reveal(place))) return;
  if (belief) await vscode.commands.executeCommand("memlsp.openBelief", node);
  else if (place) tellGone(place);
}

async function copy(text: string): Promise<void> {
  if (!text) return;
  await vscode.env.clipboard.writeText(text);
  tell(vscode.l10n.t("Copied"));
}
