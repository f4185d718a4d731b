/**
 * What of the memory is shown: the standings, kinds and words that somebody chose. Kept with the workspace but for the
 * words, which may be those of a statement: forgetting could not reach them there.
 */
import * as vscode from "vscode";
import type { BeliefsParams, Kind, Standing } from "../wire";
import {
  isKind,
  isStanding,
  KINDS,
  kindWord,
  STANDINGS,
  standingIcon,
  standingMeaning,
  standingWord,
} from "./standings";

interface Choice {
  readonly standings: readonly Standing[];
  readonly kinds: readonly Kind[];
  readonly text: string;
}

interface Option extends vscode.QuickPickItem {
  readonly word?: string;
}

const KEPT = "memlsp.memory.filter";

/** Among the options: the words that somebody types. */
const WORDS = "words";

export class Filter implements vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<void>();
  readonly onDidChange = this.moved.event;
  private choice: Choice;

  constructor(private readonly kept: vscode.Memento) {
    this.choice = choiceOf(kept.get(KEPT));
    this.tell();
  }

  get active(): boolean {
    return this.summary !== "";
  }

  /** As the server takes it. */
  get params(): Pick<BeliefsParams, "standings" | "kinds" | "query"> {
    const { standings, kinds, text } = this.choice;
    return {
      ...(standings.length ? { standings: [...standings] } : {}),
      ...(kinds.length ? { kinds: [...kinds] } : {}),
      ...(text ? { query: text } : {}),
    };
  }

  /** In a few words, for the view's heading; "" when nothing is left out. */
  get summary(): string {
    const { standings, kinds, text } = this.choice;
    const words = [standings.map(standingWord).join(", "), kinds.map(kindWord).join(", "), text ? `“${text}”` : ""];
    return words.filter(Boolean).join(" · ");
  }

  async choose(): Promise<void> {
    const { standings, kinds, text } = this.choice;
    const options: Option[] = [
      { word: WORDS, label: vscode.l10n.t("Words…"), description: text && `“${text}”`, picked: text !== "" },
      { label: vscode.l10n.t("Standing"), kind: vscode.QuickPickItemKind.Separator },
      ...STANDINGS.map((word) => ({
        word,
        label: standingWord(word),
        description: standingMeaning(word),
        iconPath: new vscode.ThemeIcon(standingIcon(word).id),
        picked: standings.includes(word),
      })),
      { label: vscode.l10n.t("Kind"), kind: vscode.QuickPickItemKind.Separator },
      ...KINDS.map((word) => ({ word, label: kindWord(word), picked: kinds.includes(word) })),
    ];
    const chosen = await vscode.window.showQuickPick(options, {
      title: vscode.l10n.t("Show only"),
      placeHolder: vscode.l10n.t("Nothing chosen shows everything"),
      canPickMany: true,
      matchOnDescription: true,
    });
    if (!chosen) return;
    const words = chosen.map((option) => option.word ?? "");
    const typed = words.includes(WORDS) ? await this.askText() : "";
    if (typed === undefined) return;
    this.become({ standings: words.filter(isStanding), kinds: words.filter(isKind), text: typed.trim() });
  }

  private askText(): Thenable<string | undefined> {
    return vscode.window.showInputBox({
      title: vscode.l10n.t("Show only what speaks of"),
      prompt: vscode.l10n.t("Words of the statement, a path or a name; empty shows everything"),
      value: this.choice.text,
    });
  }

  clear(): void {
    this.become({ standings: [], kinds: [], text: "" });
  }

  dispose(): void {
    this.moved.dispose();
  }

  private become(choice: Choice): void {
    this.choice = choice;
    const { standings, kinds } = choice;
    void this.kept.update(KEPT, { standings, kinds });
    this.tell();
    this.moved.fire();
  }

  private tell(): void {
    void vscode.commands.executeCommand("setContext", "memlsp.filtered", this.active);
  }
}

/** What was kept may be of another version. */
function choiceOf(kept: unknown): Choice {
  const found = typeof kept === "object" && kept !== null ? kept : {};
  const words = (of: unknown): string[] =>
    Array.isArray(of) ? of.filter((word): word is string => typeof word === "string") : [];
  return {
    standings: "standings" in found ? words(found.standings).filter(isStanding) : [],
    kinds: "kinds" in found ? words(found.kinds).filter(isKind) : [],
    text: "",
  };
}
