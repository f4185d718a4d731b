import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../../src/server/connection";
import { Installing } from "../../src/server/installing";
import { Session } from "../../src/server/session";
import { extensionContext } from "../fake/context";
import { EventEmitter, fake, LogLevel, Uri, workspace } from "../fake/vscode";
import { Machine } from "./machine";

let root: string;
let machine: Machine;
let session: Session;
let installing: Installing;
let shown: number;

const NO_NETWORK = "NewConnectionError: Failed to establish a new connection";

/** Python, with what its pip answers. */
function python(pip: () => { code?: number; stderr?: string } = () => ({})): void {
  machine.put("/usr/bin/python3", (args) => {
    if (args.includes("-c")) return { stdout: JSON.stringify(["/usr/bin/python3", [3, 12, 1], "cpython-312", "x86_64"]) };
    machine.put(session.managed.pythonIn(String(args.at(-1))), (inner) => {
      if (inner.includes("pip")) return pip();
      return inner.includes("--version") ? { stdout: "memlsp, version 0.1.0\n" } : {};
    });
    return {};
  });
}

/** Opens a window; `answers` are what the user will say. */
async function open(...answers: unknown[]): Promise<void> {
  const write = (): void => undefined;
  const log = { info: write, warn: write, error: write, debug: write, logLevel: LogLevel.Info, onDidChangeLogLevel: new EventEmitter<unknown>().event };
  const context = {
    ...extensionContext(join(root, "extension")),
    globalStorageUri: Uri.file(join(root, "storage")),
  };
  session = new Session(context as unknown as vscode.ExtensionContext, log as unknown as vscode.LogOutputChannel, {
    surroundings: machine,
    interpreter: () => Promise.resolve(undefined),
    connect: () => {
      const nothing = (): Promise<undefined> => Promise.resolve(undefined);
      return Promise.resolve<Connection>({ pid: 1, request: nothing, notify: nothing, stop: nothing });
    },
  });
  installing = new Installing(session, () => (shown += 1));
  fake.answers.push(...answers);
  await session.begin();
}

beforeEach(() => {
  fake.reset();
  root = mkdtempSync(join(tmpdir(), "memlsp-installing-"));
  mkdirSync(join(root, "extension", "bundled"), { recursive: true });
  bring("0.1.0");
  machine = new Machine();
  shown = 0;
  workspace.workspaceFolders = [{ uri: Uri.file("/work/project"), name: "project", index: 0 }];
});

afterEach(async () => {
  installing.dispose();
  await Session.endAll();
  rmSync(root, { recursive: true });
});

function bring(version: string, content = version): void {
  writeFileSync(join(root, "extension", "bundled", `memlsp-${version}-py3-none-any.whl`), content);
}

const running = (): Promise<void> => vi.waitFor(() => expect(session.state).toBe("running"));
const asked = (): Promise<void> => vi.waitFor(() => expect(fake.messages).toHaveLength(1));
const texts = (): string[] => fake.messages.map(({ text }) => text);

describe("when no server is found", () => {
  test("it is asked once, and what was agreed to is installed and started", async () => {
    python();
    await open("Install");
    await running();
    expect(session.program?.origin).toBe("managed");
    expect(fake.messages).toHaveLength(1);
    expect(fake.messages[0]?.items).toEqual(["Install", "Choose a program…", "Not now"]);
    expect(fake.progress[0]?.options).toMatchObject({ cancellable: true });
    expect(fake.progress[0]?.said).toContainEqual({ message: "fetching packages" });
  });

  test("a no holds: nothing is installed, and nothing is asked again", async () => {
    python();
    await open("Not now");
    await asked();
    await session.restart();
    expect(session.state).toBe("missing");
    expect(fake.messages).toHaveLength(1);
    expect(machine.ran).toEqual([]);
  });

  test("nothing is asked when the settings say never, and the command installs all the same", async () => {
    python();
    fake.settings.set("memlsp.server.install", "never");
    await open();
    expect(session.state).toBe("missing");
    expect(fake.messages).toEqual([]);
    expect(await installing.installOrSay()).toBe(true);
    expect(session.state).toBe("running");
  });

  test("nothing is asked when the settings say that it is to be installed", async () => {
    python();
    fake.settings.set("memlsp.server.install", "automatic");
    await open();
    await running();
    expect(fake.messages).toEqual([]);
    expect(fake.progress).toHaveLength(1);
  });

  test("a program can be chosen instead", async () => {
    machine.server("/opt/memlsp");
    await open("Choose a program…", [Uri.file("/opt/memlsp")]);
    await running();
    expect(fake.settings.get("memlsp.path")).toBe("/opt/memlsp");
  });

  test("a folder that is not trusted is neither asked nor served", async () => {
    python();
    workspace.isTrusted = false;
    await open();
    expect(session.state).toBe("untrusted");
    expect(await installing.install()).toBe(false);
    expect(texts()).toEqual(["Nothing is installed from a folder that is not trusted."]);
    expect(machine.ran).toEqual([]);
  });

  test("what another window installed meanwhile is taken when this one is looked at again", async () => {
    await open("Not now");
    await asked();
    const environment = await session.managed.finish(await session.managed.prepare("0.1.0"), "0.1.0", "digest");
    machine.put(environment.python);
    fake.windowStateMoved.fire({ focused: true });
    await running();
  });
});

