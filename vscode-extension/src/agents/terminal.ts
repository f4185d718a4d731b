/**
 * Commands of the editor's terminals, told to the server when the user turned that on: the line, its folder, its exit
 * code and how long it took. Never its output.
 *
 * Only lines that the shell itself vouches for count: any program can print the marks by which the editor recognises
 * commands, and a memory of what was never run would be worse than none.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** A command that ended, as the server reads it. */
export interface TerminalCommand {
  readonly id: string;
  readonly command: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

const SETTING = "capture.terminal";

export class TerminalCommands implements vscode.Disposable {
  private readonly started = new WeakMap<vscode.TerminalShellExecution, number>();
  private readonly watch: readonly vscode.Disposable[];
  private listening: vscode.Disposable[] = [];

  constructor(
    private readonly send: (command: TerminalCommand) => Promise<void>,
    private readonly ownFile: () => string = userFile,
  ) {
    this.watch = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(`memlsp.${SETTING}`)) return;
        const was = this.listening.length > 0;
        this.follow();
        if (!was && this.listening.length > 0) void tellOfOwnFile(this.ownFile());
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.follow()),
    ];
    this.follow();
  }

  /** Listens when the setting is on and the folder is trusted, and to nothing at all otherwise. */
  private follow(): void {
    const on = vscode.workspace.isTrusted && vscode.workspace.getConfiguration("memlsp").get<unknown>(SETTING) === true;
    if (on === this.listening.length > 0) return;
    for (const end of this.listening) end.dispose();
    this.listening = on
      ? [
          vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
            this.started.set(execution, performance.now());
          }),
          vscode.window.onDidEndTerminalShellExecution((event) => this.ended(event)),
        ]
      : [];
  }

  private ended({ execution, exitCode }: vscode.TerminalShellExecutionEndEvent): void {
    const { value, isTrusted } = execution.commandLine;
    // as in a shell: what begins with a space is nobody's business
    if (!isTrusted || !value.trim() || value.startsWith(" ")) return;
    const began = this.started.get(execution);
    const { cwd } = execution;
    const command: TerminalCommand = {
      id: randomUUID(),
      command: value,
      ...(cwd?.scheme === "file" ? { cwd: cwd.toString() } : {}),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(began === undefined ? {} : { durationMs: Math.round(performance.now() - began) }),
    };
    this.send(command).catch(() => undefined); // a server that is not there keeps nothing, and nobody waits for it
  }

  dispose(): void {
    for (const end of [...this.watch, ...this.listening]) end.dispose();
  }
}

/** Says what else is needed: the server asks the user's own file too, which no repository can write. */
export async function tellOfOwnFile(file: string): Promise<void> {
  const said = await readFile(file, "utf8").catch(() => undefined);
  if (said !== undefined && /^\s*terminals\s*=\s*true\b/m.test(said)) return;
  const open = vscode.l10n.t("Open this file");
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      "Commands of terminals are kept once your own memlsp settings say so too: `terminals = true` below `[capture]` in {0}.",
      file,
    ),
    open,
  );
  if (chosen !== open) return;
  if (said !== undefined) {
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    return;
  }
  // there is none yet: it is shown as it could be, and written when the user saves it
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file).with({ scheme: "untitled" }));
  const editor = await vscode.window.showTextDocument(document);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "[capture]\nterminals = true\n"));
}

/** Where the user's settings of memlsp are: as `memlsp/capture/settings/settings.py` says it. */
export function userFile(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  const chosen = env["MEMLSP_CONFIG"]?.trim();
  if (chosen) return path.resolve(chosen.replace(/^~(?=$|[\\/])/, homedir()));
  if (platform === "win32") {
    return path.join(env["LOCALAPPDATA"] || path.join(homedir(), "AppData", "Local"), "memlsp", "config.toml");
  }
  const base =
    platform === "darwin"
      ? path.join(homedir(), "Library", "Application Support")
      : env["XDG_CONFIG_HOME"]?.trim() || path.join(homedir(), ".config");
  return path.join(base, "memlsp", "config.toml");
}
