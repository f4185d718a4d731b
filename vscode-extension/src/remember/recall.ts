/** Recall: a question as it is typed, the server's answers in the server's order, Enter opens one. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { report } from "./actions";
import { type BeliefItem, beliefItem, GO_TO, OPEN_PAGE } from "./belief-item";
import { readHits } from "./dossier";
import { goTo, openPage } from "./visiting";

const PAUSE = 200;
const SHORTEST = 2;

export class Recall {
  /** What was asked last stands there the next time, selected, so that typing replaces it. */
  private last = "";

  constructor(private readonly memory: Memory) {}

  /** `memlsp.recall`: opens the box, with a question in it where one is given. */
  ask(question?: unknown): Promise<void> {
    const box = vscode.window.createQuickPick<BeliefItem>();
    const near = folderNear();
    // without a place: what stands near the cursor answers no question by that alone
    const where = near ? { uri: near.toString() } : {};
    box.title = vscode.l10n.t("Recall");
    box.placeholder = vscode.l10n.t("Ask: why is the retry limit three?");
    // the server ranks; the editor would put first what happens to contain the typed letters
    Object.assign(box, { sortByLabel: false });
    let asked = 0;
    let timer: NodeJS.Timeout | undefined;

    const answer = async (text: string): Promise<void> => {
      const ticket = ++asked;
      if (text.length < SHORTEST) {
        box.items = [];
        box.busy = false;
        return;
      }
      box.busy = true;
      try {
        const hits = readHits(await this.memory.ask("memlsp/recall", { query: text, ...where, typing: true }));
        if (ticket !== asked) return; // a later question is on its way
        box.items = hits.map(({ belief, why }) => ({ ...beliefItem(belief, why.join(", ")), alwaysShow: true }));
        box.title = hits.length > 0 ? vscode.l10n.t("Recall") : vscode.l10n.t("Recall: nothing answers this");
      } catch (error) {
        if (ticket !== asked) return;
        box.hide();
        report(error);
      }
      box.busy = false;
    };

    return new Promise((resolve) => {
      box.onDidChangeValue((text) => {
        this.last = text;
        clearTimeout(timer);
        timer = setTimeout(() => void answer(text.trim()), PAUSE);
      });
      box.onDidAccept(() => {
        const [item] = box.selectedItems;
        if (!item) return;
        const question = box.value.trim();
        box.hide();
        void openPage(item.belief, near);
        // asked for good: this is the one that leaves a receipt
        this.memory.ask("memlsp/recall", { query: question, ...where }).catch(() => undefined);
      });
      box.onDidTriggerItemButton(({ button, item }) => {
        box.hide();
        void (button === GO_TO ? goTo(item.belief, near) : button === OPEN_PAGE ? openPage(item.belief, near) : undefined);
      });
      box.onDidHide(() => {
        asked++;
        clearTimeout(timer);
        box.dispose();
        resolve();
      });
      box.value = typeof question === "string" ? question : this.last;
      if (box.value.trim()) void answer(box.value.trim());
      box.show();
    });
  }
}

/** The workspace that is asked: that of the file which is shown, else the first. */
function folderNear(): vscode.Uri | undefined {
  const shown = vscode.window.activeTextEditor?.document.uri;
  const folder = shown?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(shown) : undefined;
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri;
}