describe("a program that was named and is of no use", () => {
  test("is said with ways out, and nothing else is installed", async () => {
    fake.settings.set("memlsp.path", "/nowhere/memlsp");
    await open("Open settings");
    await asked();
    expect(texts()).toEqual(["memlsp: memlsp.path names /nowhere/memlsp, which is not there."]);
    expect(fake.messages[0]?.items).toEqual(["Choose a program…", "Open settings"]);
    await vi.waitFor(() => expect(fake.ran.at(-1)).toEqual({ id: "workbench.action.openSettings", args: ["memlsp.path"] }));
  });
});

test("a server that is too old is said with where it is, and installed when that is wished, without asking twice", async () => {
  machine.server("/usr/bin/memlsp", "0.0.9");
  python();
  await open("Install");
  await running();
  expect(texts()).toEqual(["memlsp: /usr/bin/memlsp is version 0.0.9, and this extension needs 0.1.0 or later."]);
});

describe("an installation that fails", () => {
  test("says why, and is tried again when that is wished", async () => {
    let times = 0;
    python(() => (++times === 1 ? { code: 1, stderr: NO_NETWORK } : {}));
    await open("Install", "Try again");
    await running();
    expect(texts()[1]).toContain("the package index was not reached");
    expect(fake.messages[1]?.items).toEqual(["Try again", "Choose a program…", "Show log"]);
  });

  test("without a Python asks for one, and goes on with it", async () => {
    python();
    machine.link("/opt/python", "/usr/bin/python3");
    machine.env["PATH"] = "";
    await open("Install", "Choose a Python…", [Uri.file("/opt/python")]);
    await running();
    expect(texts()[1]).toBe("memlsp needs Python 3.11 or later, and none was found.");
    expect(fake.settings.get("memlsp.server.python")).toBe("/opt/python");
  });

  test("leaves the window as it was, and shows the log when that is wished", async () => {
    python(() => ({ code: 1, stderr: NO_NETWORK }));
    await open("Install", "Show log");
    await vi.waitFor(() => expect(shown).toBe(1));
    expect(session.state).toBe("missing");
  });

  test("because it was cancelled says nothing", async () => {
    python(() => {
      fake.progress[0]?.cancel();
      return { code: 1 };
    });
    await open("Install");
    await vi.waitFor(() => expect(fake.progress).toHaveLength(1));
    await vi.waitFor(() => expect(session.state).toBe("missing"));
    expect(fake.messages).toHaveLength(1);
    expect(await session.managed.current()).toBeUndefined();
  });
});

describe("an update", () => {
  const installed = async (): Promise<void> => {
    python();
    fake.settings.set("memlsp.server.install", "never");
    await open();
    await installing.install();
    fake.settings.set("memlsp.server.install", "ask");
  };

  test("is offered when the extension brings another wheel than the one that is installed", async () => {
    await installed();
    bring("0.1.0", "built anew");
    fake.answers.push("Update");
    await session.restart();
    await vi.waitFor(() => expect(fake.progress).toHaveLength(2));
    expect(await installing.install()).toBe(true); // the one that is under way
    expect(texts()).toEqual(["This extension brings another build of memlsp 0.1.0 than the one that is installed."]);
    expect(readdirSync(session.managed.root)).toHaveLength(1);
  });

  test("that was declined is not offered again, and the command makes it", async () => {
    await installed();
    bring("0.1.0", "built anew");
    fake.answers.push("Not now");
    await session.restart();
    await asked();
    await session.restart();
    expect(fake.messages).toHaveLength(1);
    expect(await installing.update()).toBe(true);
  });

  test("of what is up to date, or comes from elsewhere, is explained", async () => {
    await installed();
    expect(await installing.update()).toBe(false);
    expect(texts().at(-1)).toBe("The server is up to date: version 0.1.0.");
    machine.server("/usr/bin/memlsp");
    await session.restart();
    expect(await installing.update()).toBe(false);
    expect(texts().at(-1)).toBe("The server comes from the PATH (/usr/bin/memlsp). Update it there.");
  });
});

test("the command says what serves already, instead of installing beside it", async () => {
  machine.server("/usr/bin/memlsp");
  await open();
  expect(await installing.installOrSay()).toBe(true);
  expect(texts()).toEqual(["memlsp 0.1.0 is there already, from the PATH."]);
});
