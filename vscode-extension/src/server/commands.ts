/** The commands about the server, the status item, and the one box there is when it keeps ending. */
import * as vscode from "vscode";
import { Doctor } from "./doctor";
import { Installing } from "./installing";
import type { Session } from "./session";
import { Status } from "./status";

export function registerServerCommands(
  context: vscode.ExtensionContext,
  session: Session,
  log: vscode.LogOutputChannel,
): void {
  const doctor = new Doctor(session);
  const status = new Status(session);
  const installing = new Installing(session, () => log.show());
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    doctor,
    status,
    installing,
    registerCommand("memlsp.restart", () => session.restart()),
    registerCommand("memlsp.showLog", () => log.show()),
    registerCommand("memlsp.doctor", () => doctor.show()),
    registerCommand("memlsp.web", () => openPage(session)),
    registerCommand("memlsp.team", () => inTerminal(session, "team", "status")),
    registerCommand("memlsp.status", () => status.menu()),
    registerCommand("memlsp.install", () => installing.installOrUpdate()),
    session.onDidChangeState((state) => {
      if (state === "failed") void tellFailure(session);
    }),
  );
}

/** Opens the memory in the browser: the page runs in a terminal, in which it can be seen, and ends with it. */
async function openPage(session: Session): Promise<void> {
  // a browser is opened by a file, which a window on another machine does not have: there the link in the terminal leads
  await inTerminal(session, "web", ...(vscode.env.remoteName ? [] : ["--open"]));
}

/** Runs a command of memlsp in a terminal, where a person sees it and goes on by himself. */
async function inTerminal(session: Session, command: string, ...words: string[]): Promise<void> {
  const program = await session.find();
  if (!program) {
    await vscode.commands.executeCommand("memlsp.install");
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
  const where = folder ? ["-C", folder] : []; // never run in it: see Session.storage
  const { storage: cwd } = session;
  const shellArgs = [...program.args, ...where, command, ...words];
  const name = `memlsp ${command}`;
  vscode.window.createTerminal({ name, shellPath: program.command, shellArgs, env: program.env, cwd }).show();
}

async function tellFailure(session: Session): Promise<void> {
  const { t } = vscode.l10n;
  const ways = new Map([
    [t("Restart"), "memlsp.restart"],
    [t("Show log"), "memlsp.showLog"],
    [t("Run the doctor"), "memlsp.doctor"],
  ]);
  const answer = await vscode.window.showErrorMessage(session.failure, ...ways.keys());
  const command = answer === undefined ? undefined : ways.get(answer);
  if (command) await vscode.commands.executeCommand(command);
}
