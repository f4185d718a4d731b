/** The server's state in the language status of files, with a menu behind it. Never a box. */
import * as vscode from "vscode";
import type { State } from "../memory";
import { harmless } from "../remember/asked";
import { currentMode, describeMode } from "../settings/modes";
import { originText } from "./origins";
import type { Session } from "./session";

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("memlsp.status", { scheme: "file" });
  private readonly listening: vscode.Disposable[];

  constructor(private readonly session: Session) {
    const show = (): void => this.show();
    this.listening = [
      session.onDidChangeState(show),
      session.onDidChangeProgram(show),
      session.onDidChangeBusy(show),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("memlsp.mode")) show();
      }),
    ];
    this.item.name = "memlsp";
    show();
  }

  dispose(): void {
    for (const each of [...this.listening, this.item]) each.dispose();
  }

  /** The menu: what is, and what can be done about it. */
  async menu(): Promise<void> {
    const { t } = vscode.l10n;
    const { state, program } = this.session;
    const entries: (vscode.QuickPickItem & { command: string })[] = [];
    const add = (icon: string, label: string, command: string, description = ""): void => {
      entries.push({ label, description, command, iconPath: new vscode.ThemeIcon(icon) });
    };
    if (state === "missing" || state === "failed") add("cloud-download", t("Install the server"), "memlsp.install");
    if (state === "untrusted") add("shield", t("Manage workspace trust"), "workbench.trust.manage");
    if (state !== "idle") add("debug-restart", t("Restart the server"), "memlsp.restart");
    add("settings", t("Change the mode…"), "memlsp.mode", describeMode(currentMode()).name);
    const team = state === "running" ? await this.team() : undefined;
    if (team !== undefined) add("organization", t("Exchange with the team"), "memlsp.team", team);
    add("pulse", t("Run the doctor"), "memlsp.doctor");
    add("output", t("Show the log"), "memlsp.showLog");
    if (program?.origin === "managed") add("cloud-download", t("Update the server"), "memlsp.install", program.version);
    const title = [this.sentence(), this.session.mishap, ...this.session.busy].filter(Boolean).join(" · ");
    const chosen = await vscode.window.showQuickPick(entries, { title, placeHolder: this.where() });
    if (chosen) await vscode.commands.executeCommand(chosen.command);
  }

  /** What the exchange is at, in a few words; undefined where none is set up. */
  private async team(): Promise<string | undefined> {
    const { t } = vscode.l10n;
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.toString();
    const found = await this.session.ask("memlsp/team", folder ? { uri: folder } : {}).catch(() => undefined);
    if (!found?.address) return undefined;
    if (found.problem) return harmless(found.problem);
    return t("{0} machines, {1} wait for you", found.machines, found.waiting);
  }

  private show(): void {
    const { state, program, busy, mishap } = this.session;
    const sentence = this.sentence();
    const mode = describeMode(currentMode()).name;
    this.item.text = state === "running" ? `memlsp ${program?.version ?? ""}` : sentence;
    this.item.detail = [...(state === "running" ? [mode, ...busy.map(harmless)] : []), mishap].filter(Boolean).join(" · ");
    this.item.busy = busy.length > 0 || BUSY.has(state);
    this.item.severity = severityOf(state);
    this.item.command = { command: "memlsp.status", title: vscode.l10n.t("Menu"), tooltip: this.where() };
    this.item.accessibilityInformation = { label: [sentence, mode, ...busy, mishap].filter(Boolean).join(", ") };
  }

  private where(): string {
    const { program } = this.session;
    if (!program) return "";
    return vscode.l10n.t("From {0}: {1}", originText(program.origin), program.command);
  }

  private sentence(): string {
    const { t } = vscode.l10n;
    const { state, program, lastFound } = this.session;
    switch (state) {
      case "idle":
        return t("memlsp: no folder is open");
      case "looking":
        return t("memlsp: looking for the server");
      case "installing":
        return t("memlsp: installing");
      case "starting":
        return t("memlsp: starting");
      case "running":
        return t("memlsp {0} is running", program?.version ?? "");
      case "stopped":
        return t("memlsp has stopped");
      case "missing":
        return lastFound?.problem ? t("memlsp: the server cannot be used") : t("memlsp: no server was found");
      case "untrusted":
        return t("memlsp: this folder is not trusted");
      case "failed":
        return t("memlsp: the server keeps ending");
    }
  }
}

const BUSY: ReadonlySet<State> = new Set<State>(["looking", "installing", "starting"]);

function severityOf(state: State): vscode.LanguageStatusSeverity {
  if (state === "failed") return vscode.LanguageStatusSeverity.Error;
  if (state === "missing" || state === "untrusted") return vscode.LanguageStatusSeverity.Warning;
  return vscode.LanguageStatusSeverity.Information;
}
