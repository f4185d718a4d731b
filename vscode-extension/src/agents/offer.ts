/** What agents in the editor are offered: for each folder of the workspace one MCP server, started as the language server is. */
import * as vscode from "vscode";
import { cleaned } from "../server/surroundings";
import type { ServerProgram } from "../server/program";

/** Where the program comes from that serves this window. */
export interface Programs {
  /** The one found last, if any. */
  readonly program: ServerProgram | undefined;
  readonly onDidChangeProgram: vscode.Event<void>;
  /** A folder of the extension's own, in which programs are started: nothing of the user's can lead them astray there. */
  readonly storage: string;
  /** Looks for it; starts and installs nothing. */
  find(): Promise<ServerProgram | undefined>;
}

/** A folder with the name under which its memory is offered. */
export interface Offered {
  readonly label: string;
  readonly folder: vscode.Uri;
}

/** One for each folder on this machine; none where the user switched it off or does not trust the folders. */
export function offers(): Offered[] {
  if (!vscode.workspace.isTrusted || !isOn()) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  if (folders.length === 1) return folders.map(({ uri }) => ({ label: "memlsp", folder: uri }));
  const seen = new Map<string, number>();
  return folders.map(({ name, uri }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { label: times === 1 ? `memlsp (${name})` : `memlsp (${name} ${times})`, folder: uri };
  });
}

/** Fires when the folders, their trust, the program or the setting changed. */
export function onDidChangeOffers(programs: Programs, changed: () => unknown): vscode.Disposable {
  return vscode.Disposable.from(
    programs.onDidChangeProgram(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("memlsp.agents.mcp") && changed()),
  );
}

/** The arguments behind the program, for the memory of a folder. */
export function mcpArguments(program: ServerProgram, folder: vscode.Uri): string[] {
  return [...program.args, "mcp", "--root", folder.fsPath];
}

/** Names of this process's variables that no server may inherit. */
export function unwanted(env: NodeJS.ProcessEnv = process.env): string[] {
  const kept = cleaned(env);
  return Object.keys(env).filter((name) => !(name in kept));
}

function isOn(): boolean {
  return vscode.workspace.getConfiguration("memlsp").get("agents.mcp", true);
}
