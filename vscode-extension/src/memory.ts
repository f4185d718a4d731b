/**
 * What the rest of the extension knows of the server: requests, and that something moved.
 *
 * Views, pages and commands take a `Memory` and nothing of `server/`, so their tests need neither a process nor an editor.
 */
import type { CancellationToken, Event } from "vscode";
import type { Requests } from "./wire";

export type Method = keyof Requests;

/**
 * How far the server is. `idle`: no folder is open, nothing was looked for. `missing`: no server was found and none may be
 * installed without asking. `untrusted`: the folder is not trusted and the extension brings no server of its own.
 */
export type State =
  | "idle"
  | "looking"
  | "installing"
  | "starting"
  | "running"
  | "stopped"
  | "missing"
  | "untrusted"
  | "failed";

export interface Memory {
  readonly state: State;
  readonly onDidChangeState: Event<State>;
  /** What is remembered, or the code that it speaks of, moved: look again. At most a few times a second. */
  readonly onDidChange: Event<void>;
  /** Asks the server; waits for one that is starting. Rejects with a MemoryError. */
  ask<M extends Method>(method: M, params: Requests[M]["params"], token?: CancellationToken): Promise<Requests[M]["answer"]>;
}

/** What could not be done, as a sentence, and what to do about it. */
export class MemoryError extends Error {
  constructor(
    message: string,
    readonly hint = "",
    /** The user has been told. */
    readonly shown = false,
    /** What was asked for is not there, or not there any more. */
    readonly missing = false,
  ) {
    super(message);
    this.name = "MemoryError";
  }
}
