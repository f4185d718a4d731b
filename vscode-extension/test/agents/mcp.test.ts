import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { McpServers, PROVIDER, registerMcpServers } from "../../src/agents/mcp";
import { fake, Uri, workspace } from "../fake/vscode";
import { FakePrograms, PROGRAM } from "./programs";

beforeEach(() => {
  fake.reset();
  vi.stubEnv("PYTHONPATH", "/somewhere");
  open("/work/shop");
});
afterEach(() => vi.unstubAllEnvs());

function open(...paths: string[]): void {
  workspace.workspaceFolders = paths.map((path, index) => ({
    uri: Uri.file(path),
    name: path.split("/").at(-1) ?? "",
    index,
  }));
}

function token(): vscode.CancellationToken {
  return new vscode.CancellationTokenSource().token;
}

describe("the MCP servers that the editor is offered", () => {
  test("are started as the language server is, for one folder, outside of it", () => {
    const [definition] = new McpServers(new FakePrograms(PROGRAM)).provideMcpServerDefinitions();
    expect(definition).toMatchObject({
      label: "memlsp",
      command: "/opt/memlsp/bin/python",
      args: ["-I", "-m", "memlsp", "mcp", "--root", "/work/shop"],
      version: "1.2.3",
    });
    expect(definition?.cwd?.fsPath).toBe("/storage");
  });

  test("inherit nothing that leads a Python elsewhere", () => {
    const [definition] = new McpServers(new FakePrograms(PROGRAM)).provideMcpServerDefinitions();
    expect(definition?.env).toMatchObject({ PYTHONPATH: null, MEMLSP_TEST: "1" });
    expect(definition?.env).not.toHaveProperty("PATH");
  });

  test("are one for each folder, with names that differ", () => {
    open("/work/shop", "/work/api", "/old/api");
    const labels = new McpServers(new FakePrograms(PROGRAM)).provideMcpServerDefinitions().map(({ label }) => label);
    expect(labels).toEqual(["memlsp (shop)", "memlsp (api)", "memlsp (api 2)"]);
  });

  test("are none without a folder, in a folder that is not trusted, or when they are switched off", () => {
    const servers = new McpServers(new FakePrograms(PROGRAM));
    open();
    expect(servers.provideMcpServerDefinitions()).toEqual([]);
    open("/work/shop");
    workspace.isTrusted = false;
    expect(servers.provideMcpServerDefinitions()).toEqual([]);
    workspace.isTrusted = true;
    fake.settings.set("memlsp.agents.mcp", false);
    expect(servers.provideMcpServerDefinitions()).toEqual([]);
  });

  test("leave out folders that are not on this machine", () => {
    workspace.workspaceFolders = [{ uri: Uri.parse("vscode-vfs://github/a"), name: "a", index: 0 }];
    expect(new McpServers(new FakePrograms(PROGRAM)).provideMcpServerDefinitions()).toEqual([]);
  });

  test("are named before a program is known, without looking for one", () => {
    const programs = new FakePrograms(undefined);
    expect(new McpServers(programs).provideMcpServerDefinitions().map(({ label }) => label)).toEqual(["memlsp"]);
    expect(programs.looked).toBe(0);
  });

  test("are told anew when program, folders, trust or setting change, and not for other settings", async () => {
    const programs = new FakePrograms(PROGRAM);
    const servers = new McpServers(programs);
    let told = 0;
    servers.onDidChangeMcpServerDefinitions(() => void (told += 1));
    programs.become(undefined);
    fake.foldersMoved.fire(undefined);
    fake.trustGranted.fire();
    await workspace.getConfiguration("memlsp").update("agents.mcp", false);
    await workspace.getConfiguration("memlsp").update("lens.enabled", false);
    expect(told).toBe(4);
    servers.dispose();
    fake.trustGranted.fire();
    expect(told).toBe(4);
  });

  test("are registered under the name that package.json promises", () => {
    const context = { subscriptions: [] } as unknown as vscode.ExtensionContext;
    registerMcpServers(context, new FakePrograms(PROGRAM));
    expect([...fake.mcp.keys()]).toEqual([PROVIDER]);
    expect(context.subscriptions.length).toBe(2);
  });
});

describe("starting one", () => {
  test("looks for the program and starts that", async () => {
    const programs = new FakePrograms(undefined);
    const servers = new McpServers(programs);
    const [definition] = servers.provideMcpServerDefinitions();
    if (!definition) throw new Error("no definition");
    programs.program = PROGRAM;
    const resolved = await servers.resolveMcpServerDefinition(definition, token());
    expect([resolved?.command, resolved?.version]).toEqual([PROGRAM.command, "1.2.3"]);
    expect(fake.ran).toEqual([]);
  });

  test("offers to install the server where there is none", async () => {
    const programs = new FakePrograms(undefined);
    fake.commands.set("memlsp.install", () => void (programs.program = PROGRAM));
    const servers = new McpServers(programs);
    const [definition] = servers.provideMcpServerDefinitions();
    if (!definition) throw new Error("no definition");
    expect((await servers.resolveMcpServerDefinition(definition, token()))?.command).toBe(PROGRAM.command);
  });

  test("says so when there is still none", async () => {
    const servers = new McpServers(new FakePrograms(undefined));
    const [definition] = servers.provideMcpServerDefinitions();
    if (!definition) throw new Error("no definition");
    await expect(servers.resolveMcpServerDefinition(definition, token())).rejects.toThrow("none was installed");
    expect(fake.ran.map(({ id }) => id)).toEqual(["memlsp.install"]);
  });

  test("asks for nothing when nobody waits any more", async () => {
    const servers = new McpServers(new FakePrograms(undefined));
    const [definition] = servers.provideMcpServerDefinitions();
    if (!definition) throw new Error("no definition");
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    expect(await servers.resolveMcpServerDefinition(definition, source.token)).toBeUndefined();
    expect(fake.ran).toEqual([]);
  });

  test("starts nothing for a folder that is gone", async () => {
    const servers = new McpServers(new FakePrograms(PROGRAM));
    const [definition] = servers.provideMcpServerDefinitions();
    if (!definition) throw new Error("no definition");
    open();
    expect(await servers.resolveMcpServerDefinition(definition, token())).toBeUndefined();
  });
});
