import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MemoryError, type State } from "../../src/memory";
import type { Connection, ConnectionOptions } from "../../src/server/connection";
import { Session } from "../../src/server/session";
import { extensionContext } from "../fake/context";
import { CancellationTokenSource, EventEmitter, fake, LogLevel, Uri, workspace } from "../fake/vscode";
import { Machine } from "./machine";

/** A server of a test: what was asked of it, and what it answers. */
class FakeServer implements Connection {
  readonly pid = 1;
  readonly asked: { method: string; params: unknown }[] = [];
  stopped = false;
  answer: (method: string) => unknown = () => ({});
  constructor(readonly options: ConnectionOptions) {}
  request(method: string, params: unknown): Promise<unknown> {
    this.asked.push({ method, params });
    return Promise.resolve().then(() => this.answer(method));
  }
  notify(): Promise<void> {
    return Promise.resolve();
  }
  stop(): Promise<void> {
    this.stopped = true;
    return Promise.resolve();
  }
}

let storage: string;
let machine: Machine;
let servers: FakeServer[];
let states: State[];
let session: Session;
let connecting: (options: ConnectionOptions) => Promise<void>;
let logLevelMoved: EventEmitter<unknown>;

function begin(): Promise<void> {
  logLevelMoved = new EventEmitter<unknown>();
  const write = (): void => undefined;
  const log = { info: write, warn: write, error: write, debug: write, logLevel: LogLevel.Info, onDidChangeLogLevel: logLevelMoved.event };
  const context = { ...extensionContext("/extension"), globalStorageUri: Uri.file(storage) };
  session = new Session(context as unknown as vscode.ExtensionContext, log as unknown as vscode.LogOutputChannel, {
    surroundings: machine,
    interpreter: () => Promise.resolve(undefined),
    connect: async (options) => {
      await connecting(options);
      const server = new FakeServer(options);
      servers.push(server);
      return server;
    },
  });
  session.onDidChangeState((state) => states.push(state));
  return session.begin();
}

const last = (): FakeServer => {
  const server = servers.at(-1);
  if (!server) throw new Error("no server was started");
  return server;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  fake.reset();
  storage = mkdtempSync(join(tmpdir(), "memlsp-session-"));
  machine = new Machine().server("/usr/bin/memlsp");
  servers = [];
  states = [];
  connecting = () => Promise.resolve();
  workspace.workspaceFolders = [{ uri: Uri.file("/work/project"), name: "project", index: 0 }];
});

afterEach(async () => {
  await Session.endAll();
  vi.useRealTimers();
  rmSync(storage, { recursive: true });
});

/** Until the session is in a state; what lies between is promises and the timers of the test. */
async function until(state: State): Promise<void> {
  await vi.waitFor(
    async () => {
      await vi.advanceTimersByTimeAsync(50);
      expect(session.state).toBe(state);
    },
    { timeout: 5_000, interval: 1 },
  );
}

describe("a window", () => {
  test("without a folder starts nothing and looks for nothing", async () => {
    workspace.workspaceFolders = undefined;
    await begin();
    expect(session.state).toBe("idle");
    expect(machine.ran).toEqual([]);
    await expect(session.ask("memlsp/review", {})).rejects.toThrow("No folder is open.");
  });

  test("with a folder starts one server outside of it, and says how far it is", async () => {
    await begin();
    expect(states).toEqual(["idle", "looking", "starting", "running"]);
    expect(last().options).toMatchObject({ cwd: storage, trusted: true, program: { command: "/usr/bin/memlsp" } });
    const contexts = fake.ran.filter(({ id }) => id === "setContext").map(({ args }) => args.join("="));
    expect(contexts.slice(-2)).toEqual(["memlsp.state=running", "memlsp.running=true"]);
  });

  test("starts a server when a folder is opened, and a new one for the folders when another is", async () => {
    const [folder] = workspace.workspaceFolders ?? [];
    if (!folder) throw new Error("no folder");
    workspace.workspaceFolders = undefined;
    await begin();
    workspace.workspaceFolders = [folder];
    fake.foldersMoved.fire({});
    await until("running");
    workspace.workspaceFolders = [folder, { uri: Uri.file("/work/other"), name: "other", index: 1 }];
    fake.foldersMoved.fire({});
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(50);
      expect(servers).toHaveLength(2);
    });
    expect(servers[0]?.stopped).toBe(true);
    expect(last().options.folders).toHaveLength(2);
  });

  test("of folders that lie elsewhere than on a disk starts nothing", async () => {
    workspace.workspaceFolders = [{ uri: Uri.parse("vscode-vfs://github/a/b"), name: "b", index: 0 }];
    await begin();
    expect(session.state).toBe("idle");
  });
});

