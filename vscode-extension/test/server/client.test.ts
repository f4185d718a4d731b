/** The process of a server and what the language client is told, with a client that only keeps what it was given. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type * as vscode from "vscode";
import type { LanguageClientOptions } from "vscode-languageclient";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConnectionOptions } from "../../src/server/connection";
import { cleaned } from "../../src/server/surroundings";
import { LogLevel, Uri } from "../fake/vscode";

interface Kept {
  options: LanguageClientOptions;
  sent: unknown[];
  start: () => Promise<void>;
  running: boolean;
  transport?: () => Promise<{ writer: NodeJS.WritableStream }>;
}

const client = vi.hoisted((): Kept => ({ options: {}, sent: [], start: () => Promise.resolve(), running: true }));

vi.mock("vscode-languageclient/node", () => ({
  CloseAction: { DoNotRestart: 1 },
  ErrorAction: { Continue: 1 },
  RevealOutputChannelOn: { Never: 4 },
  State: { Running: 2 },
  DidChangeConfigurationNotification: { type: "workspace/didChangeConfiguration" },
  LanguageClient: class {
    state = 2;
    constructor(_id: string, _name: string, transport: unknown, options: LanguageClientOptions) {
      client.options = options;
      client.transport = transport as NonNullable<typeof client.transport>;
    }
    onNotification(): void {}
    start = (): Promise<void> => client.start();
    isRunning = (): boolean => client.running;
    stop(): Promise<void> {
      return Promise.resolve();
    }
    sendRequest(method: unknown, params: unknown): Promise<unknown> {
      client.sent.push([method, params]);
      return new Promise(() => undefined);
    }
    sendNotification(method: unknown, params: unknown): Promise<void> {
      client.sent.push([method, params]);
      return Promise.resolve();
    }
  },
}));

const { connect, LINKED_COMMANDS } = await import("../../src/server/client");

let cwd: string;
let lines: string[];
let busy: (readonly string[])[];

/** A program that stays until it is ended, and says so. */
const STAYS = "console.error(process.argv.slice(1).join(' '), process.env.EXTRA); setInterval(() => {}, 1000)";

function options(more: Partial<ConnectionOptions> = {}): ConnectionOptions {
  const write = (line: string): void => void lines.push(line);
  const log = { info: write, warn: write, error: write, debug: write, logLevel: LogLevel.Info };
  return {
    program: { command: process.execPath, args: ["-e", STAYS], env: { EXTRA: "more" }, origin: "path", version: "0.1.0" },
    env: cleaned(process.env),
    cwd,
    log: log as unknown as vscode.LogOutputChannel,
    folders: [{ uri: Uri.file("/work/[a] b"), name: "a", index: 0 } as unknown as vscode.WorkspaceFolder],
    trusted: false,
    settings: () => ({ lens: { enabled: false } }),
    middleware: [],
    changed: () => undefined,
    closed: () => lines.push("closed"),
    busy: (titles) => busy.push(titles),
    abandoned: new AbortController().signal,
    ...more,
  };
}

beforeEach(() => {
  cwd = mkdtempSync(`${tmpdir()}/memlsp-client-`);
  lines = [];
  busy = [];
  client.sent = [];
  client.start = () => Promise.resolve();
  client.running = true;
});

afterEach(() => rmSync(cwd, { recursive: true }));

const ended = (): Promise<void> => vi.waitFor(() => expect(lines.join("\n")).toContain("the server ended"), { timeout: 10_000 });

