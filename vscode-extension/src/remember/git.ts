/** As much of the editor's git extension as is needed to see that somebody committed. Typed here: it ships no types. */
import * as vscode from "vscode";
import { isRecord } from "./named";

export interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly commitDate?: Date;
  readonly authorEmail?: string;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly HEAD?: { readonly commit?: string } | undefined; readonly onDidChange: vscode.Event<void> };
  getCommit(ref: string): Promise<GitCommit>;
  getConfig(key: string): Promise<string>;
}

export interface Git {
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  readonly onDidCloseRepository: vscode.Event<GitRepository>;
}

/** The git extension's interface; undefined where it is not installed, turned off, or speaks another version. */
export async function findGit(): Promise<Git | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("vscode.git");
  if (!extension) return undefined;
  try {
    const offered: unknown = extension.isActive ? extension.exports : await extension.activate();
    if (!isRecord(offered) || offered["enabled"] === false || typeof offered["getAPI"] !== "function") return undefined;
    const api: unknown = (offered["getAPI"] as (version: number) => unknown).call(offered, 1);
    return isGit(api) ? api : undefined;
  } catch {
    return undefined; // it throws when git itself was not found
  }
}

function isGit(value: unknown): value is Git {
  return (
    isRecord(value) && Array.isArray(value["repositories"]) && typeof value["onDidOpenRepository"] === "function"
  );
}
