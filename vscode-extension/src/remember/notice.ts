/** What was done, said in the status bar for some seconds, with a click that leads there. */
import * as vscode from "vscode";
import { quoted } from "./asked";

const SHOWN_FOR = 15_000;

export class Notice implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** Says it, in place of what was said before. */
  show(text: string, tooltip: string, command: vscode.Command): void {
    this.item ??= vscode.window.createStatusBarItem("memlsp.notice", vscode.StatusBarAlignment.Left, 0);
    this.item.name = "memlsp";
    this.item.text = `$(check) ${quoted(text, 80)}`;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `${text} ${tooltip}`, role: "button" };
    this.item.command = command;
    this.item.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.item?.hide(), SHOWN_FOR);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item?.dispose();
  }
}
