/** Deciding what waits: one thing from its row, or all of it one after the other; and taking the last decision back. */
import * as vscode from "vscode";
import { type Memory, MemoryError } from "../memory";
import { tell } from "../remember/asked";
import { report } from "../remember/actions";
import type { Decided } from "../wire";
import { type Answer, answersOf, extraOf } from "./choices";
import { plain, plainLabel } from "./plain";
import { queueOf, type Waiting } from "./review-rows";

const WALK = 200;

interface Offered extends vscode.QuickPickItem {
  readonly answer?: Answer;
  readonly step?: "later" | "open" | "stop";
}

export class Deciding {
  /** The folders of what was decided here, the last one last. */
  private readonly decided: string[] = [];

  constructor(
    private readonly memory: Memory,
    /** Called with the id of what was decided, or brought back. */
    private readonly then: (item: string) => Promise<void>,
  ) {}

  /** One answer, given by its name. False when it was not given. */
  async give({ item, folder }: Waiting, choice: string): Promise<boolean> {
    const answer = answersOf(item).find((each) => each.choice === choice);
    return answer ? this.decide({ item, folder }, answer) : false;
  }

  /** Offers the answers to one thing. */
  async offer(waiting: Waiting): Promise<boolean> {
    const chosen = await this.pick(waiting, [], vscode.l10n.t("Decide"));
    return chosen?.answer ? this.decide(waiting, chosen.answer) : false;
  }

  /** Goes through all that waits. What was decided stays, however it ends. */
  async walk(): Promise<void> {
    let queue: readonly Waiting[];
    try {
      queue = (await queueOf(this.memory, WALK)).waiting;
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
  }

  /** Takes the last decision of this window back. */
  async undo(): Promise<void> {
    const folder = this.decided.at(-1);
    try {
      const undone = await this.memory.ask("memlsp/undo", folder ? { uri: folder } : {});
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

  private async decide({ item, folder }: Waiting, answer: Answer): Promise<boolean> {
    const extra = await extraOf(this.memory, item, answer);
    if (!extra) return false;
    let decided: Decided;
    try {
      decided = await vscode.window.withProgress({ location: { viewId: "memlsp.review" } }, () =>
        this.memory.ask("memlsp/decide", { id: item.id, choice: answer.choice, uri: folder.uri, ...extra }),
      );
    } catch (error) {
      report(error);
      return false;
    }
    this.decided.push(folder.uri);
    this.tellUndoable();
    tell(plain(decided.said));
    await this.then(item.id);
    return true;
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
      placeHolder: plain([item.question, ...item.evidence].join(" · "), 200),
      matchOnDescription: true,
    });
  }

  private tellUndoable(): void {
    void vscode.commands.executeCommand("setContext", "memlsp.undoable", this.decided.length > 0);
  }
}
