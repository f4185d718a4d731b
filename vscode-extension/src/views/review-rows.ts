/** The rows of the Needs review view: what waits by its reason, and below each what speaks for and against it. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Belief, CodeChange, ReviewItem, ReviewQueue } from "../wire";
import { beliefLabel, beliefText, beliefTip } from "./belief-row";
import { type Folder, folders, placeName, placeOf } from "./folders";
import { plain, rowText } from "./plain";
import type { Row } from "./row";
import { beliefIcon, kindWord, standingWords, waitIcon, waitMeaning, WAITS, waitWord } from "./standings";

const QUOTED = /^\|\s?/;

/** A thing that waits, and whose memory it waits in. */
export interface Waiting {
  readonly item: ReviewItem;
  readonly folder: Folder;
}

export interface Queue {
  readonly waiting: readonly Waiting[];
  readonly counts: Readonly<Record<ReviewItem["kind"], number>>;
}

/** The queues of all folders as one, by impact. Folders of one project share a memory: its items are there once. */
export async function queueOf(memory: Memory, limit: number): Promise<Queue> {
  const known = folders();
  const answers = await Promise.all(
    known.map(async (folder) => ({ folder, queue: await memory.ask("memlsp/review", { uri: folder.uri, limit }) })),
  );
  const seen = new Set<string>();
  const waiting: Waiting[] = [];
  const counts = { conflict: 0, stale: 0, proposal: 0 };
  for (const { folder, queue } of answers) {
    const fresh = queue.items.filter((item) => !seen.has(item.id));
    if (queue.items.length && !fresh.length) continue;
    for (const item of fresh) {
      seen.add(item.id);
      waiting.push({ item, folder });
    }
    addCounts(counts, queue);
    for (const item of queue.items) if (!fresh.includes(item)) counts[item.kind]--;
  }
  waiting.sort((a, b) => b.item.impact - a.item.impact);
  return { waiting, counts };
}

function addCounts(counts: Record<ReviewItem["kind"], number>, queue: ReviewQueue): void {
  counts.conflict += queue.conflicts;
  counts.stale += queue.stale;
  counts.proposal += queue.proposals;
}

/** How many proposals are shown before somebody asks for more: the best, for nobody asked to be proposed things. */
export const PROPOSALS = 5;

/** A group for each reason to wait, none when nothing waits. Proposals are behind a closed line, the best `proposals`. */
export function reviewRows(memory: Memory, queue: Queue, proposals = PROPOSALS): readonly Row[] {
  const several = folders().length > 1;
  return WAITS.filter((kind) => queue.counts[kind] > 0).map((kind) => {
    const all = queue.waiting.filter(({ item }) => item.kind === kind);
    const shown = kind === "proposal" ? all.slice(0, proposals) : all;
    const left = queue.counts[kind] - shown.length;
    const rows = shown.map((each) => itemRow(memory, each, several));
    return {
      id: `waits:${kind}`,
      label: waitWord(kind),
      description: String(queue.counts[kind]),
      icon: waitIcon(kind),
      context: "waits",
      tip: { text: waitMeaning(kind) },
      spoken: [waitWord(kind), queue.counts[kind], waitMeaning(kind)].join(", "),
      open: kind !== "proposal",
      rows: left > 0 ? [...rows, moreRow(kind, left)] : rows,
    };
  });
}

function moreRow(kind: string, left: number): Row {
  const description = vscode.l10n.t("{0} left", left);
  const label = vscode.l10n.t("Show more");
  return { id: `waits:${kind}/more`, label, description, icon: { id: "ellipsis" }, command: "memlsp.views.more" };
}

