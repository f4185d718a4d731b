/**
 * Programs that are run to their end: with a time limit, lines as they come, and a tree that can be ended whole.
 *
 * Nothing is run through a shell, so nothing in a path or an argument can be read as a command.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import * as path from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** How a program ended. `code` is null when it did not end by itself; `failure` says why then. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly failure?: "not started" | "timeout" | "cancelled";
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which the program and its children are ended. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Each line of both outputs, as it comes. */
  readonly onLine?: (line: string) => void;
}

export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<Ended>;

/** Of a chatty program only the end is of interest. */
const MOST_KEPT = 1_000_000;

/** Runs a program. Never rejects: what went wrong is in the answer. */
export const run: Run = (command, args, options) =>
  new Promise((resolve) => {
    const outputs = { stdout: "", stderr: "" };
    let failure: Ended["failure"];
    let done = false;
    if (options.signal?.aborted) {
      resolve({ code: null, ...outputs, failure: "cancelled" });
      return;
    }
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(command, [...args], {
        cwd: options.cwd,
        env: { ...options.env },
        windowsHide: true,
        // a group of its own, so that what it started can be ended with it
        detached: process.platform !== "win32",
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (error) {
      // as of a batch file on Windows, which only a shell could run
      resolve({ code: null, stdout: "", stderr: error instanceof Error ? error.message : String(error), failure: "not started" });
      return;
    }
    const end = (why: Ended["failure"]): void => {
      failure ??= why;
      endTree(child.pid);
    };
    const cancel = (): void => end("cancelled");
    const timer = setTimeout(() => end("timeout"), options.timeout);
    options.signal?.addEventListener("abort", cancel, { once: true });
    const finish = (code: number | null): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", cancel);
      resolve({ code: failure ? null : code, ...outputs, ...(failure ? { failure } : {}) });
    };
    for (const name of ["stdout", "stderr"] as const) {
      const decoder = new StringDecoder("utf8");
      let rest = "";
      child[name].on("data", (data: Buffer) => {
        const text = decoder.write(data);
        outputs[name] = (outputs[name] + text).slice(-MOST_KEPT);
        const lines = (rest + text).split(/\r?\n|\r/);
        rest = lines.pop() ?? "";
        for (const line of lines) options.onLine?.(line);
      });
      child[name].on("end", () => {
        if (rest) options.onLine?.(rest);
      });
    }
    child.on("error", (error) => {
      outputs.stderr += error.message;
      failure ??= "not started";
      finish(null);
    });
    child.on("close", finish);
  });

/** Ends a process and everything that it started. Nothing happens when it is gone already. */
export function endTree(pid: number | undefined): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    // by its whole path: a name would be looked for in the current folder first
    const taskkill = path.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
    const killer = spawn(taskkill, ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" });
    killer.on("error", () => endOne(pid));
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    endOne(pid); // not the leader of a group
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone already
  }
}