describe("trust", () => {
  test("that is not there keeps what is installed on this machine from running", async () => {
    workspace.isTrusted = false;
    await begin();
    expect(session.state).toBe("untrusted");
    expect(machine.ran).toEqual([]);
    await expect(session.ask("memlsp/recall", { query: "x" })).rejects.toThrow("This folder is not trusted.");
  });

  test("that is granted starts the server", async () => {
    workspace.isTrusted = false;
    await begin();
    workspace.isTrusted = true;
    fake.trustGranted.fire();
    await until("running");
    expect(last().options.trusted).toBe(true);
  });
});

describe("settings", () => {
  test("that name another program start it, once for all that changed together", async () => {
    machine.server("/opt/memlsp", "0.2.0");
    await begin();
    fake.settings.set("memlsp.path", "/opt/memlsp");
    for (const name of ["memlsp.path", "memlsp.server.python"]) {
      fake.configurationMoved.fire({ affectsConfiguration: (asked) => asked === name });
    }
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(50);
      expect(session.program?.command).toBe("/opt/memlsp");
      expect(session.state).toBe("running");
    });
    expect(servers).toHaveLength(2);
  });

  test("that change nothing about what runs leave the server alone", async () => {
    await begin();
    fake.configurationMoved.fire({ affectsConfiguration: (asked) => asked.startsWith("memlsp.server.python") });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(servers).toHaveLength(1);
    expect(last().stopped).toBe(false);
  });

  test("that name nothing of use say so instead of taking another program", async () => {
    fake.settings.set("memlsp.path", "/nowhere/memlsp");
    await begin();
    expect(session.state).toBe("missing");
    expect(session.lastFound?.problem).toContain("/nowhere/memlsp");
  });
});

describe("what arrives while the server starts", () => {
  /** Starts up to the server's answer, lets `arrive` come in between, and lets the server answer. */
  async function starting(arrive: () => void): Promise<void> {
    let go = (): void => undefined;
    let begun = 0;
    connecting = () => {
      begun += 1;
      return begun === 1 ? new Promise((resolve) => (go = resolve)) : Promise.resolve();
    };
    const beginning = begin();
    await vi.waitFor(() => expect(session.state).toBe("starting"));
    arrive();
    await session.find(); // what was looked up again is known now
    await vi.advanceTimersByTimeAsync(1_000);
    go();
    await beginning;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(session.state).toBe("running");
  }
  const settingsArrive = (): void => fake.configurationMoved.fire({ affectsConfiguration: () => true });

  test("starts no second one where it changes nothing", async () => {
    await starting(() => {
      settingsArrive();
      logLevelMoved.fire(LogLevel.Info);
      fake.trustGranted.fire();
      fake.foldersMoved.fire({});
    });
    expect(servers).toHaveLength(1);
    expect(last().stopped).toBe(false);
  });

  test("starts another one where it names another program", async () => {
    machine.server("/opt/memlsp", "0.2.0");
    await starting(() => {
      fake.settings.set("memlsp.path", "/opt/memlsp");
      settingsArrive();
    });
    expect(last().options.program.command).toBe("/opt/memlsp");
    expect(servers.filter(({ stopped }) => !stopped)).toHaveLength(1);
  });

  test("and is there before the server was found counts at once: trust and the program it names", async () => {
    workspace.isTrusted = false;
    machine.server("/opt/memlsp", "0.2.0");
    const beginning = begin();
    session.onDidChangeState((state) => {
      if (state !== "looking") return;
      workspace.isTrusted = true;
      fake.trustGranted.fire();
      fake.settings.set("memlsp.path", "/opt/memlsp");
      settingsArrive();
    });
    await beginning;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(servers).toHaveLength(1);
    expect(last().options).toMatchObject({ trusted: true, program: { command: "/opt/memlsp" } });
    expect(states).toEqual(["idle", "looking", "starting", "running"]);
  });
});

