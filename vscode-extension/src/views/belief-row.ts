/** How a belief reads as a row: its statement, its standing as a sign and a word, and who stands behind it. */
import * as vscode from "vscode";
import type { Belief, Spot } from "../wire";
import { dateName } from "./days";
import { placeName } from "./folders";
import { plain, rowText } from "./plain";
import type { Row, Tip } from "./row";
import { authorityWord, beliefIcon, checkedWords, isInConflict, kindWord, standingWords } from "./standings";

export interface Shown {
  /** The row's id before that of the belief. */
  readonly under: string;
  /** What the row above names: "symbol" says it all, "file" leaves the symbol to say, "section" the file too. */
  readonly above: "symbol" | "file" | "section";
  /** The file of the row above: of several places the one that is there. */
  readonly path: string;
  readonly folder?: string;
}

export function beliefRow(belief: Belief, shown: Shown): Row {
  const label = beliefLabel(belief);
  const anchor = belief.anchors.find((each) => each.path === shown.path) ?? belief.anchors[0];
  const standing = isCaveat(belief) ? "" : standingWords(belief); // else the label begins with it
  const words = [belief.standing === "current" ? "" : standing, kindWord(belief.kind), whereOf(anchor, shown.above)].filter(Boolean);
  const place = anchor && { root: belief.root, path: anchor.path, line: anchor.line };
  const reasons = belief.reasons.map((reason) => rowText(reason.message)).filter(Boolean);
  return {
    id: `${shown.under}/${belief.id}`,
    label,
    description: words.join(" · "),
    icon: belief.locked && belief.holds && !isInConflict(belief) ? { id: "lock", color: "charts.green" } : beliefIcon(belief),
    tip: beliefTip(belief),
    spoken: [label, ...new Set([standing, ...words]), ...reasons].filter(Boolean).join(", "),
    context: beliefContext(belief),
    command: place ? "memlsp.views.reveal" : "memlsp.openBelief",
    belief,
    ...(place ? { place } : {}),
    ...(shown.folder ? { folder: shown.folder } : {}),
  };
}

/** The statement; what is wrong with it comes first, for a narrow view cuts off the end. A sign alone says that it holds. */
export function beliefLabel(belief: Belief): string {
  const text = beliefText(belief);
  return isCaveat(belief) ? `${standingWords(belief)}: ${text}` : text;
}

/** The statement without the name of its place before it, as what was found in a comment has it: the row says the place. */
export function beliefText({ text, anchors }: Belief): string {
  const row = rowText(text);
  const prefix = anchors.map(({ symbol }) => `${symbol ?? ""}: `).find((each) => each.length > 2 && row.startsWith(each));
  return prefix === undefined ? row : row.slice(prefix.length);
}

function isCaveat(belief: Belief): boolean {
  return (!belief.holds && belief.status !== "proposed") || isInConflict(belief);
}

function whereOf(anchor: Spot | undefined, above: Shown["above"]): string {
  if (!anchor || above === "symbol") return "";
  return plain(above === "file" ? (anchor.symbol ?? "") : placeName(anchor));
}

/** The statement, why it stands as it does, and where it comes from. */
export function beliefTip(belief: Belief): Tip {
  const standing = [standingWords(belief), ...belief.reasons.map((reason) => reason.message)].filter(Boolean);
  return {
    text: belief.text,
    list: [
      standing.join(": "),
      ...[checkedWords(belief)].filter(Boolean),
      ...belief.anchors.map((anchor) => `${placeName(anchor)}:${anchor.line}`),
      ...belief.candidates.map((spot) => vscode.l10n.t("perhaps now {0}", placeName(spot))),
      ...belief.conditions,
      ...(belief.expires_at ? [vscode.l10n.t("until {0}", dateName(belief.expires_at))] : []),
    ],
    foot: [
      kindWord(belief.kind),
      authorityWord(belief.authority),
      belief.author.name,
      dateName(belief.created_at),
      belief.source,
      vscode.l10n.t("confidence {0} %", Math.round(belief.confidence * 100)),
      belief.id,
    ].join(" · "),
  };
}

/** What menus ask: whether it holds, is locked, has a place, waits for being admitted. */
function beliefContext(belief: Belief): string {
  const words = ["belief"];
  words.push(belief.holds ? "holds" : "fails");
  if (belief.status === "proposed") words.push("unadmitted");
  else words.push(belief.standing === "superseded" || belief.standing === "retired" ? "ended" : "active");
  if (isInConflict(belief)) words.push("conflicting");
  if (belief.locked) words.push("locked");
  if (belief.anchors.length) words.push("placed");
  return words.join(" ");
}