export function itemRow(memory: Memory, { item, folder }: Waiting, several: boolean): Row {
  const belief = item.beliefs[0];
  const conflict = item.kind === "conflict";
  const stale = item.kind === "stale";
  const label = conflict || !belief ? rowText(item.question) : stale ? beliefLabel(belief) : beliefText(belief);
  const anchor = belief?.anchors[0];
  const words = [
    belief && !conflict ? kindWord(belief.kind) : "",
    anchor ? plain(placeName(anchor)) : "",
    several ? plain(folder.name) : "",
  ].filter(Boolean);
  const place = belief && placeOf(belief);
  const evidence = item.evidence.map((line) => plain(line)).filter(Boolean);
  return {
    id: `item:${item.id}`,
    label,
    description: words.join(" · "),
    icon: belief && stale ? beliefIcon(belief) : waitIcon(item.kind),
    tip: { text: item.question, list: [...(conflict ? [] : [belief?.text ?? ""]), ...evidence].filter(Boolean) },
    spoken: [label, ...words, plain(item.question), ...evidence.filter((line) => !isQuoted(line))].join(", "),
    context: `item ${item.kind} ${item.choices.join(" ")}${place ? " placed" : ""}`,
    command: "memlsp.openBelief",
    item,
    folder: folder.uri,
    ...(belief ? { belief } : {}),
    ...(place ? { place } : {}),
    load: () => below(memory, item, folder),
  };
}

/** The sides of a contradiction or of a repetition, what speaks for and against, and the code before and after. */
async function below(memory: Memory, item: ReviewItem, folder: Folder): Promise<readonly Row[]> {
  const whole = await memory.ask("memlsp/reviewItem", { id: item.id, uri: folder.uri });
  const id = `item:${item.id}`;
  const sides = whole.beliefs.length > 1 ? whole.beliefs.map((belief, at) => sideRow(belief, at, whole, folder)) : [];
  const evidence = whole.evidence.map((line, at) => evidenceRow(line, `${id}/evidence/${at}`));
  const changes = (whole.changes ?? [])
    .map((change, at) => changeRow(change, at, whole, folder))
    .filter(({ change }) => item.kind === "stale" || change?.now === null || change?.lines.length);
  const rows = [...sides, ...changes, ...evidence];
  return rows.length ? rows : [{ id: `${id}/question`, label: rowText(whole.question), icon: { id: "question" } }];
}

/** A line of evidence that begins with a bar is quoted from where the statement was found. */
export function isQuoted(line: string): boolean {
  return QUOTED.test(line);
}

function evidenceRow(line: string, id: string): Row {
  const label = rowText(line.replace(QUOTED, ""));
  return { id, label, icon: { id: isQuoted(line) ? "quote" : "info" }, context: "evidence", tip: { text: label } };
}

function sideRow(side: Belief, at: number, item: ReviewItem, folder: Folder): Row {
  const belief = item.kind === "conflict" ? { ...side, conflicts: [item.id] } : side;
  const label = beliefText(belief);
  const place = placeOf(belief);
  const which = at === 0 ? vscode.l10n.t("first side") : vscode.l10n.t("second side");
  const words = [which, standingWords(belief), kindWord(belief.kind), plain(belief.author.name)];
  return {
    id: `item:${item.id}/${belief.id}`,
    label,
    description: words.join(" · "),
    icon: beliefIcon(belief),
    tip: beliefTip(belief),
    spoken: [label, ...words].join(", "),
    context: `side${place ? " placed" : ""}`,
    command: "memlsp.openBelief",
    belief,
    folder: folder.uri,
    ...(place ? { place } : {}),
  };
}

function changeRow(change: CodeChange, at: number, item: ReviewItem, folder: Folder): Row {
  const added = change.lines.filter((line) => line.startsWith("+")).length;
  const removed = change.lines.filter((line) => line.startsWith("-")).length;
  const label = plain(change.now && change.now !== change.was ? `${change.was} → ${change.now}` : change.was);
  const gone = change.now ? "" : vscode.l10n.t("gone");
  const same = change.now && added + removed === 0 ? vscode.l10n.t("the same; what it uses is different") : "";
  const counted = added + removed > 0 ? `+${added} −${removed}` : "";
  const description = [gone, same, counted].filter(Boolean).join(" · ");
  return {
    id: `item:${item.id}/change/${at}`,
    label,
    description,
    icon: { id: "diff" },
    tip: { text: label, list: change.lines.slice(0, 12) },
    spoken: vscode.l10n.t("Code of {0}: {1} lines added, {2} removed. {3}", label, added, removed, gone || same),
    context: "change",
    command: "memlsp.review.compare",
    change,
    changeAt: at,
    item,
    folder: folder.uri,
  };
}
