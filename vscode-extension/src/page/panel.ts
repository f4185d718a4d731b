/** One open belief page: asks for its belief, posts what it is told, does what is pressed, and looks again when something moved. */
import * as vscode from "vscode";
import { type Memory, MemoryError } from "../memory";
import { act } from "../remember/actions";
import { harmless, quoted } from "../remember/asked";
import { documentOf } from "../views/folders";
import { plain } from "../views/plain";
import { kindWord } from "../views/standings";
import type { Belief, BeliefPage } from "../wire";
import { openDiff } from "./code";
import { type Absent, type FromPage, fromPage, type Subject, type ToPage } from "./messages";
import { offeredActions } from "./offered";
import { pageFolder, shell } from "./shell";
import { words } from "./words";

/** Characters of a place that a tab has room for. */
const TITLE = 40;

/** What a page is given by the extension. */
export interface Surroundings {
  readonly memory: Memory;
  readonly extension: vscode.Uri;
  /** Opens another belief's page. */
  readonly open: (subject: Subject) => unknown;
}

/** A panel with one belief in it. */
export class BeliefPanel implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  private readonly ended = new vscode.EventEmitter<void>();
  private page: BeliefPage | undefined;
  private sent: ToPage | undefined;
  private loading: vscode.CancellationTokenSource | undefined;
  private again = false;
  private outdated = true;
  private acting = false;
  private over = false;
  readonly onDidEnd = this.ended.event;

  constructor(
    readonly panel: vscode.WebviewPanel,
    private about: Subject,
    private readonly around: Surroundings,
  ) {
    const { memory, extension } = around;
    panel.webview.options = { enableScripts: true, localResourceRoots: [pageFolder(extension)], enableCommandUris: false };
    panel.iconPath = {
      light: vscode.Uri.joinPath(extension, "media", "belief-light.svg"),
      dark: vscode.Uri.joinPath(extension, "media", "belief-dark.svg"),
    };
    this.disposables.push(
      panel.webview.onDidReceiveMessage((message: unknown) => {
        const known = fromPage(message);
        if (known) void this.hear(known);
      }),
      panel.onDidChangeViewState(() => this.look()),
      panel.onDidDispose(() => this.dispose()),
      memory.onDidChange(() => this.move()),
      memory.onDidChangeState((state) => state === "running" && this.move()),
    );
    panel.webview.html = shell(panel.webview, extension, vscode.l10n.t("Loading…"));
  }

  /** Whether it is about that workspace: by what it was opened for, or by what the server says; true until either does. */
  isIn(root: string): boolean {
    const roots = [this.subject.root, this.page?.belief.root].filter(Boolean);
    return roots.length === 0 || roots.includes(root);
  }

  get subject(): Subject {
    return this.about;
  }

  reveal(): void {
    this.panel.reveal();
  }

  /** Shows another belief in its place. */
  become(subject: Subject): void {
    this.about = subject;
    this.page = undefined;
    this.loading?.cancel();
    this.move();
  }

  /** Something moved: looks again now when somebody sees it, else when they do. */
  private move(): void {
    this.outdated = true;
    // its script begins anew when it is seen, and must not be given what may have been forgotten meanwhile
    if (!this.panel.visible) this.sent = undefined;
    this.look();
  }

  private look(): void {
    if (this.panel.visible && this.outdated) void this.load();
  }

  /** Asks for the belief; while an answer is awaited, once more after it. */
  private async load(): Promise<void> {
    if (this.loading) {
      this.again = true;
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.loading = source;
    this.outdated = false;
    try {
      const { id, root } = this.subject;
      const page = await this.around.memory.ask("memlsp/belief", root === undefined ? { id } : { id, uri: root }, source.token);
      if (!source.token.isCancellationRequested) this.draw(page); // else it is about another belief by now
    } catch (error) {
      if (!source.token.isCancellationRequested) this.failed(error);
    } finally {
      source.dispose();
      this.loading = undefined;
    }
    if (this.again && !this.over) {
      this.again = false;
      await this.load();
    }
  }

  private draw(page: BeliefPage): void {
    this.page = page;
    this.panel.title = titleOf(page.belief);
    this.post({ type: "page", page, words: words(), language: vscode.env.language });
  }

  private failed(error: unknown): void {
    const gone = error instanceof MemoryError && error.missing;
    if (gone) {
      this.page = undefined;
      this.panel.title = vscode.l10n.t("Belief");
    }
    this.post({ type: "absent", absent: absence(error, gone, this.around.memory.state === "missing") });
  }

  private post(message: ToPage): void {
    if (this.over) return;
    if (message.type !== "busy") this.sent = this.outdated ? undefined : message;
    void this.panel.webview.postMessage(message);
  }

  private async hear(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        // a page that was hidden begins anew: it gets what it had; what moved meanwhile is asked for when it is seen
        if (this.sent) this.post(this.sent);
        else if (!this.loading) await this.load();
        return;
      case "retry":
        return this.load();
      case "install":
        await vscode.commands.executeCommand("memlsp.install");
        return;
      case "log":
        await vscode.commands.executeCommand("memlsp.showLog");
        return;
      default:
        return this.page && this.pressed(message, this.page);
    }
  }

  /** What was pressed on a page that shows a belief. Only what that page names is done. */
  private async pressed(message: FromPage, page: BeliefPage): Promise<void> {
    const { belief } = page;
    switch (message.type) {
      case "act":
        if (offeredActions(page).includes(message.action)) await this.act(message.action, page);
        return;
      case "more": {
        const action = await chooseAction(page, offeredActions(page));
        if (action) await this.act(action, page);
        return;
      }
      case "belief":
        if (message.id === belief.superseded_by || page.nodes.some((node) => node.id === message.id)) {
          this.around.open({ id: message.id, root: belief.root });
        }
        return;
      case "reveal": {
        const spots = [...belief.anchors, ...belief.candidates];
        const spot = spots.find((each) => each.path === message.path && each.line === message.line);
        if (spot) await revealed(belief.root, spot, this.beside());
        return;
      }
      case "diff": {
        const change = page.changes[message.change];
        if (!change) return;
        const source = { method: "memlsp/belief", id: belief.id, root: belief.root, change: message.change } as const;
        await openDiff(source, change, this.beside());
        return;
      }
      case "copy":
        await vscode.env.clipboard.writeText(belief.id);
        vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", belief.id), 3_000);
        return;
      default:
        return;
    }
  }

  private async act(action: string, { belief }: BeliefPage): Promise<void> {
    if (this.acting) return;
    this.acting = true;
    this.post({ type: "busy", busy: true });
    try {
      if (action === "settle") await vscode.commands.executeCommand("memlsp.settle", { id: belief.id, root: belief.root });
      else await act(this.around.memory, belief, action);
    } finally {
      this.acting = false;
      this.post({ type: "busy", busy: false });
    }
    await this.load();
  }

  /** Code is shown beside the page, not over it. */
  private beside(): vscode.ViewColumn {
    return this.panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
  }

  dispose(): void {
    if (this.over) return;
    this.over = true;
    this.loading?.cancel();
    for (const each of this.disposables) each.dispose();
    this.ended.fire();
    this.ended.dispose();
    this.panel.dispose();
  }
}

