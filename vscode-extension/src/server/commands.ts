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
    registerCommand("memlsp.status", () => status.menu()),
    registerCommand("memlsp.install", () => installing.installOrUpdate()),
    session.onDidChangeState((state) => {
      if (state === "failed") void tellFailure(session);
    }),
  );
}

/** Opens the memory in the browser: the page runs in a terminal, in which it can be seen, and ends with it. */
async function openPage(session: Session): Promise<void> {
  const program = await session.find();
  if (!program) return vscode.commands.executeCommand("memlsp.install");
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
  const where = folder ? ["-C", folder] : []; // never run in it: see Session.storage
  const { storage: cwd } = session;
  // a browser is opened by a file, which a window on another machine does not have: there the link in the terminal leads
  const opens = vscode.env.remoteName ? [] : ["--open"];
  const shellArgs = [...program.args, ...where, "web", ...opens];
  vscode.window.createTerminal({ name: "memlsp web", shellPath: program.command, shellArgs, env: program.env, cwd }).show();
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
