/** How much waits, on the view's icon: the server's count, asked for when things came to rest, never twice at once. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { Debounce } from "./debounce";
import { isPassing } from "./pane";
import { type Queue, queueOf } from "./review-rows";

/** Long enough that typing does not ask. In milliseconds. */
const REST = 1_500;
const SETTING = "memlsp.review.badge";

export class Badge implements vscode.Disposable {
  private readonly pace: Debounce;
  private readonly ends: readonly { dispose(): unknown }[];

  constructor(
    private readonly memory: Memory,
    private readonly view: Pick<vscode.TreeView<unknown>, "badge" | "visible">,
    rest = REST,
  ) {
    this.pace = new Debounce(() => this.count(), rest);
    this.ends = [
      this.pace,
      memory.onDidChange(() => this.look()),
      memory.onDidChangeState(() => this.look()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.look()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) this.pace.ask();
      }),
    ];
    this.look();
  }

  /** Shows what an answer that was asked for anyway says. */
  show({ counts }: Queue): void {
    const wanted = setting();
    const value = wanted === "off" ? 0 : counts.conflict + counts.stale + (wanted === "all" ? counts.proposal : 0);
    const tooltip = value === 1 ? vscode.l10n.t("1 decision waits") : vscode.l10n.t("{0} decisions wait", value);
    if (value === (this.view.badge?.value ?? 0)) return;
    this.view.badge = value > 0 ? { value, tooltip } : undefined;
  }

  dispose(): void {
    for (const each of this.ends) each.dispose();
  }

  private look(): void {
    if (isPassing(this.memory.state)) return;
    if (this.memory.state !== "running" || setting() === "off") this.view.badge = undefined;
    // a view that is looked at asks for its rows, and these count
    else if (!this.view.visible) this.pace.ask();
  }

  private async count(): Promise<void> {
    if (setting() === "off") this.view.badge = undefined;
    else if (this.memory.state === "running") this.show(await queueOf(this.memory, 1));
  }
}

function setting(): string {
  return vscode.workspace.getConfiguration().get<string>(SETTING, "urgent");
}
