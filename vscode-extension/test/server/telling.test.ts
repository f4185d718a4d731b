/** What the server's state looks like: the status, its menu, the doctor's report, the log. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registerServerCommands } from "../../src/server/commands";
import type { ConnectionOptions } from "../../src/server/connection";
import { levelFor, passOn } from "../../src/server/server-log";
import { Session } from "../../src/server/session";
import { extensionContext } from "../fake/context";
import { commands, env, EventEmitter, fake, LogLevel, Uri, workspace } from "../fake/vscode";
import { Machine } from "./machine";

let root: string;
let machine: Machine;
let context: vscode.ExtensionContext;
let session: Session;
let options: ConnectionOptions | undefined;
const logged: string[] = [];

const log = {
  info: (text: string) => logged.push(`info ${text}`),
  warn: (text: string) => logged.push(`warn ${text}`),
  error: (text: string) => logged.push(`error ${text}`),
  debug: (text: string) => logged.push(`debug ${text}`),
  show: () => logged.push("shown"),
  logLevel: LogLevel.Info,
  onDidChangeLogLevel: new EventEmitter<unknown>().event,
} as unknown as vscode.LogOutputChannel;

async function open(): Promise<void> {
  context = { ...extensionContext("/extension"), globalStorageUri: Uri.file(root) } as unknown as vscode.ExtensionContext;
  session = new Session(context, log, {
    surroundings: machine,
    interpreter: () => Promise.resolve(undefined),
    connect: (given) => {
      options = given;
      const nothing = (): Promise<undefined> => Promise.resolve(undefined);
      const checks = [{ name: "git", ok: null, message: "no commits yet", advice: "commit something" }];
      return Promise.resolve({ pid: 1, request: () => Promise.resolve({ checks }), notify: nothing, stop: nothing });
    },
  });
  registerServerCommands(context, session, log);
  await session.begin();
}

beforeEach(() => {
  fake.reset();
  logged.length = 0;
  root = mkdtempSync(join(tmpdir(), "memlsp-telling-"));
  machine = new Machine().server("/usr/bin/memlsp");
  workspace.workspaceFolders = [{ uri: Uri.file("/work/project"), name: "project", index: 0 }];
});

afterEach(async () => {
  for (const each of context.subscriptions) each.dispose();
  await Session.endAll();
  rmSync(root, { recursive: true });
});

const status = (): Record<string, unknown> => fake.languageStatus[0] ?? {};

describe("the status", () => {
  test("shows the version and the mode of a server that runs, and what it is busy with", async () => {
    await open();
    expect(status()).toMatchObject({ text: "memlsp 0.1.0", detail: "Normal", busy: false, severity: 0 });
    options?.busy(["reading the history"]);
    expect(status()).toMatchObject({ detail: "Normal · reading the history", busy: true });
    options?.busy([]);
    expect(status()).toMatchObject({ busy: false });
  });

  test("is a warning when there is no server, and says so to a screen reader too", async () => {
    machine = new Machine();
    await open();
    expect(status()).toMatchObject({
      text: "memlsp: no server was found",
      severity: 1,
      accessibilityInformation: { label: "memlsp: no server was found, Normal" },
    });
  });

  test("offers trust where there is none, and nothing that would start something", async () => {
    workspace.isTrusted = false;
    await open();
    await commands.executeCommand("memlsp.status");
    const items = fake.asked[0]?.items as { command: string }[];
    expect(items.map(({ command }) => command)).toContain("workbench.trust.manage");
    expect(items.map(({ command }) => command)).not.toContain("memlsp.install");
  });

  test("opens a menu whose choice is done", async () => {
    await open();
    fake.answers.push((items: { command: string }[]) => items.find(({ command }) => command === "memlsp.showLog"));
    await commands.executeCommand("memlsp.status");
    expect(logged.at(-1)).toBe("shown");
  });
});

describe("a server that keeps ending", () => {
  test("is told of once, with ways out that work", async () => {
    await open();
    fake.answers.push("Show log");
    for (let end = 0; end < 4; end += 1) options?.closed();
    expect(fake.messages.map(({ level, text }) => `${level} ${text}`)).toEqual([
      "error The memlsp server ended several times within a few minutes.",
    ]);
    expect(fake.messages[0]?.items).toEqual(["Restart", "Show log", "Run the doctor"]);
    await Promise.resolve();
    await Promise.resolve();
    expect(logged.at(-1)).toBe("shown");
  });
});

describe("the page in the browser", () => {
  test("runs in a terminal, and in no folder of the workspace", async () => {
    await open();
    workspace.workspaceFolders = [{ uri: Uri.file("/work/project"), name: "project", index: 0 }];
    await commands.executeCommand("memlsp.web");
    const shellArgs = ["-C", "/work/project", "web", "--open"];
    expect(fake.terminals.at(-1)).toMatchObject({ name: "memlsp web", shellPath: "/usr/bin/memlsp", shellArgs, cwd: root });
    env.remoteName = "ssh-remote"; // it would be a browser of that machine
    await commands.executeCommand("memlsp.web");
    env.remoteName = undefined;
    expect(fake.terminals.at(-1)).toMatchObject({ shellArgs: shellArgs.slice(0, -1) });
  });
});

describe("the doctor", () => {
  const report = async (): Promise<string> => {
    await commands.executeCommand("memlsp.doctor");
    const provider = fake.contents.get("memlsp-doctor") as { provideTextDocumentContent(): string };
    return provider.provideTextDocumentContent();
  };

  test("shows where the server came from, and what it finds, with what to do about it", async () => {
    await open();
    const text = await report();
    expect(text).toContain("Server: running\n  /usr/bin/memlsp\n  version 0.1.0, from the PATH\n");
    expect(text).toContain("  the selected Python interpreter: no Python interpreter is selected\n");
    expect(text).toContain("  note     git: no commits yet\n           → commit something\n");
  });

  test("runs the server once where it does not run", async () => {
    workspace.workspaceFolders = undefined;
    const found = [{ name: "store", ok: false, message: "damaged", advice: "move it away" }, { name: 1 }];
    machine.put("/usr/bin/memlsp", (args) =>
      args.includes("doctor") ? { code: 1, stdout: JSON.stringify(found) } : { stdout: "memlsp, version 0.1.0\n" },
    );
    await open();
    expect(await report()).toContain("  PROBLEM  store: damaged\n           → move it away\n");
    expect(machine.ran.at(-1)).toBe("/usr/bin/memlsp doctor --json");
    workspace.workspaceFolders = [{ uri: Uri.file("/work/project"), name: "project", index: 0 }];
    await report();
    expect(machine.ran.at(-1)).toBe("/usr/bin/memlsp -C /work/project doctor --json");
    expect([...machine.cwds]).toEqual([root]); // nothing is ever run in a folder of the workspace
  });

  test("says what was said when that fails, and what to do when there is no server", async () => {
    workspace.workspaceFolders = undefined;
    machine.put("/usr/bin/memlsp", (args) => (args.includes("doctor") ? { code: 2, stderr: "Error: broken\n" } : { stdout: "memlsp 0.1.0\n" }));
    await open();
    expect(await report()).toContain("  Error: broken\n");
    machine.put("/usr/bin/memlsp", { code: 1 });
    await session.restart();
    expect(await report()).toContain("There is no server to ask. Run the command Install the server.");
  });
});

describe("the server's log", () => {
  test("is written at its own level, and what goes with a line stays", () => {
    passOn("2026-11-22 00:18:14,123 WARNING memlsp.store: slow", log);
    passOn("2026-11-22 00:18:14,123 CRITICAL memlsp: gone", log);
    passOn("2026-11-22 00:18:14,123 DEBUG memlsp: detail", log);
    passOn("Traceback (most recent call last):", log);
    expect(logged).toEqual([
      "warn server: memlsp.store: slow",
      "error server: memlsp: gone",
      "debug server: memlsp: detail",
      "info server: Traceback (most recent call last):",
    ]);
  });

  test("is as long as the editor wants it", () => {
    const { Trace, Info, Warning, Error, Off } = vscode.LogLevel;
    expect([Trace, Info, Warning, Error, Off].map(levelFor)).toEqual(["debug", "info", "warning", "error", "error"]);
  });
});