describe("restarts", () => {
  test("that are asked for at once are one after the other, and the last counts", async () => {
    await begin();
    await Promise.all([session.restart(), session.restart(), session.restart()]);
    expect(session.state).toBe("running");
    expect(servers.filter(({ stopped }) => !stopped)).toHaveLength(1);
    expect(servers.length).toBeLessThanOrEqual(3);
  });

  test("bring a server back that ended by itself", async () => {
    await begin();
    last().options.closed();
    expect(session.state).toBe("starting");
    await until("running");
    expect(servers).toHaveLength(2);
  });

  test("bring a server back that hung, and say so until somebody restarts it", async () => {
    await begin();
    last().options.closed(45);
    await until("running");
    expect(servers).toHaveLength(2);
    expect(session.mishap).toMatch(/^started again at .*: it had not answered for 45 seconds$/);
    await session.restart();
    expect(session.mishap).toBe("");
  });

  test("end when it ends four times within three minutes, and a restart by hand begins anew", async () => {
    await begin();
    for (let end = 0; end < 3; end += 1) {
      last().options.closed();
      await until("running");
    }
    last().options.closed();
    expect(session.state).toBe("failed");
    expect(session.failure).toContain("several times");
    await expect(session.ask("memlsp/review", {})).rejects.toThrow("not running");
    await session.restart();
    expect(session.state).toBe("running");
    expect(session.failure).toBe("");
  });

  test("go on for ever when there is time between", async () => {
    await begin();
    for (let end = 0; end < 6; end += 1) {
      last().options.closed();
      await until("running");
      await vi.advanceTimersByTimeAsync(2 * 60_000);
    }
    expect(session.state).toBe("running");
  });

  test("of a server that does not start end as well", async () => {
    connecting = () => Promise.reject(new Error("it does not start"));
    await begin();
    await until("failed");
    expect(servers).toEqual([]);
  });

  test("look anew, because the program may have gone away", async () => {
    await begin();
    machine.put("/usr/bin/memlsp", { code: 127, stderr: "gone" });
    machine.server("/usr/local/bin/memlsp", "0.4.0");
    last().options.closed();
    await until("running");
    expect(session.program?.version).toBe("0.4.0");
  });
});

test("a storage that cannot be written is told of, and does not leave the window waiting", async () => {
  writeFileSync(join(storage, "file"), "");
  storage = join(storage, "file", "storage");
  await begin();
  expect(session.state).toBe("failed");
  expect(session.failure).toContain("could not look for its server");
  storage = join(storage, "..", "..");
});

