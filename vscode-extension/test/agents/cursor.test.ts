import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { type CursorServer, cursorServers, registerWithCursor } from "../../src/agents/cursor";
import { fake, Uri, workspace } from "../fake/vscode";
import { FakePrograms, PROGRAM } from "./programs";

/** Cursor's interface as far as it is documented. */
class Cursor {
  readonly registered = new Map<string, CursorServer>();
  readonly calls: string[] = [];
  readonly mcp = {
    registerServer: (server: CursorServer): void => {
      this.calls.push(`+${server.name}`);
      this.registered.set(server.name, server);
    },
    unregisterServer: (name: string): void => {
      this.calls.push(`-${name}`);
      this.registered.delete(name);
    },
  };
}

let cursor: Cursor;
let context: vscode.ExtensionContext;
const log = { warn: vi.fn<(text: string) => void>() };

beforeEach(() => {
  fake.reset();
  log.warn.mockClear();
  vi.stubEnv("PYTHONPATH", "/somewhere");
  cursor = new Cursor();
  context = { subscriptions: [] } as unknown as vscode.ExtensionContext;
  workspace.workspaceFolders = [{ uri: Uri.file("/work/shop"), name: "shop", index: 0 }];
});
afterEach(() => vi.unstubAllEnvs());

test("where this is not Cursor, or its interface is another one, nothing is registered", () => {
  for (const editor of [vscode, {}, { cursor: null }, { cursor: { mcp: {} } }, { cursor: { mcp: { registerServer: 1, unregisterServer: 2 } } }]) {
    expect(cursorServers(editor)).toBeUndefined();
    expect(registerWithCursor(context, new FakePrograms(PROGRAM), log, editor)).toBe(false);
  }
  expect(context.subscriptions).toEqual([]);
});

test("a server is registered for the folder, with variables that lead astray emptied", () => {
  expect(registerWithCursor(context, new FakePrograms(PROGRAM), log, { cursor })).toBe(true);
  expect(cursor.registered.get("memlsp")).toMatchObject({
    server: {
      command: PROGRAM.command,
      args: ["-I", "-m", "memlsp", "mcp", "--root", "/work/shop"],
      env: { PYTHONPATH: "", MEMLSP_TEST: "1" },
    },
  });
});

test("a server is registered once its program is found, again when it is another, and not when nothing changed", () => {
  const programs = new FakePrograms(undefined);
  registerWithCursor(context, programs, log, { cursor });
  programs.become(PROGRAM);
  programs.become(PROGRAM);
  programs.become({ ...PROGRAM, command: "/other" });
  expect(cursor.calls).toEqual(["+memlsp", "-memlsp", "+memlsp"]);
});

test("a server is taken away when it is not offered any more, and when the extension ends", () => {
  const programs = new FakePrograms(PROGRAM);
  registerWithCursor(context, programs, log, { cursor });
  programs.become(undefined);
  expect(cursor.registered.size).toBe(0);
  programs.become(PROGRAM);
  for (const each of context.subscriptions) each.dispose();
  expect(cursor.calls).toEqual(["+memlsp", "-memlsp", "+memlsp", "-memlsp"]);
});

test("a fault of the interface is logged and stops nothing", async () => {
  cursor.mcp.registerServer = () => {
    throw new Error("not in this version");
  };
  cursor.mcp.unregisterServer = () => Promise.reject(new Error("unknown name")) as never;
  registerWithCursor(context, new FakePrograms(PROGRAM), log, { cursor });
  for (const each of context.subscriptions) each.dispose();
  await Promise.resolve();
  await Promise.resolve();
  expect(log.warn.mock.calls.map(([text]) => text)).toEqual([
    "Cursor's MCP servers: not in this version",
    "Cursor's MCP servers: unknown name",
  ]);
});
