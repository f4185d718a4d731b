/** Deciding what waits: one thing from its row, or all of it one after the other; and taking the last decision back. */
import * as vscode from "vscode";
import { type Memory, MemoryError } from "../memory";
import { noteDecision, tell } from "../remember/asked";
import { report } from "../remember/actions";
import type { Decided } from "../wire";
import { type Answer, answersOf, type Extra, extraOf } from "./choices";
import { plain, plainLabel } from "./plain";
import { isQuoted, queueOf, type Waiting } from "./review-rows";

const WALK = 200;

interface Offered extends vscode.QuickPickItem {
  readonly answer?: Answer;
  readonly step?: "later" | "open" | "stop";
}

export class Deciding {
  /** What was decided here and in which folders, the last one last. */
  private readonly decided: { readonly item: string; readonly uri: string }[] = [];

  constructor(
    private readonly memory: Memory,
    /** Called with the id of what was decided, or brought back. */
    private readonly then: (item: string) => Promise<void>,
  ) {}

  /** One answer, given by its name to one thing or to several. What takes no such answer is left as it is. */
  async give(waiting: readonly Waiting[], choice: string): Promise<void> {
    const fits = waiting.filter(({ item }) => item.choices.includes(choice));
    const [only, another] = fits;
    if (another) return this.giveAll(fits, choice);
    const answer = only && answersOf(only.item).find((each) => each.choice === choice);
    if (answer) await this.decide(only, answer);
  }

  /** Offers the answers to one thing. */
  async offer(waiting: Waiting): Promise<boolean> {
    const chosen = await this.pick(waiting, [], vscode.l10n.t("Decide"));
    return chosen?.answer ? this.decide(waiting, chosen.answer) : false;
  }

  /** Goes through what is urgent, or through the proposals where nothing is. What was decided stays, however it ends. */
  async walk(): Promise<void> {
    let queue: readonly Waiting[];
    let proposals: number;
    try {
      const all = await queueOf(this.memory, WALK);
      const urgent = all.waiting.filter(({ item }) => item.kind !== "proposal");
      queue = urgent.length ? urgent : all.waiting;
      proposals = urgent.length ? all.counts.proposal : 0;
    } catch (error) {
      report(error);
      return;
    }
    if (!queue.length) {
      tell(vscode.l10n.t("Nothing waits for a decision."));
      return;
    }
    for (let at = 0; at < queue.length; ) {
      const waiting = queue[at];
      if (!waiting) return;
      const steps: Offered[] = [
        { label: "", kind: vscode.QuickPickItemKind.Separator },
        { label: vscode.l10n.t("Later"), description: vscode.l10n.t("leave it, and go on"), step: "later" },
        { label: vscode.l10n.t("Open its page"), description: vscode.l10n.t("and stop here"), step: "open" },
      ];
      const chosen = await this.pick(waiting, steps, vscode.l10n.t("Review {0} of {1}", at + 1, queue.length));
      if (!chosen) return;
      if (chosen.step === "open") {
        const belief = waiting.item.beliefs[0];
        if (belief) await vscode.commands.executeCommand("memlsp.openBelief", { id: belief.id, root: belief.root });
        return;
      }
      // an answer that was not given, as its text was not, is asked for again
      if (chosen.step === "later" || (chosen.answer && (await this.decide(waiting, chosen.answer)))) at++;
    }
    if (proposals > 0) tell(vscode.l10n.t("That was all that is urgent. Proposals that wait: {0}. The same command goes through them.", proposals));
  }

  /** Takes the last decision of this window back. One that was made elsewhere since is left, and the server says so. */
  async undo(): Promise<void> {
    const last = this.decided.at(-1);
    if (!last) {
      tell(vscode.l10n.t("Nothing was decided in this window that could be taken back."));
      return;
    }
    try {
      const undone = await this.memory.ask("memlsp/undo", last);
      this.decided.pop();
      this.tellUndoable();
      tell(plain(undone.said));
      await this.then(undone.item);
    } catch (error) {
      report(error);
      if (error instanceof MemoryError) this.decided.pop();
      this.tellUndoable();
    }
  }

  private async decide(waiting: Waiting, answer: Answer): Promise<boolean> {
    const extra = await extraOf(this.memory, waiting.item, answer);
    if (!extra) return false;
    try {
      const decided = await this.busy(() => this.send(waiting, answer.choice, extra));
      tell(plain(decided.said));
    } catch (error) {
      report(error);
      return false;
    }
    await this.then(waiting.item.id);
    return true;
  }

  /** The same answer to several things, one after the other; the first that is refused ends it. */
  private async giveAll(waiting: readonly Waiting[], choice: string): Promise<void> {
    let last: Waiting | undefined;
    let count = 0;
    try {
      await this.busy(async () => {
        for (const each of waiting) {
          await this.send(each, choice, {});
          last = each;
          count++;
        }
      });
    } catch (error) {
      report(error);
    }
    if (!last) return;
    tell(vscode.l10n.t("{0} decisions made; each can be taken back", count));
    await this.then(last.item.id);
  }

  private async send({ item, folder }: Waiting, choice: string, extra: Extra): Promise<Decided> {
    const decided = await this.memory.ask("memlsp/decide", { id: item.id, choice, uri: folder.uri, ...extra });
    this.decided.push({ item: decided.item, uri: folder.uri });
    this.tellUndoable();
    noteDecision();
    return decided;
  }

  private busy<T>(work: () => Promise<T>): Thenable<T> {
    return vscode.window.withProgress({ location: { viewId: "memlsp.review" } }, work);
  }

  private async pick({ item }: Waiting, steps: readonly Offered[], title: string): Promise<Offered | undefined> {
    const offered: Offered[] = answersOf(item).map((answer) => ({
      label: plainLabel(answer.label),
      description: plainLabel(answer.about),
      answer,
    }));
    const text = item.kind === "conflict" ? item.question : (item.beliefs[0]?.text ?? item.question);
    return vscode.window.showQuickPick([...offered, ...steps], {
      title: `${title}: ${plain(text, 120)}`,
      placeHolder: plain([item.question, ...item.evidence.filter((line) => !isQuoted(line))].join(" · "), 200),
      matchOnDescription: true,
    });
  }

  private tellUndoable(): void {
    void vscode.commands.executeCommand("setContext", "memlsp.undoable", this.decided.length > 0);
  }
}