/** One of the actions; undefined when the user thought better of it. */
async function chooseAction({ belief }: BeliefPage, actions: readonly string[]): Promise<string | undefined> {
  const names = words().actionNames;
  const items = actions.map((action) => ({ label: names[action] ?? harmless(action), action }));
  return (await vscode.window.showQuickPick(items, { title: quoted(belief.text, 120) }))?.action;
}

/** Shows a place of a workspace, if it lies in it. */
async function revealed(root: string, spot: { path: string; line: number }, viewColumn: vscode.ViewColumn): Promise<void> {
  const file = documentOf({ root, ...spot });
  if (!file) return;
  const at = new vscode.Position(Math.max(0, spot.line - 1), 0);
  try {
    await vscode.window.showTextDocument(file, { viewColumn, selection: new vscode.Range(at, at) });
  } catch {
    void vscode.window.showErrorMessage(vscode.l10n.t("{0} cannot be opened.", quoted(spot.path, 200)));
  }
}

function absence(error: unknown, gone: boolean, missing: boolean): Absent {
  const retry = vscode.l10n.t("Try again");
  const log = vscode.l10n.t("Show log");
  const install = missing ? vscode.l10n.t("Install the server") : "";
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof MemoryError ? error.hint : "";
  return gone
    ? { heading: vscode.l10n.t("This belief is not there any more"), message, hint, install: "", retry: "", log: "" }
    : { heading: vscode.l10n.t("The belief could not be read"), message, hint, install, retry, log };
}

/**
 * The tab's title: its place and kind, and no word of its statement. The editor keeps titles in files of its own, also
 * of tabs that nobody sees or that are open when the window is closed, and forgetting does not reach those.
 */
function titleOf({ id, kind, anchors: [anchor] }: Belief): string {
  const place = anchor ? (anchor.symbol ?? anchor.path.split("/").at(-1)) : "";
  return `${plain(place ?? "", TITLE) || id}: ${kindWord(kind)}`;
}
