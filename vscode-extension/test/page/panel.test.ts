import { beforeEach, describe, expect, test, vi } from "vitest";
import * as vscode from "vscode";
import { MemoryError } from "../../src/memory";
import { registerBeliefPage } from "../../src/page";
import type { BeliefPage } from "../../src/wire";
import { fake, type FakePanel } from "../fake/vscode";
import { FakeMemory } from "../fake/memory";
import { belief, page, ROOT } from "./belief";

vi.mock("../../src/remember/actions", () => ({ act: vi.fn(() => Promise.resolve(true)) }));
const { act } = await import("../../src/remember/actions");

let memory: FakeMemory;
let answer: () => BeliefPage;

beforeEach(() => {
  fake.reset();
  vi.mocked(act).mockClear();
  memory = new FakeMemory();
  answer = () => page();
  memory.answer("memlsp/belief", () => answer());
  const context = { extensionUri: vscode.Uri.file("/extension"), subscriptions: [] } as unknown as vscode.ExtensionContext;
  registerBeliefPage(context, memory);
});

async function opened(which: unknown = "b_1"): Promise<FakePanel> {
  await vscode.commands.executeCommand("memlsp.openBelief", which);
  const panel = fake.panels.at(-1);
  if (!panel) throw new Error("no panel");
  panel.say({ type: "ready" });
  await settled();
  return panel;
}

