/**
 * One server's process and the language client that speaks with it.
 *
 * The only module that loads the language client, which costs more than everything else together: it is imported when a
 * server is about to start, never on activation. The client shows no boxes of its own; the session says what is wrong.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State as ClientState,
} from "vscode-languageclient/node";
import type { Connect, Connection, ConnectionOptions } from "./connection";
import { endTree } from "./processes";
import { levelFor, passOn } from "./server-log";
import { Watchdog } from "./watchdog";

/** What a link in a hover of the server may run, and nothing else. */
export const LINKED_COMMANDS: readonly string[] = [
  "memlsp.openBelief",
  "memlsp.peek",
  "memlsp.settle",
  "memlsp.belief.confirm",
  "memlsp.belief.supersede",
  "memlsp.belief.retire",
];

/** A document that no server knows: asked about it, a server has nothing to do but to answer. */
const NO_DOCUMENT = { textDocument: { uri: "memlsp:nothing" } };

/** Milliseconds until a server that does not answer `initialize` is given up. */
const PATIENCE = 60_000;

export const connect: Connect = async (options) => {
  const child = await start(options);
  let ready = false;
  let stopping = false;
  const transport = () => Promise.resolve({ reader: child.stdout, writer: child.stdin });
  let silence: number | undefined;
  let stopWatching = (): void => undefined;
  const client: LanguageClient = new QuietClient("memlsp", "memlsp", transport, {
    ...clientOptions(options, () => client),
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        stopWatching();
        if (child.exitCode === null && child.signalCode === null) endTree(child.pid); // deaf, but still there
        if (ready && !stopping) options.closed(silence);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  });
  client.onNotification("memlsp/changed", () => options.changed());
  const giveUp = (): void => endTree(child.pid);
  const timer = setTimeout(giveUp, PATIENCE);
  options.abandoned.addEventListener("abort", giveUp);
  if (options.abandoned.aborted) giveUp(); // while the process was being started
  try {
    const started = client.start();
    // the client forgets its own promise when the server ends meanwhile: a second call holds it, and the first resolves
    client.start().catch(() => undefined);
    await started;
    if (!client.isRunning()) throw new Error("the server ended before it answered");
  } catch (error) {
    endTree(child.pid);
    throw error;
  } finally {
    clearTimeout(timer);
    options.abandoned.removeEventListener("abort", giveUp);
  }
  ready = true;
  const watchdog = new Watchdog({
    traffic: () => ({ sent: bytes(child.stdin, "bytesWritten"), heard: bytes(child.stdout, "bytesRead") + bytes(child.stderr, "bytesRead") }),
    ask: () => client.sendRequest<unknown>("textDocument/codeLens", NO_DOCUMENT),
    hangs: (seconds) => {
      options.log.error(`the server has said nothing for ${seconds} seconds: it is ended and started again`);
      silence = seconds;
      endTree(child.pid); // the client hears that it is gone
    },
  });
  stopWatching = () => watchdog.dispose();
  const connection: Connection = {
    pid: child.pid,
    // a token that is not there would count as a second parameter, and both would be sent as a list
    request: (method, params, token) =>
      token ? client.sendRequest<unknown>(method, params, token) : client.sendRequest<unknown>(method, params),
    notify: (method, params) => client.sendNotification(method, params),
    stop: async (patience) => {
      stopping = true;
      stopWatching();
      await client.stop(patience).catch(() => undefined);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit").catch(() => undefined);
      const last = setTimeout(() => endTree(child.pid), Math.min(300, patience / 4));
      let given: ReturnType<typeof setTimeout> | undefined;
      // one that cannot be ended keeps nobody from starting another
      await Promise.race([exited, new Promise((resolve) => (given = setTimeout(resolve, patience)))]);
      clearTimeout(last);
      clearTimeout(given);
    },
  };
  return connection;
};

/** How much went through a pipe, which in Node is a socket. */
function bytes(pipe: object, which: "bytesRead" | "bytesWritten"): number {
  const count: unknown = Reflect.get(pipe, which);
  return typeof count === "number" ? count : 0;
}

/** The language client, without its boxes. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** One that never ran has nothing to stop. */
  override async stop(timeout?: number): Promise<void> {
    if (this.state === ClientState.Running) await super.stop(timeout);
  }
}

async function start(options: ConnectionOptions): Promise<ChildProcessWithoutNullStreams> {
  const { program, env, cwd, log } = options;
  const args = [...program.args, "lsp", "--log-level", levelFor(log.logLevel)];
  log.info(`${program.command} ${args.join(" ")}`);
  const child = spawn(program.command, args, {
    cwd,
    env: { ...env, ...program.env },
    windowsHide: true,
    detached: process.platform !== "win32", // so that its children end with it, should it have to be killed
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined); // it ended while something was sent; the connection says so
  createInterface({ input: child.stderr, crlfDelay: Infinity }).on("line", (line) => passOn(line, log));
  await once(child, "spawn"); // rejects with what the system says
  child.on("exit", (code, signal) => log.info(`the server ended: ${signal ?? `exit code ${code ?? "unknown"}`}`));
  return child;
}

function clientOptions(options: ConnectionOptions, client: () => LanguageClient): LanguageClientOptions {
  return {
    documentSelector: options.folders.map(({ uri }) => ({
      scheme: uri.scheme,
      pattern: { baseUri: uri.toString(), pattern: "**" },
    })),
    outputChannel: options.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    markdown: { isTrusted: { enabledCommands: LINKED_COMMANDS }, supportHtml: false },
    initializationOptions: () => ({
      memlsp: { ...options.settings(), tellChanges: true, trusted: options.trusted, commands: LINKED_COMMANDS },
    }),
    initializationFailedHandler: () => false,
    middleware: middlewareFor(options, client),
  };
}

function middlewareFor(options: ConnectionOptions, client: () => LanguageClient): Middleware {
  const busy = new Map<string | number, string>();
  const told = (): void => options.busy([...busy.values()]);
  const own: Middleware = {
    workspace: {
      configuration: async (params, token, next) => {
        const answers: unknown = await next(params, token);
        if (!Array.isArray(answers)) return [];
        return answers.map((answer: unknown, place) =>
          params.items[place]?.section === "memlsp" ? options.settings() : answer,
        );
      },
      // the section as it stands in the files lacks what the mode says
      didChangeConfiguration: () =>
        client().sendNotification(DidChangeConfigurationNotification.type, { settings: { memlsp: options.settings() } }),
    },
    handleWorkDoneProgress: (token, params, next) => {
      if (params.kind === "begin") busy.set(token, params.title.replace(/^memlsp: /, ""));
      if (params.kind === "end") busy.delete(token);
      if (params.kind !== "report") told();
      next(token, params);
    },
  };
  return Object.assign(own, ...options.middleware) as Middleware;
}
