/**
 * Peek: everything that is remembered of a symbol in one list that needs no mouse. Enter on a belief opens what can be
 * done about it, Escape or Back leads to the list again.
 */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { offeredActions } from "../page/offered";
import { words } from "../page/words";
import type { Belief, BeliefPage } from "../wire";
import { act, report } from "./actions";
import { harmless, quoted } from "./asked";
import { beliefItem, GO_TO, OPEN_PAGE } from "./belief-item";
import { type Dossier, readDossier } from "./dossier";
import { isBelief, isRecord } from "./named";
import { goTo, openPage, rootOf, show } from "./visiting";

/** A document, with a line from 1 or a symbol's dotted name; neither for the whole file. */
export interface PeekPlace {
  readonly uri: vscode.Uri;
  readonly where?: number | string;
}

type Entry = vscode.QuickPickItem & { readonly belief?: Belief; readonly run?: () => Promise<unknown> };

export class Peek {
  constructor(private readonly memory: Memory) {}

  /** `memlsp.peek`: [uri, line or symbol], an object with these, or nothing for the cursor. */
  async at(first?: unknown, second?: unknown): Promise<void> {
    const place = placeOf(first, second);
    if (!place) {
      await vscode.commands.executeCommand("memlsp.recall");
      return;
    }
    for (;;) {
      const dossier = await this.look(place);
      if (!dossier) return;
      const chosen = await choose(dossier, place);
      if (!chosen) return;
      if (!chosen.belief) {
        await chosen.run?.();
        return;
      }
      if (await this.about(chosen.belief, place.uri)) return;
    }
  }

  private async look(place: PeekPlace): Promise<Dossier | undefined> {
    try {
      const { uri, where } = place;
      const at = where === undefined ? {} : typeof where === "number" ? { line: where } : { symbol: where };
      return readDossier(await this.memory.ask("memlsp/why", { uri: uri.toString(), ...at }));
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  /** What can be done about one belief; true when the list is not wanted any more. */
  private async about(named: Belief, near: vscode.Uri): Promise<boolean> {
    let page: BeliefPage;
    try {
      page = await this.memory.ask("memlsp/belief", { id: named.id, uri: near.toString() });
    } catch (error) {
      report(error);
      return true;
    }
    const { belief } = page;
    const names = words().actionNames;
    const visits: Entry[] = [
      { label: `$(open-preview) ${vscode.l10n.t("Open its page")}`, run: () => openPage(belief, near) },
    ];
    if (belief.anchors.length > 0) {
      visits.push({ label: `$(go-to-file) ${vscode.l10n.t("Go to the code")}`, run: () => goTo(belief, near) });
    }
    const actions = offeredActions(page).map((action) => ({ label: names[action] ?? harmless(action), action }));
    const box = vscode.window.createQuickPick<Entry & { readonly action?: string }>();
    box.title = quoted(belief.text, 120);
    box.placeholder = vscode.l10n.t("What about it?");
    box.buttons = [vscode.QuickInputButtons.Back];
    box.items = [...visits, separator(words().actions), ...actions];
    const chosen = await accepted(box);
    if (!chosen) return false;
    if (chosen.run) {
      await chosen.run();
      return true;
    }
    if (chosen.action === "settle") await vscode.commands.executeCommand("memlsp.settle", { id: belief.id, root: belief.root });
    else if (chosen.action) await act(this.memory, belief, chosen.action);
    return false;
  }
}

/** The list of a place; undefined when the user left. */
async function choose(dossier: Dossier, place: PeekPlace): Promise<Entry | undefined> {
  const near = place.uri;
  const root = rootOf({ root: "" }, near);
  const box = vscode.window.createQuickPick<Entry>();
  const about = typeof place.where === "string" ? { symbol: place.where } : { line: place.where };
  const remember: Entry = {
    label: `$(add) ${vscode.l10n.t("Remember something here…")}`,
    run: async () => vscode.commands.executeCommand("memlsp.remember", { uri: near, ...about }),
  };
  const threads: Entry[] = dossier.threads.map((thread) => ({
    label: `$(circle-large-outline) ${quoted(thread.text, 200)}`,
    description: quoted(thread.line === undefined ? thread.path : `${thread.path}:${String(thread.line)}`, 120),
    run: async () => (root ? show(root, thread.path, thread.line) : undefined),
  }));
  const history: Entry[] = dossier.history.map((change) => ({
    label: `$(git-commit) ${quoted(change.change || change.subject, 200)}`,
    description: quoted([change.commit.slice(0, 8), change.author, day(change.date)].filter(Boolean).join(" · "), 120),
    detail: quoted(change.subject, 200),
    run: () => copyCommit(change.commit),
  }));
  box.title = vscode.l10n.t("What is remembered about {0}", quoted(dossier.place, 120));
  box.placeholder =
    dossier.beliefs.length + threads.length + history.length > 0
      ? vscode.l10n.t("Enter shows what can be done")
      : vscode.l10n.t("Nothing is remembered here yet");
  box.matchOnDescription = true;
  box.matchOnDetail = true;
  box.items = [
    ...section(vscode.l10n.t("Beliefs"), dossier.beliefs.map((belief) => beliefItem(belief))),
    ...section(vscode.l10n.t("Left open"), threads),
    ...section([vscode.l10n.t("What changed its meaning"), quoted(dossier.older, 60)].filter(Boolean).join(" · "), history),
    separator(""),
    remember,
  ];
  box.onDidTriggerItemButton(({ button, item }) => {
    box.hide();
    if (!item.belief) return;
    if (button === OPEN_PAGE) void openPage(item.belief, near);
    if (button === GO_TO) void goTo(item.belief, near);
  });
  return accepted(box);
}

function section(label: string, items: readonly Entry[]): Entry[] {
  return items.length > 0 ? [separator(label), ...items] : [];
}

function separator(label: string): Entry {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** The item that was chosen; undefined for Escape and Back. */
function accepted<T extends vscode.QuickPickItem>(box: vscode.QuickPick<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      resolve(box.selectedItems[0]);
      box.dispose();
    });
    box.onDidTriggerButton(() => box.hide());
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

async function copyCommit(commit: string): Promise<void> {
  await vscode.env.clipboard.writeText(commit);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Commit {0} copied", commit.slice(0, 8)), 4000);
}

function day(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? "" : date.toLocaleDateString(vscode.env.language);
}

/** The place of the command's arguments; of the cursor without any. */
export function placeOf(first: unknown, second: unknown): PeekPlace | undefined {
  if (isRecord(first) && !(first instanceof vscode.Uri) && !isBelief(first)) {
    return placeOf(first["uri"], first["symbol"] ?? first["line"] ?? first["lineNumber"]);
  }
  const editor = vscode.window.activeTextEditor;
  const uri = typeof first === "string" && first ? vscode.Uri.parse(first) : first instanceof vscode.Uri ? first : undefined;
  if (uri && (typeof second === "number" || (typeof second === "string" && second))) return { uri, where: second };
  if (editor?.document.uri.scheme === "file" && (!uri || uri.toString() === editor.document.uri.toString())) {
    return { uri: editor.document.uri, where: editor.selection.active.line + 1 };
  }
  return uri ? { uri } : undefined;
}
