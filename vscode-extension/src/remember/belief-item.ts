/** A belief as a line of a quick pick: its standing as an icon and a word, who said it, and the first reason. */
import * as vscode from "vscode";
import { beliefIcon, kindWord, standingWords } from "../views/standings";
import type { Belief } from "../wire";
import { quoted } from "./asked";

export interface BeliefItem extends vscode.QuickPickItem {
  readonly belief: Belief;
}

export const OPEN_PAGE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("open-preview"),
  tooltip: vscode.l10n.t("Open its page"),
};

export const GO_TO: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("go-to-file"),
  tooltip: vscode.l10n.t("Go to the code"),
};

/** The line of a belief; `detail` in place of the reason for its standing. */
export function beliefItem(belief: Belief, detail?: string): BeliefItem {
  const icon = beliefIcon(belief);
  const said = detail ?? belief.reasons[0]?.message ?? "";
  const where = belief.anchors[0];
  return {
    label: `$(${icon.id}) ${quoted(belief.text, 200)}`,
    description: [standingWords(belief), kindWord(belief.kind), belief.author.name].map((each) => quoted(each)).join(" · "),
    detail: quoted([said, where ? spot(where.path, where.symbol) : ""].filter(Boolean).join(" · "), 300),
    buttons: where ? [OPEN_PAGE, GO_TO] : [OPEN_PAGE],
    belief,
  };
}

function spot(path: string, symbol: string | null): string {
  return symbol ? `${symbol} (${path})` : path;
}
