/**
 * What can be done about a belief: one way for the views, the page, lenses, quick fixes and keys.
 *
 * Nothing is decided here. What an action needs is asked for, and the server does it.
 */
import * as vscode from "vscode";
import { type Memory, MemoryError } from "../memory";
import { words } from "../page/words";
import type { Belief, BeliefPage, ReviseParams } from "../wire";
import { askConditions, askNote, askStatement, harmless, noteDecision, quoted, tell } from "./asked";
import { askPlace } from "./places";

/** Every action, as in `memlsp.belief.ACTION`; which of them a belief takes now, the server says. */
export const ACTIONS = [
  "confirm",
  "supersede",
  "retire",
  "admit",
  "reject",
  "lock",
  "unlock",
  "reanchor",
  "scope",
  "worked",
  "failed",
  "rollback",
  "forget",
] as const;

export type Action = (typeof ACTIONS)[number];

/** True when it is an action that this editor knows. */
export function isAction(name: string): name is Action {
  return ACTIONS.some((action) => action === name);
}

/**
 * Does something about a belief, after asking for what is missing. False when the user thought better of it or when it
 * could not be done, which they have been told then.
 */
export async function act(memory: Memory, belief: Belief, action: string): Promise<boolean> {
  if (!isAction(action)) return false;
  const extra = await missing(memory, belief, action);
  if (!extra) return false;
  try {
    if (action === "admit" || action === "reject") {
      await memory.ask("memlsp/decide", { id: belief.id, choice: action, ...at(belief) });
    } else {
      await change(memory, belief, action, extra);
    }
  } catch (error) {
    report(error);
    return false;
  }
  noteDecision();
  tell(done(action, belief.text));
  return true;
}

/** Names the workspace's root with the id: another workspace may have a belief with the same id. */
async function change(
  memory: Memory,
  belief: Belief,
  action: Exclude<Action, "admit" | "reject">,
  [extra]: readonly string[],
): Promise<void> {
  const params = { id: belief.id, ...at(belief) };
  if (action === "forget") await memory.ask("memlsp/forget", params);
  else await memory.ask("memlsp/revise", { ...params, action, ...(extra === undefined ? {} : taken(action, extra)) });
}

/** What an action takes besides the id. */
function taken(action: Action, extra: string): Omit<ReviseParams, "id" | "uri" | "action"> {
  switch (action) {
    case "supersede":
      return { text: extra };
    case "reanchor":
      return { place: extra };
    case "scope":
      return { conditions: extra.trim() ? [extra] : [] };
    default:
      return { note: extra };
  }
}

/** Says what went wrong, once, with a way to the log. */
export function report(error: unknown): void {
  if (error instanceof vscode.CancellationError || (error instanceof MemoryError && error.shown)) return;
  const message = harmless(error instanceof Error ? error.message : String(error));
  const hint = error instanceof MemoryError ? harmless(error.hint) : "";
  const log = vscode.l10n.t("Show log");
  void vscode.window.showErrorMessage(hint ? `${sentence(message)} ${hint}` : message, log).then((chosen) => {
    if (chosen === log) void vscode.commands.executeCommand("memlsp.showLog");
  });
}

/** What an action takes besides the id, asked for; undefined when the user thought better of it. */
export async function missing(memory: Memory, belief: Belief, action: Action): Promise<string[] | undefined> {
  switch (action) {
    case "supersede": {
      const text = await askStatement(
        vscode.l10n.t("Replace a belief"),
        vscode.l10n.t("What is true instead? The old statement is kept in the history."),
        belief.text,
      );
      if (text === belief.text) {
        void vscode.window.showInformationMessage(vscode.l10n.t("The statement is the same; nothing was replaced."));
        return undefined;
      }
      return text === undefined ? undefined : [text];
    }
    case "retire":
      return optional(
        await askNote(
          vscode.l10n.t("No longer true: {0}", quoted(belief.text)),
          vscode.l10n.t("Why? Enter without a word is fine; it can be taken back"),
        ),
      );
    case "failed":
      return optional(
        await askNote(
          vscode.l10n.t("It did not hold: {0}", quoted(belief.text)),
          vscode.l10n.t("What happened? Enter without a word is fine"),
        ),
      );
    case "reanchor": {
      const place = await askPlace(memory, belief);
      return place === undefined ? undefined : [place];
    }
    case "scope": {
      const text = await askConditions(
        vscode.l10n.t("Where it applies: {0}", quoted(belief.text)),
        belief.conditions.join(", "),
      );
      return text === undefined ? undefined : [text];
    }
    case "rollback":
      return askRevision(memory, belief);
    case "forget":
      return (await sure(belief)) ? [] : undefined;
    default:
      return [];
  }
}

async function askRevision(memory: Memory, belief: Belief): Promise<string[] | undefined> {
  let page: BeliefPage;
  try {
    page = await memory.ask("memlsp/belief", { id: belief.id, ...at(belief) });
  } catch (error) {
    report(error);
    return undefined;
  }
  const named = words().revisionNames;
  const items = [...page.revisions]
    .sort((one, other) => other.number - one.number)
    .map((revision) => ({
      label: `${String(revision.number)} · ${named[revision.action] ?? harmless(revision.action)}`,
      description: `${quoted(revision.author.name)}, ${new Date(revision.at).toLocaleString(vscode.env.language)}`,
      detail: quoted(revision.note, 200),
      number: revision.number,
    }));
  if (items.length === 0) return [];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Take back a change of: {0}", quoted(belief.text)),
    placeHolder: vscode.l10n.t("Which one? The latest stands first"),
    matchOnDetail: true,
  });
  return chosen ? [String(chosen.number)] : undefined;
}

async function sure(belief: Belief): Promise<boolean> {
  const forget = vscode.l10n.t("Forget for good");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Forget this belief for good?"),
    {
      modal: true,
      detail: vscode.l10n.t(
        "“{0}” and its history are erased from the memory, its indexes and its copies. This cannot be taken back. If it only is no longer true, retire it instead.",
        quoted(belief.text, 300),
      ),
    },
    forget,
  );
  return chosen === forget;
}

/** What is said when it is done. */
export function done(action: Action, text: string): string {
  const said = quoted(text);
  switch (action) {
    case "confirm":
      return vscode.l10n.t("Confirmed: {0}", said);
    case "supersede":
      return vscode.l10n.t("Replaced: {0}", said);
    case "retire":
      return vscode.l10n.t("Retired: {0}", said);
    case "admit":
      return vscode.l10n.t("Admitted: {0}", said);
    case "reject":
      return vscode.l10n.t("Rejected: {0}", said);
    case "lock":
      return vscode.l10n.t("Locked: {0}", said);
    case "unlock":
      return vscode.l10n.t("Unlocked: {0}", said);
    case "reanchor":
      return vscode.l10n.t("Tied anew: {0}", said);
    case "scope":
      return vscode.l10n.t("Conditions changed: {0}", said);
    case "worked":
      return vscode.l10n.t("Noted that it held: {0}", said);
    case "failed":
      return vscode.l10n.t("Noted that it did not hold: {0}", said);
    case "rollback":
      return vscode.l10n.t("Taken back: {0}", said);
    case "forget":
      return vscode.l10n.t("Forgotten for good.");
  }
}

function optional(note: string | undefined): string[] | undefined {
  if (note === undefined) return undefined;
  return note ? [note] : [];
}

function at(belief: Belief): { uri?: string } {
  return belief.root ? { uri: belief.root } : {};
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