describe("a question", () => {
  test("waits for the server that is starting", async () => {
    let go = (): void => undefined;
    connecting = () => new Promise((resolve) => (go = resolve));
    const beginning = begin();
    await vi.waitFor(() => expect(session.state).toBe("starting"));
    const answer = session.ask("memlsp/review", { limit: 3 });
    go();
    await beginning;
    expect(await answer).toEqual({});
    expect(last().asked).toEqual([{ method: "memlsp/review", params: { limit: 3 } }]);
  });

  test("waits while the server is restarted", async () => {
    await begin();
    let go = (): void => undefined;
    const before = last();
    before.stop = () => new Promise((resolve) => (go = resolve));
    const restarting = session.restart();
    await vi.waitFor(() => expect(session.state).toBe("stopped"));
    const answer = session.ask("memlsp/review", {});
    go();
    await restarting;
    await answer;
    expect(before.asked).toEqual([]);
    expect(last().asked).toHaveLength(1);
  });

  test("that waits when the window ends is refused", async () => {
    connecting = ({ abandoned }) => new Promise((_, reject) => abandoned.addEventListener("abort", () => reject(new Error("ended"))));
    void begin();
    await vi.waitFor(() => expect(session.state).toBe("starting"));
    const answer = session.ask("memlsp/review", {}).catch((error: unknown) => error);
    await Session.endAll();
    expect(await answer).toBeInstanceOf(MemoryError);
  });

  test("that is cancelled while it waits does not wait on", async () => {
    connecting = () => new Promise(() => undefined);
    void begin();
    await vi.waitFor(() => expect(session.state).toBe("starting"));
    const source = new CancellationTokenSource();
    const answer = session.ask("memlsp/review", {}, source.token as unknown as vscode.CancellationToken);
    source.cancel();
    await expect(answer).rejects.toMatchObject({ shown: true });
  });

  test("that is refused brings the sentence, what to do, and whether the thing is gone", async () => {
    await begin();
    last().answer = () => {
      throw Object.assign(new Error("no belief b_1"), { code: -32001, data: { hint: "it was forgotten", missing: true } });
    };
    const problem = await session.ask("memlsp/belief", { id: "b_1" }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(MemoryError);
    expect(problem).toMatchObject({ message: "no belief b_1", hint: "it was forgotten", missing: true, shown: false });
  });

  test("whose server goes away meanwhile is refused in plain words", async () => {
    await begin();
    last().answer = () => {
      throw Object.assign(new Error("Pending response rejected since connection got disposed"), { code: -32097 });
    };
    await expect(session.ask("memlsp/review", {})).rejects.toThrow("The memlsp server went away.");
  });
});

describe("what moves", () => {
  test("is told at once and then a few times a second, and the last is not lost", async () => {
    await begin();
    await vi.advanceTimersByTimeAsync(1_000);
    let told = 0;
    session.onDidChange(() => (told += 1));
    for (let time = 0; time < 20; time += 1) last().options.changed();
    expect(told).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toBe(2);
  });

  test("is told when the server is there", async () => {
    let told = 0;
    connecting = () => {
      session.onDidChange(() => (told += 1));
      return Promise.resolve();
    };
    await begin();
    expect(told).toBe(1);
  });
});

describe("the program", () => {
  test("is found without starting it, once for all who ask", async () => {
    workspace.workspaceFolders = undefined;
    await begin();
    const [one, other] = await Promise.all([session.find(), session.find()]);
    expect(one).toBe(other);
    expect(one?.origin).toBe("path");
    expect(machine.ran).toEqual(["/usr/bin/memlsp --version"]);
    expect(servers).toEqual([]);
  });

  test("that is another one is told to those who offer it", async () => {
    await begin();
    let told = 0;
    session.onDidChangeProgram(() => (told += 1));
    await session.restart();
    expect(told).toBe(0);
    machine.server("/usr/local/bin/memlsp", "0.4.0");
    await session.restart();
    expect(told).toBe(1);
  });
});

describe("the end", () => {
  test("stops the server, also one that is just starting", async () => {
    let abandoned = false;
    connecting = (options) =>
      new Promise((_, reject) => {
        options.abandoned.addEventListener("abort", () => {
          abandoned = true;
          reject(new Error("ended"));
        });
      });
    const beginning = begin();
    await vi.waitFor(() => expect(session.state).toBe("starting"));
    await Session.endAll();
    await beginning;
    expect(abandoned).toBe(true);
    expect(servers).toEqual([]);
  });

  test("is not mistaken for a crash", async () => {
    await begin();
    const server = last();
    await Session.endAll();
    server.options.closed();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(servers).toHaveLength(1);
    expect(server.stopped).toBe(true);
  });
});
