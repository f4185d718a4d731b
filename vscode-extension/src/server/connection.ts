/** A running server as the session sees it. Made by `client.ts`, the only module that loads the language client. */
import type * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import type { ServerProgram } from "./program";

export interface Connection {
  /** The server's process. */
  readonly pid: number | undefined;
  request(method: string, params: unknown, token?: vscode.CancellationToken): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  /** Asks the server to end and sees to it that it does, within `patience` milliseconds. */
  stop(patience: number): Promise<void>;
}

export interface ConnectionOptions {
  readonly program: ServerProgram;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly log: vscode.LogOutputChannel;
  /** Folders whose documents the server is told of. */
  readonly folders: readonly vscode.WorkspaceFolder[];
  readonly trusted: boolean;
  /** The section `memlsp` as the server is to have it. */
  readonly settings: () => Record<string, unknown>;
  readonly middleware: readonly Partial<Middleware>[];
  /** The server told that something moved. */
  readonly changed: () => void;
  /** The server is gone, and nobody asked it to go; after so many seconds of silence where it hung. Not called when
   * `connect` rejects. */
  readonly closed: (silence?: number) => void;
  /** What the server is busy with; empty when with nothing. */
  readonly busy: (titles: readonly string[]) => void;
  /** Nobody waits for this start any more. */
  readonly abandoned: AbortSignal;
}

/** Starts a server; resolves when it has answered `initialize`. */
export type Connect = (options: ConnectionOptions) => Promise<Connection>;
