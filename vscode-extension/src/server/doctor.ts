/**
 * The doctor: what the server finds when it looks at itself, and how it was found, as a document to read or to send.
 *
 * Works without a running server too, as long as there is one: it is then run once for this.
 */
import * as vscode from "vscode";
import type { Check } from "../wire";
import { originText } from "./origins";
import { type ServerProgram, spoken } from "./program";
import type { Session } from "./session";

const SCHEME = "memlsp-doctor";

/** Milliseconds that the server may take to look at itself: a large store takes a while. */
const PATIENCE = 120_000;

export class Doctor implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private report = "";
  readonly onDidChange = this.changed.event;

  constructor(private readonly session: Session) {}

  provideTextDocumentContent(): string {
    return this.report;
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Looks at everything and shows what was found. */
  async show(): Promise<void> {
    const title = vscode.l10n.t("memlsp: looking at itself");
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () => {
      this.report = await this.write();
    });
    const uri = vscode.Uri.parse(`${SCHEME}:${vscode.l10n.t("memlsp doctor")}`);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  private async write(): Promise<string> {
    const { t } = vscode.l10n;
    const { session } = this;
    const program = await session.find();
    const { version } = session.context.extension.packageJSON as { version?: unknown };
    const remote = vscode.env.remoteName ? `, ${vscode.env.remoteName}` : "";
    const lines = [
      t("memlsp doctor"),
      "",
      t("Extension: {0}, in {1} {2} on {3} {4}{5}", String(version), vscode.env.appName, vscode.version, process.platform, process.arch, remote),
      t("Server: {0}", session.state),
      ...(program ? [`  ${spoken(program)}`, `  ${t("version {0}, from {1}", program.version, originText(program.origin))}`] : []),
      ...(session.failure ? [`  ${session.failure}`] : []),
      "",
      t("Where the server was looked for"),
      ...(session.lastFound?.looked ?? []).map(({ origin, said }) => `  ${originText(origin)}: ${said}`),
      "",
      t("What it finds"),
      ...(program ? await this.findings(program) : [`  ${t("There is no server to ask. Run the command {0}.", t("Install the server"))}`]),
    ];
    return `${lines.join("\n")}\n`;
  }

  private async findings(program: ServerProgram): Promise<string[]> {
    try {
      const checks = this.session.state === "running" ? await this.asked() : await this.ran(program);
      return checks.flatMap(lineOf);
    } catch (error) {
      return [`  ${error instanceof Error ? error.message : String(error)}`];
    }
  }

  private async asked(): Promise<readonly Check[]> {
    const uri = (vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString();
    return (await this.session.ask("memlsp/doctor", uri?.startsWith("file:") ? { uri } : {})).checks;
  }

  private async ran(program: ServerProgram): Promise<readonly Check[]> {
    const { surroundings, storage } = this.session;
    const env = { ...surroundings.env, ...program.env };
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
    const where = vscode.workspace.isTrusted && folder ? ["-C", folder] : []; // never run in it: see Session.storage
    const args = [...program.args, ...where, "doctor", "--json"];
    const ended = await surroundings.run(program.command, args, { cwd: storage, env, timeout: PATIENCE });
    const said: unknown = JSON.parse(ended.stdout || "null");
    if (!Array.isArray(said)) throw new Error(ended.stderr.trim().split("\n").at(-1) ?? "");
    return said.filter(isCheck);
  }
}

function lineOf({ name, ok, message, advice }: Check): string[] {
  const { t } = vscode.l10n;
  const mark = ok === null ? t("note") : ok ? t("fine") : t("PROBLEM");
  const line = `  ${mark.padEnd(8)} ${name}: ${message}`;
  return advice && !ok ? [line, `  ${" ".repeat(8)} → ${advice}`] : [line];
}

function isCheck(value: unknown): value is Check {
  if (typeof value !== "object" || value === null) return false;
  const { name, ok, message, advice } = value as Partial<Record<keyof Check, unknown>>;
  return (
    typeof name === "string" &&
    (ok === null || typeof ok === "boolean") &&
    typeof message === "string" &&
    typeof advice === "string"
  );
}
