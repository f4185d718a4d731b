/** The sign and the word of each standing, kind and reason to wait. Shapes differ, so nobody has to tell colours. */
import * as vscode from "vscode";
import type { Belief, Kind, ReviewItem, Standing } from "../wire";
import type { Icon } from "./row";

export const STANDINGS: readonly Standing[] = [
  "contradicted",
  "orphaned",
  "expired",
  "changed",
  "ahead",
  "carried",
  "current",
  "unbound",
  "superseded",
  "retired",
];

export const KINDS: readonly Kind[] = ["decision", "rule", "gotcha", "fact", "preference", "procedure"];

const ICONS: Readonly<Record<Standing, Icon>> = {
  current: { id: "pass", color: "charts.green" },
  carried: { id: "arrow-circle-right", color: "charts.green" },
  ahead: { id: "milestone", color: "charts.blue" },
  unbound: { id: "circle-outline", color: "charts.foreground" },
  changed: { id: "edit", color: "problemsInfoIcon.foreground" },
  expired: { id: "watch", color: "problemsInfoIcon.foreground" },
  orphaned: { id: "debug-disconnect", color: "problemsInfoIcon.foreground" },
  contradicted: { id: "warning", color: "problemsWarningIcon.foreground" },
  superseded: { id: "arrow-right", color: "disabledForeground" },
  retired: { id: "circle-slash", color: "disabledForeground" },
};

/** A newer server may know more than we do. */
export function standingIcon(standing: string): Icon {
  return isStanding(standing) ? ICONS[standing] : { id: "question" };
}

/** True while it and another belief cannot both be true and nobody has settled it. */
export function isInConflict(belief: Belief): boolean {
  return (belief.conflicts ?? []).length > 0;
}

/** How a belief stands: with the code, and with other beliefs. */
export function standingWords(belief: Belief): string {
  if (!isInConflict(belief)) return standingWord(belief.standing);
  const conflict = vscode.l10n.t("in conflict");
  return belief.holds ? conflict : `${standingWord(belief.standing)}, ${conflict}`;
}

/** The sign of a belief: no check mark where the code is as it was and nothing that it says could be checked. */
export function beliefIcon(belief: Belief): Icon {
  if (isInConflict(belief) && belief.holds) return waitIcon("conflict");
  const unchecked = belief.standing === "current" && belief.checked?.length === 0;
  return unchecked ? { id: "circle", color: "charts.green" } : standingIcon(belief.standing);
}

/** The claims of a statement that the code bears out, or that none was checked; nothing where the standing says it. */
export function checkedWords(belief: Belief): string {
  if (!belief.checked || (belief.standing !== "current" && belief.standing !== "carried")) return "";
  if (belief.checked.length === 0) return vscode.l10n.t("no claim checked");
  return vscode.l10n.t("checked: {0}", belief.checked.slice(0, 3).join(", "));
}

export function isStanding(word: string): word is Standing {
  return word in ICONS;
}

export function isKind(word: string): word is Kind {
  return KINDS.some((kind) => kind === word);
}

export function standingWord(standing: string): string {
  switch (standing) {
    case "current":
      return vscode.l10n.t("current");
    case "carried":
      return vscode.l10n.t("carried");
    case "ahead":
      return vscode.l10n.t("ahead");
    case "unbound":
      return vscode.l10n.t("unbound");
    case "changed":
      return vscode.l10n.t("changed");
    case "expired":
      return vscode.l10n.t("expired");
    case "orphaned":
      return vscode.l10n.t("orphaned");
    case "contradicted":
      return vscode.l10n.t("contradicted");
    case "superseded":
      return vscode.l10n.t("superseded");
    case "retired":
      return vscode.l10n.t("retired");
    default:
      return standing;
  }
}

/** What a standing means, for those who choose among them. */
export function standingMeaning(standing: Standing): string {
  switch (standing) {
    case "current":
      return vscode.l10n.t("The code is as it was when this was said");
    case "carried":
      return vscode.l10n.t("The code was renamed or moved and means the same");
    case "ahead":
      return vscode.l10n.t("The code does not follow it yet");
    case "unbound":
      return vscode.l10n.t("Tied to nothing that could be checked");
    case "changed":
      return vscode.l10n.t("The code moved on in ways the statement may cover");
    case "expired":
      return vscode.l10n.t("Past its date");
    case "orphaned":
      return vscode.l10n.t("The code it spoke of is gone");
    case "contradicted":
      return vscode.l10n.t("Something the statement names is no longer so");
    case "superseded":
      return vscode.l10n.t("Another belief took its place");
    case "retired":
      return vscode.l10n.t("Somebody said that it is no longer true");
  }
}

export function kindWord(kind: string): string {
  switch (kind) {
    case "decision":
      return vscode.l10n.t("decision");
    case "rule":
      return vscode.l10n.t("rule");
    case "gotcha":
      return vscode.l10n.t("gotcha");
    case "fact":
      return vscode.l10n.t("fact");
    case "preference":
      return vscode.l10n.t("preference");
    case "procedure":
      return vscode.l10n.t("procedure");
    default:
      return kind;
  }
}

/** What a reason to wait means, for a tooltip and a screen reader. */
export function waitMeaning(kind: ReviewItem["kind"]): string {
  switch (kind) {
    case "conflict":
      return vscode.l10n.t("Beliefs that contradict each other");
    case "stale":
      return vscode.l10n.t("Beliefs that the code no longer agrees with");
    case "proposal":
      return vscode.l10n.t("Proposed, and not yet admitted by anybody");
  }
}

/** Contradictions first, as the server orders them. */
export const WAITS: readonly ReviewItem["kind"][] = ["conflict", "stale", "proposal"];

export function waitIcon(kind: ReviewItem["kind"]): Icon {
  switch (kind) {
    case "conflict":
      return { id: "git-compare", color: "problemsWarningIcon.foreground" };
    case "stale":
      return { id: "history", color: "problemsInfoIcon.foreground" };
    case "proposal":
      return { id: "lightbulb", color: "charts.purple" };
  }
}

export function waitWord(kind: ReviewItem["kind"]): string {
  switch (kind) {
    case "conflict":
      return vscode.l10n.t("Contradictions");
    case "stale":
      return vscode.l10n.t("Stale");
    case "proposal":
      return vscode.l10n.t("Proposals");
  }
}

/** Who stands behind a belief. */
export function authorityWord(authority: string): string {
  switch (authority) {
    case "locked":
      return vscode.l10n.t("locked by a person");
    case "reviewed":
      return vscode.l10n.t("reviewed in the repository");
    case "person":
      return vscode.l10n.t("said by a person");
    case "colleague":
      return vscode.l10n.t("said by a colleague, and not confirmed here");
    case "agent":
      return vscode.l10n.t("said by an agent");
    case "mined":
      return vscode.l10n.t("found in the history");
    case "proposed":
      return vscode.l10n.t("proposed");
    default:
      return authority;
  }
}
