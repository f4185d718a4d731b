/** What each answer to something that waits is called, and what has to be asked for before it can be given. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { askConditions, askNote, askStatement } from "../remember/asked";
import { askPlace } from "../remember/places";
import type { DecideParams, ReviewItem } from "../wire";
import { plain } from "./plain";

/** An answer as it is offered. `edit`: admit in other words. */
export interface Answer {
  readonly choice: string;
  readonly label: string;
  readonly about: string;
  readonly edit?: boolean;
}

/** What the server takes for the item, with the words for it; what a newer server adds is offered by its own name. */
export function answersOf(item: ReviewItem): Answer[] {
  return item.choices.flatMap((choice) => {
    const answer = { choice, ...wordsOf(choice, item) };
    if (choice !== "admit") return [answer];
    const label = vscode.l10n.t("Admit in other words…");
    return [answer, { choice, label, about: vscode.l10n.t("Hold it true, but say it differently"), edit: true }];
  });
}

function wordsOf(choice: string, item: ReviewItem): { label: string; about: string } {
  switch (choice) {
    case "admit":
      return { label: vscode.l10n.t("Admit"), about: vscode.l10n.t("Hold it true; you stand behind it") };
    case "same":
      return {
        label: vscode.l10n.t("Say the same"),
        about: vscode.l10n.t("One statement with both sources: {0}", sideText(item, 1)),
      };
    case "reject":
      return { label: vscode.l10n.t("Reject"), about: vscode.l10n.t("Not wanted; it is never proposed again") };
    case "confirm":
      return { label: vscode.l10n.t("Still true"), about: vscode.l10n.t("For the code as it is now") };
    case "supersede":
      return { label: vscode.l10n.t("Replace…"), about: vscode.l10n.t("Something else is true now") };
    case "retire":
      return { label: vscode.l10n.t("No longer true…"), about: vscode.l10n.t("It can be taken back") };
    case "reanchor":
      return { label: vscode.l10n.t("Tie to another place…"), about: vscode.l10n.t("It belongs to other code") };
    case "scope":
      return { label: vscode.l10n.t("Only under a condition…"), about: vscode.l10n.t("It applies only under a condition") };
    case "first":
      return { label: vscode.l10n.t("Keep the first"), about: vscode.l10n.t("It stays: {0}", sideText(item, 0)) };
    case "second":
      return { label: vscode.l10n.t("Keep the second"), about: vscode.l10n.t("It stays: {0}", sideText(item, 1)) };
    case "both":
      return { label: vscode.l10n.t("Keep both"), about: vscode.l10n.t("Both stand as they are") };
    case "apart":
      return {
        label: vscode.l10n.t("Tell them apart…"),
        about: vscode.l10n.t("The first applies only under a condition: {0}", sideText(item, 0)),
      };
    default:
      return { label: choice, about: "" };
  }
}

function sideText(item: ReviewItem, side: number): string {
  return plain(item.beliefs[side]?.text ?? "", 80);
}

/** What an answer may need beside its name. */
export type Extra = Pick<DecideParams, "text" | "note" | "conditions">;

/** What an answer needs beside its name; undefined when the user thought better of it. */
export async function extraOf(
  memory: Memory,
  item: ReviewItem,
  { choice, label, edit }: Pick<Answer, "choice" | "label" | "edit">,
): Promise<Extra | undefined> {
  const belief = item.beliefs[0];
  if (!belief) return {};
  const title = `${label.replace("…", "")}: ${plain(belief.text, 60)}`;
  if (choice === "supersede" || (choice === "admit" && edit)) {
    const text = await askStatement(title, vscode.l10n.t("What is true?"), belief.text);
    return text === undefined ? undefined : { text };
  }
  if (choice === "reanchor") {
    const text = await askPlace(memory, belief);
    return text === undefined ? undefined : { text };
  }
  if (choice === "scope" || choice === "apart") {
    const text = await askConditions(title, belief.conditions.join(", "));
    return text === undefined ? undefined : { conditions: text.split(",").map((pair) => pair.trim()) };
  }
  if (choice === "retire") {
    const note = await askNote(title, vscode.l10n.t("Why? Enter without a word is fine; it can be taken back"));
    return note === undefined ? undefined : note ? { note } : {};
  }
  return {};
}