/** All that is under way has ended: nothing here waits for a clock. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function last(panel: FakePanel): unknown {
  return panel.posted.filter((message) => (message as { type: string }).type !== "busy").at(-1);
}

describe("the page of a belief", () => {
  test("asks for it in its workspace and posts what it is told", async () => {
    const panel = await opened({ id: "b_1", root: ROOT });
    expect(memory.asked).toEqual([{ method: "memlsp/belief", params: { id: "b_1", uri: ROOT } }]);
    expect(last(panel)).toMatchObject({ type: "page", page: { belief: { id: "b_1" } }, language: "en" });
  });

  test.each([
    ["place and kind", {}, "fetch: decision"],
    ["the file where it is about all of it", { anchors: [{ path: "src/net.py", symbol: null, line: 1 }] }, "net.py: decision"],
    ["the id where it has no place", { anchors: [] }, "b_1: decision"],
    ["nothing unseen", { anchors: [{ path: "a.py", symbol: "fet\u202ech", line: 1 }] }, "fet ch: decision"],
  ])("has a title of %s, and no word of the statement: the editor keeps titles in its files", async (_, change, title) => {
    answer = () => page({ belief: belief({ text: "zebra", ...change }) });
    const panel = await opened();
    expect(panel.title).toBe(title);
    panel.see(false);
    expect(panel.title).not.toContain("zebra");
  });

  test("is one tab for all beliefs, which shows the last that was asked for", async () => {
    const panel = await opened();
    await vscode.commands.executeCommand("memlsp.openBelief", { belief: belief() });
    expect(panel.revealed).toBe(1);
    answer = () => page({ belief: belief({ id: "b_2", anchors: [] }) });
    await vscode.commands.executeCommand("memlsp.openBelief", "b_2");
    await settled();
    expect(fake.panels.length).toBe(1);
    expect(panel.revealed).toBe(2);
    expect(panel.title).toBe("b_2: decision");
    expect(last(panel)).toMatchObject({ page: { belief: { id: "b_2" } } });
  });

  test("shows what was asked for last, whatever is answered first", async () => {
    const answers: ((id: string) => void)[] = [];
    vi.spyOn(memory, "ask").mockImplementation(
      () => new Promise((resolve) => answers.push((id) => resolve(page({ belief: belief({ id, anchors: [] }) })))),
    );
    const panel = await opened();
    await vscode.commands.executeCommand("memlsp.openBelief", "b_2");
    answers[0]?.("b_1");
    await settled();
    answers[1]?.("b_2");
    await settled();
    expect(panel.posted.map((message) => (message as { page?: BeliefPage }).page?.belief.id)).toEqual(["b_2"]);
  });

  test("is that of the workspace that is meant, and of any that knows the id where none is said", async () => {
    await opened({ id: "b_1", root: ROOT });
    answer = () => page({ belief: belief({ root: "file:///copy" }) });
    const other = await opened({ id: "b_1", root: "file:///copy" });
    expect(memory.asked.map((each) => each.params)).toEqual([
      { id: "b_1", uri: ROOT },
      { id: "b_1", uri: "file:///copy" },
    ]);
    other.say({ type: "act", action: "confirm" });
    await settled();
    expect(vi.mocked(act).mock.lastCall?.[1].root).toBe("file:///copy");
    memory.asked.length = 0;
    await opened("b_1");
    expect(memory.asked).toEqual([]);
  });

  test("once closed is opened anew", async () => {
    (await opened()).dispose();
    await opened();
    expect(fake.panels.length).toBe(2);
  });

  test("allows its own script and stylesheet and nothing else", async () => {
    const { webview } = await opened();
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(webview.html)?.[1]?.replaceAll("&#34;", '"') ?? "";
    const nonce = /script nonce="([\w-]+)"/.exec(webview.html)?.[1] ?? "";
    expect(nonce.length).toBeGreaterThan(20);
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "style-src https://page.test",
      `script-src 'nonce-${nonce}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(webview.html).not.toMatch(/\son\w+=|style=|javascript:/);
    expect(webview.options).toMatchObject({ enableScripts: true, enableCommandUris: false });
    expect(String((webview.options as { localResourceRoots: vscode.Uri[] }).localResourceRoots)).toBe("file:///extension/dist/page");
  });

  test("looks again when something moved, once for all that moves meanwhile", async () => {
    const panel = await opened();
    answer = () => page({ belief: belief({ standing: "current" }) });
    memory.move();
    memory.move();
    memory.move();
    await settled();
    expect(memory.asked.length).toBe(3);
    expect(last(panel)).toMatchObject({ page: { belief: { standing: "current" } } });
  });

  test("that nobody sees looks again when somebody does", async () => {
    const panel = await opened();
    panel.see(false);
    memory.move();
    await settled();
    expect(memory.asked.length).toBe(1);
    panel.see(true);
    await settled();
    expect(memory.asked.length).toBe(2);
  });

  test("that was hidden gets what it had when its script begins anew", async () => {
    const panel = await opened();
    panel.say({ type: "ready" });
    await settled();
    expect(memory.asked.length).toBe(1);
    expect(panel.posted.length).toBe(2);
  });

  test("of what was forgotten while nobody saw it shows nothing of it again", async () => {
    const panel = await opened();
    panel.see(false);
    answer = () => {
      throw new MemoryError("no belief b_1", "", false, true);
    };
    memory.move();
    await settled();
    const before = panel.posted.length;
    panel.see(true);
    panel.say({ type: "ready" });
    await settled();
    expect(panel.posted.slice(before).map((message) => (message as { type: string }).type)).not.toContain("page");
    expect(last(panel)).toMatchObject({ type: "absent" });
  });

  test("of a forgotten belief says so and keeps none of its text", async () => {
    const panel = await opened();
    answer = () => {
      throw new MemoryError("no belief b_1", "", false, true);
    };
    memory.move();
    await settled();
    expect(last(panel)).toMatchObject({ type: "absent", absent: { heading: "This belief is not there any more", retry: "" } });
    expect(panel.title).toBe("Belief");
  });

  test("that could not be read offers to try again and does so", async () => {
    answer = () => {
      throw new MemoryError("the server is not running", "restart it");
    };
    const panel = await opened();
    expect(last(panel)).toMatchObject({ absent: { message: "the server is not running", hint: "restart it", retry: "Try again" } });
    answer = () => page();
    panel.say({ type: "retry" });
    await settled();
    expect(last(panel)).toMatchObject({ type: "page" });
  });

  test("offers to install the server where there is none, and is read once it runs", async () => {
    memory.state = "missing";
    answer = () => {
      throw new MemoryError("No memlsp server was found.");
    };
    const panel = await opened();
    expect(last(panel)).toMatchObject({ absent: { install: "Install the server" } });
    panel.say({ type: "install" });
    await settled();
    expect(fake.ran.at(-1)?.id).toBe("memlsp.install");
    answer = () => page();
    memory.become("running");
    await settled();
    expect(last(panel)).toMatchObject({ type: "page" });
  });

  test("is read anew when the server runs again", async () => {
    await opened();
    memory.become("running");
    await settled();
    expect(memory.asked.length).toBe(2);
  });
});

describe("what is pressed on the page", () => {
  test("is done when the page offered it", async () => {
    const panel = await opened();
    panel.say({ type: "act", action: "retire" });
    await settled();
    expect(vi.mocked(act).mock.calls.map(([, about, action]) => [about.id, action])).toEqual([["b_1", "retire"]]);
  });

  test("is not done when it was not offered", async () => {
    const panel = await opened();
    panel.say({ type: "act", action: "forget" });
    panel.say({ type: "belief", id: "b_9" });
    panel.say({ type: "reveal", path: "../../etc/passwd", line: 1 });
    panel.say({ type: "diff", change: 7 });
    panel.say({ type: "command", command: "workbench.action.quit" });
    await settled();
    expect(act).not.toHaveBeenCalled();
    expect([fake.panels.length, fake.opened.length]).toEqual([1, 0]);
    expect(fake.ran.map((each) => each.id)).toEqual(["memlsp.openBelief"]);
  });

  test("opens the place beside the page", async () => {
    const panel = await opened();
    panel.say({ type: "reveal", path: "src/net.py", line: 12 });
    await settled();
    expect(fake.opened.map(String)).toEqual(["file:///project/src/net.py"]);
  });

  test("opens no file outside the workspace, whatever an anchor says", async () => {
    answer = () => page({ belief: belief({ anchors: [{ path: "../secret", symbol: null, line: 1 }] }) });
    const panel = await opened();
    panel.say({ type: "reveal", path: "../secret", line: 1 });
    await settled();
    expect(fake.opened).toEqual([]);
  });

  test("says what cannot be opened in words that run nothing", async () => {
    const path = "[here](command:memlsp.belief.forget)";
    answer = () => page({ belief: belief({ anchors: [{ path, symbol: null, line: 1 }] }) });
    const open = vi.spyOn(vscode.window, "showTextDocument").mockRejectedValue(new Error("there is none"));
    const say = vi.spyOn(vscode.window, "showErrorMessage").mockResolvedValue(undefined);
    const panel = await opened();
    panel.say({ type: "reveal", path, line: 1 });
    await settled();
    expect(say.mock.calls).toEqual([["[here] (command:memlsp.belief.forget) cannot be opened."]]);
    open.mockRestore();
    say.mockRestore();
  });

  test("opens the page of a linked belief", async () => {
    const panel = await opened();
    panel.say({ type: "belief", id: "b_2" });
    await settled();
    expect(memory.asked.at(-1)?.params).toEqual({ id: "b_2", uri: ROOT });
  });

  test("offers all that has no button, and settles a contradiction where there is one", async () => {
    answer = () => page({ belief: belief({ conflicts: ["b_1+b_3"] }), actions: ["confirm", "supersede", "retire", "scope", "worked", "failed", "forget"] });
    const panel = await opened();
    fake.answers.push((items: { label: string }[]) => items.find(({ label }) => label.startsWith("Only under")));
    panel.say({ type: "more" });
    await settled();
    expect((fake.asked[0]?.items as { action: string }[]).map(({ action }) => action)).toEqual(["settle", "confirm", "supersede", "retire", "scope", "forget"]);
    expect(vi.mocked(act).mock.lastCall?.[2]).toBe("scope");
    panel.say({ type: "act", action: "settle" });
    await settled();
    expect(fake.ran.at(-1)).toEqual({ id: "memlsp.settle", args: [{ id: "b_1", root: ROOT }] });
  });

  test("opens the editor's comparison of the code then and now", async () => {
    const panel = await opened();
    panel.say({ type: "diff", change: 0 });
    await settled();
    const diff = fake.ran.find((each) => each.id === "vscode.diff");
    expect(diff?.args.slice(0, 2).map((uri) => (uri as vscode.Uri).path)).toEqual(["/then/src/net.py", "/now/src/net.py"]);
  });

  test("copies the id", async () => {
    const panel = await opened();
    panel.say({ type: "copy" });
    await settled();
    expect(fake.copied).toEqual(["b_1"]);
  });
});

describe("after a reload of the window", () => {
  async function restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const serializer = fake.serializers.get("memlsp.belief") as vscode.WebviewPanelSerializer;
    await serializer.deserializeWebviewPanel(panel, state);
  }

  test("a page shows its belief again", async () => {
    const panel = vscode.window.createWebviewPanel("memlsp.belief", "", vscode.ViewColumn.One) as unknown as FakePanel;
    await restore(panel as unknown as vscode.WebviewPanel, { id: "b_1", root: ROOT, top: 40 });
    panel.say({ type: "ready" });
    await settled();
    expect(last(panel)).toMatchObject({ type: "page" });
  });

  test("a page that remembers nothing is closed", async () => {
    const panel = vscode.window.createWebviewPanel("memlsp.belief", "", vscode.ViewColumn.One) as unknown as FakePanel;
    await restore(panel as unknown as vscode.WebviewPanel, "nonsense");
    expect(panel.disposed).toBe(true);
  });
});
