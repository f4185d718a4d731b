/** What happens after a commit, by the setting `memlsp.remember.afterCommit`: an entry in the status bar, a question, nothing. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { quoted } from "./asked";
import { Commits, type Made } from "./commits";
import { findGit } from "./git";

/** How long the entry stays, in milliseconds. */
const SHOWN_FOR = 5 * 60_000;

export class AfterCommit implements vscode.Disposable {
  private readonly ends: { dispose(): unknown }[] = [];
  private item: vscode.StatusBarItem | undefined;
  private timer: NodeJS.Timeout | undefined;
  private begun = false;
  private ended = false;

  constructor(private readonly memory: Memory) {
    this.ends.push(memory.onDidChangeState(() => this.begin()));
    this.begin();
  }

  /** Looks for git once there is a server that could remember anything. */
  private begin(): void {
    if (this.begun || this.memory.state !== "running") return;
    this.begun = true;
    void findGit().then((git) => {
      if (!git || this.ended) return;
      const commits = new Commits(git);
      this.ends.push(
        commits,
        commits.onDidMake((made) => void this.offer(made)),
      );
    });
  }

  /** Offers to remember why, as the setting says. */
  async offer(made: Made): Promise<void> {
    if (this.memory.state !== "running") return;
    const how = vscode.workspace.getConfiguration("memlsp", made.root).get<unknown>("remember.afterCommit", "status");
    const command: vscode.Command = {
      command: "memlsp.rememberCommit",
      title: vscode.l10n.t("Remember why"),
      arguments: [{ root: made.root.toString(), commit: made.commit }],
    };
    if (how === "status") this.show(made, command);
    if (how === "ask") await ask(made, command);
  }

  private show(made: Made, command: vscode.Command): void {
    const subject = quoted(made.subject, 200);
    const tooltip = vscode.l10n.t("Keep why this was done: {0}", subject);
    this.item ??= vscode.window.createStatusBarItem("memlsp.afterCommit", vscode.StatusBarAlignment.Left, -1);
    this.item.name = vscode.l10n.t("memlsp: remember why");
    this.item.text = `$(lightbulb) ${vscode.l10n.t("Remember why")}`;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip, role: "button" };
    this.item.command = command;
    this.item.show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), SHOWN_FOR);
  }

  /** It was remembered, or is not wanted any more. */
  hide(): void {
    clearTimeout(this.timer);
    this.item?.hide();
  }

  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.item?.dispose();
    for (const end of this.ends) end.dispose();
  }
}

async function ask(made: Made, command: vscode.Command): Promise<void> {
  const [yes, later, never] = [command.title, vscode.l10n.t("Not now"), vscode.l10n.t("Never")];
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("Remember why: {0}", quoted(made.subject, 120)),
    yes,
    later,
    never,
  );
  if (chosen === yes) {
    const named: unknown = command.arguments?.[0];
    await vscode.commands.executeCommand(command.command, named);
  }
  if (chosen === never) {
    await vscode.workspace
      .getConfiguration("memlsp")
      .update("remember.afterCommit", "off", vscode.ConfigurationTarget.Global);
  }
}
