/** How a belief reads as a row: its statement, its standing as a sign and a word, and who stands behind it. */
import * as vscode from "vscode";
import type { Belief } from "../wire";
import { dateName } from "./days";
import { placeName } from "./folders";
import { plain } from "./plain";
import type { Row, Tip } from "./row";
import { authorityWord, beliefIcon, checkedWords, isInConflict, kindWord, standingWords } from "./standings";

export interface Shown {
  /** The row's id before that of the belief. */
  readonly under: string;
  /** What the row above names: "symbol" says it all, "file" leaves the symbol to say, "" leaves everything. */
  readonly above: "symbol" | "file";
  /** The file of the row above: of several places the one that is there. */
  readonly path: string;
  readonly folder?: string;
}

export function beliefRow(belief: Belief, shown: Shown): Row {
  const label = plain(belief.text);
  const anchor = belief.anchors.find((each) => each.path === shown.path) ?? belief.anchors[0];
  const where = shown.above === "file" ? plain(anchor?.symbol ?? "") : "";
  const words = [standingWords(belief), kindWord(belief.kind), where].filter(Boolean);
  const place = anchor && { root: belief.root, path: anchor.path, line: anchor.line };
  const reasons = belief.reasons.map((reason) => plain(reason.message)).filter(Boolean);
  return {
    id: `${shown.under}/${belief.id}`,
    label,
    description: words.join(" · "),
    icon: belief.locked && belief.holds && !isInConflict(belief) ? { id: "lock", color: "charts.green" } : beliefIcon(belief),
    tip: beliefTip(belief),
    spoken: [label, ...words, ...reasons].join(", "),
    context: beliefContext(belief),
    command: place ? "memlsp.views.reveal" : "memlsp.views.openBelief",
    belief,
    ...(place ? { place } : {}),
    ...(shown.folder ? { folder: shown.folder } : {}),
  };
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