describe("the process of a server", () => {
  test("is told the level of the log, and ended when it does not end by itself", async () => {
    const connection = await connect(options());
    await vi.waitFor(() => expect(lines).toContain("server: lsp --log-level info more"), { timeout: 10_000 });
    await connection.stop(400);
    await ended();
    expect(lines).not.toContain("closed");
  });

  test("that ends by itself is told of, once it had been there", async () => {
    await connect(options());
    void client.options.errorHandler?.closed();
    await ended();
    expect(lines).toContain("closed");
  });

  test("that hangs is ended after a question that it does not answer, and the log says so", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let silence: number | undefined;
    await connect(options({ closed: (seconds) => (silence = seconds) }));
    const child = client.transport && (await client.transport());
    child?.writer.write("an edit");
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await ended();
    void client.options.errorHandler?.closed();
    expect(silence).toBe(45);
    expect(client.sent).toEqual([["textDocument/codeLens", { textDocument: { uri: "memlsp:nothing" } }]]);
    expect(lines.join("\n")).toContain("the server has said nothing for 45 seconds");
  });

  test("is ended when nobody waits for its start any more", async () => {
    const stop = new AbortController();
    client.start = () => new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error("gone"))));
    const connecting = connect(options({ abandoned: stop.signal })).catch((error: unknown) => error);
    await vi.waitFor(() => expect(lines).toContain("server: lsp --log-level info more"), { timeout: 10_000 });
    stop.abort();
    expect(await connecting).toBeInstanceOf(Error);
    await ended();
    expect(lines).not.toContain("closed");
  });

  test("is ended when nobody waited for it any more before it was there", async () => {
    client.start = async () => {
      await ended();
      throw new Error("gone");
    };
    await expect(connect(options({ abandoned: AbortSignal.abort() }))).rejects.toThrow("gone");
  });

  test("that ended while it was starting is no running server, whatever the client says", async () => {
    client.running = false;
    await expect(connect(options())).rejects.toThrow("ended before it answered");
    await ended();
  });

  test("that cannot be started says what the system says", async () => {
    const program = { command: `${cwd}/nothing`, args: [], env: {}, origin: "path" as const, version: "0.1.0" };
    await expect(connect(options({ program }))).rejects.toThrow("ENOENT");
  });
});

describe("what the server is told", () => {
  beforeEach(async () => {
    const connection = await connect(options());
    await connection.stop(400);
  });

  test("is whether the folder is trusted, which commands may be linked, and the settings by mode", () => {
    const given = client.options.initializationOptions as () => unknown;
    expect(given()).toEqual({
      memlsp: { lens: { enabled: false }, tellChanges: true, trusted: false, commands: LINKED_COMMANDS },
    });
    expect(client.options.markdown).toEqual({ isTrusted: { enabledCommands: LINKED_COMMANDS }, supportHtml: false });
    expect(LINKED_COMMANDS).not.toContain("memlsp.remember"); // it would keep what a link says, unasked
    expect(LINKED_COMMANDS.filter((command) => !command.startsWith("memlsp."))).toEqual([]);
  });

  test("are the documents of the open folders, whatever their names hold", () => {
    const [only] = client.options.documentSelector as { pattern: { baseUri: string; pattern: string } }[];
    expect(only?.pattern.pattern).toBe("**");
    expect(decodeURIComponent(only?.pattern.baseUri ?? "")).toBe("file:///work/[a] b");
  });

  test("are the settings as they hold, when it asks and when they change", async () => {
    const middleware = client.options.middleware?.workspace;
    const items = [{ section: "memlsp" }, { section: "editor" }];
    const next = (): unknown[] => [{ raw: true }, { tabSize: 2 }];
    const answers: unknown = await middleware?.configuration?.({ items }, {} as vscode.CancellationToken, next as never);
    expect(answers).toEqual([{ lens: { enabled: false } }, { tabSize: 2 }]);
    await middleware?.didChangeConfiguration?.(undefined, () => Promise.reject(new Error("the raw section")));
    expect(client.sent).toEqual([["workspace/didChangeConfiguration", { settings: { memlsp: { lens: { enabled: false } } } }]]);
  });

  test("what it is busy with is known from begin to end", () => {
    const progress = client.options.middleware?.handleWorkDoneProgress;
    const next = vi.fn();
    progress?.("t", { kind: "begin", title: "memlsp: reading the history" }, next);
    progress?.("t", { kind: "report", message: "3 of 10" }, next);
    progress?.("t", { kind: "end" }, next);
    expect(busy).toEqual([["reading the history"], []]);
    expect(next).toHaveBeenCalledTimes(3);
  });
});
