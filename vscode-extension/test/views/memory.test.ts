import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ExtensionContext } from "vscode";
import { registerBeliefPage } from "../../src/page";
import { registerRemember } from "../../src/remember";
import { registerViews } from "../../src/views";
import type { BeliefsParams } from "../../src/wire";
import { extensionContext } from "../fake/context";
import { FakeMemory } from "../fake/memory";
import { commands, fake, TabInputText, Uri, window } from "../fake/vscode";
import { page } from "../page/belief";
import { belief, beliefs, broken, conflict, drawn, group, node, NOTHING, openFolders, ROOT, shownPage, tree } from "./answers";

let memory: FakeMemory;
let context: ExtensionContext;

/** What the memory has, by scope; and by folder where that is said. */
let kept: Record<string, ReturnType<typeof beliefs>>;

beforeEach(() => {
  fake.reset();
  vi.useFakeTimers();
  kept = {};
  memory = new FakeMemory({
    "memlsp/beliefs": (params) => kept[`${params.scope}:${params.uri ?? ""}`] ?? kept[params.scope] ?? NOTHING,
    "memlsp/review": () => ({ items: [], conflicts: 0, stale: 0, proposals: 0 }),
    "memlsp/timeline": () => ({ entries: [], threads: [], more: false, root: ROOT }),
  });
  openFolders("project");
});

afterEach(() => {
  for (const each of context.subscriptions) void each.dispose();
  vi.useRealTimers();
});

function begin(): ReturnType<typeof tree> {
  context = extensionContext("/extension");
  const views = registerViews(context, memory);
  registerRemember(context, memory, views);
  registerBeliefPage(context, memory, views.meant);
  const known = tree("memlsp.memory");
  known.view.see();
  return known;
}

function edit(path: string): void {
  window.activeTextEditor = { document: { uri: Uri.file(path) } };
  window.tabGroups.all = [{ tabs: [{ input: new TabInputText(Uri.file(path)) }, { input: { viewType: "memlsp.belief" } }] }];
  fake.activeEditorMoved.fire(window.activeTextEditor);
}

const questions = (): BeliefsParams[] =>
  memory.asked.filter(({ method }) => method === "memlsp/beliefs").map(({ params }) => params as BeliefsParams);
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(300);

describe("the sections", () => {
  test("are the file at hand by symbol, the workspace, and the user", async () => {
    kept = {
      file: beliefs(group([belief(), broken()]), group([belief({ id: "b_9" })], { symbol: "", label: "this file" })),
      workspace: { ...beliefs(group([belief()])), total: 41 },
      user: beliefs(group([belief({ id: "b_8" })], { path: "", symbol: "", label: "preference" })),
    };
    edit("/project/src/net.py");
    const statement = "Retries three times, because the service drops one call in ten";
    expect(await drawn(begin().outline)).toEqual([
      "This file | net.py · 3",
      "  fetch | 2",
      `    ${statement} | decision`,
      `    contradicted: ${statement} | decision`,
      `  ${statement} | decision · fetch`,
      "Workspace | 41",
      "User | 1",
    ]);
  });

  test("are asked for whole only when they are opened", async () => {
    kept = { workspace: beliefs(group([belief()], { symbol: "", label: "src/net.py", line: null })) };
    const { outline } = begin();
    await drawn(outline);
    expect(questions().map(({ scope, limit }) => [scope, limit])).toEqual([
      ["workspace", 0],
      ["user", 0],
    ]);
    const found = await node(outline, "Retries", await node(outline, "Workspace"));
    expect(found.row.description).toBe("decision · src/net.py#fetch");
  });

  test("are there for each folder when several are open", async () => {
    openFolders("project", "other");
    kept = { "workspace:file:///project": beliefs(group([belief()])), "workspace:file:///other": NOTHING };
    const lines = await drawn(begin().outline);
    expect(lines.slice(1)).toEqual(["project | 1", "other | 0", "User | 0"]);
  });

  test("are none, so that the welcome is shown, when nothing is remembered", async () => {
    expect(await drawn(begin().outline)).toEqual([]);
    expect(fake.ran).toContainEqual({ id: "setContext", args: ["memlsp.memory.empty", true] });
  });

  test("are none, and nothing is asked, without a folder or without a server", async () => {
    memory.state = "missing";
    expect(await drawn(begin().outline)).toEqual([]);
    expect(questions()).toEqual([]);
  });

  test("say how many are left, and show more of them when asked", async () => {
    kept = { workspace: { groups: [group([belief()])], total: 300 } };
    const { outline } = begin();
    const more = await node(outline, "Show more", await node(outline, "Workspace"));
    expect(more.row.description).toBe("299 left");
    await commands.executeCommand("memlsp.views.more", more);
    await settled();
    expect(questions().at(-1)).toEqual({ scope: "workspace", uri: "file:///project", limit: 400 });
  });
});

describe("a row", () => {
  test("is there once for a belief that is alone at its place, and says the place", async () => {
    const many = Array.from({ length: 200 }, (_, at) =>
      group([belief({ id: `b_${at}`, anchors: [{ path: `src/m${at}.py`, symbol: "run", line: 1 }] })], { path: `src/m${at}.py`, symbol: "", label: `src/m${at}.py` }),
    );
    kept = { workspace: beliefs(...many) };
    const { outline } = begin();
    const rows = await outline.getChildren(await node(outline, "Workspace"));
    expect(rows).toHaveLength(200);
    expect([rows[7]?.row.belief?.id, rows[7]?.row.description]).toEqual(["b_7", "decision · src/m7.py#run"]);
  });

  test("of a group of which more are to come counts no more than it knows", async () => {
    kept = { workspace: { groups: [group([belief(), broken()])], total: 300 } };
    const { outline } = begin();
    expect((await node(outline, "fetch", await node(outline, "Workspace"))).row.description).toBe("2+");
  });

  test("shows no marks of code, and what is not simply current before all else", async () => {
    kept = { workspace: beliefs(group([belief({ text: "`fetch` retries", standing: "ahead" })])) };
    const { row } = await node(begin().outline, "fetch retries");
    expect(row.description).toBe("ahead · decision · src/net.py#fetch");
  });

  test("does not say its place twice", async () => {
    kept = { workspace: beliefs(group([belief({ text: "`fetch`: never retries" })])) };
    const { row } = await node(begin().outline, "never retries");
    expect([row.label, row.description]).toEqual(["never retries", "decision · src/net.py#fetch"]);
  });

  test("of the file at hand names its folder where several are open", async () => {
    openFolders("project", "other");
    kept = { file: beliefs(group([belief()])), workspace: beliefs(group([belief()])) };
    edit("/project/src/net.py");
    expect((await drawn(begin().outline))[0]).toBe("This file | net.py · project · 1");
  });
});

describe("the view", () => {
  test("follows the editor, and stays with the file while an output has the focus", async () => {
    const { outline } = begin();
    kept = { file: beliefs(group([belief()])) };
    await outline.getChildren();
    edit("/project/src/net.py");
    await settled();
    expect((await drawn(outline))[0]).toBe("This file | net.py · 1");
    const output = { document: { uri: Uri.parse("output:extension-output") } };
    window.activeTextEditor = output;
    fake.activeEditorMoved.fire(output);
    await settled();
    expect((await drawn(outline))[0]).toBe("This file | net.py · 1");
  });

  test("stays with the file while a page covers its editor, until the file is closed", async () => {
    const { outline } = begin();
    kept = { file: beliefs(group([belief()])), workspace: beliefs(group([belief()])) };
    edit("/project/src/net.py");
    window.activeTextEditor = undefined;
    fake.activeEditorMoved.fire(undefined);
    await settled();
    expect((await drawn(outline))[0]).toBe("This file | net.py · 1");
    window.tabGroups.all = [{ tabs: [{ input: { viewType: "memlsp.belief" } }] }];
    fake.tabsMoved.fire({});
    await settled();
    expect((await drawn(outline))[0]).toBe("This file | no file is open");
  });

  test("asks nothing while nobody looks at it, and looks again when somebody does", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline, view } = begin();
    await drawn(outline);
    view.see(false);
    memory.asked.length = 0;
    memory.move();
    memory.move();
    await settled();
    expect(questions()).toEqual([]);
    view.see();
    await settled();
    expect(questions()).toHaveLength(2);
  });

  test("keeps what it shows while the server is started again, and is empty when none is", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline } = begin();
    const before = await drawn(outline);
    memory.asked.length = 0;
    memory.become("starting");
    await settled();
    expect([await drawn(outline), questions()]).toEqual([before, []]);
    memory.become("failed");
    await settled();
    expect(await drawn(outline)).toEqual([]);
  });

  test("says that it reads until there is something to show, and no longer", async () => {
    memory.state = "starting";
    const { outline, view } = begin();
    expect(view.message).toBe("Reading…");
    expect(await drawn(outline)).toEqual([]);
    expect(view.message).toBe("Reading…");
    memory.become("running");
    expect(view.message).toBe("Reading…");
    await settled();
    await drawn(outline);
    expect(view.message).toBe("");
    memory.become("missing");
    expect(view.message).toBe("");
  });

  test("asks once for many changes at once", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline } = begin();
    await drawn(outline);
    memory.asked.length = 0;
    for (let at = 0; at < 20; at++) memory.move();
    await settled();
    expect(questions()).toHaveLength(2);
  });

  test("asks nothing again about the workspace when only the editor moved", async () => {
    kept = { workspace: beliefs(group([belief()])), file: beliefs(group([belief()])) };
    const { outline } = begin();
    await drawn(outline);
    memory.asked.length = 0;
    edit("/project/src/net.py");
    await settled();
    expect(questions().map(({ scope }) => scope)).toEqual(["file"]);
  });
});

describe("a belief", () => {
  test("is read out with its standing, kind, place and reasons", async () => {
    kept = { workspace: beliefs(group([broken()], { symbol: "", label: "src/net.py" })) };
    const found = await node(begin().outline, "Retries");
    expect(found.row.spoken).toBe(
      "contradicted: Retries three times, because the service drops one call in ten, decision, src/net.py#fetch, 3 is 5 now",
    );
  });

  test("that does not hold is drawn with another sign, and menus know it", async () => {
    kept = {
      workspace: beliefs(
        group([
          broken(),
          belief({ locked: true }),
          belief({ id: "b_7", status: "retired", standing: "retired", holds: false }),
        ]),
      ),
    };
    const { outline } = begin();
    const rows = (await outline.getChildren(await node(outline, "fetch"))).map(({ row }) => [
      row.icon?.id,
      row.context,
    ]);
    expect(rows).toEqual([
      ["warning", "belief fails active placed"],
      ["lock", "belief holds active locked placed"],
      ["circle-slash", "belief fails ended placed"],
    ]);
  });

  test("that another one contradicts is in conflict, not right, and is settled from its row", async () => {
    kept = { workspace: beliefs(group([belief({ conflicts: ["b_1+b_4"], locked: true }), broken({ conflicts: ["b_2+b_4"] })])) };
    memory.answer("memlsp/belief", () => page({ belief: belief({ conflicts: ["b_1+b_4"] }) }));
    memory.answer("memlsp/reviewItem", () => conflict({ id: "b_1+b_4" }));
    memory.answer("memlsp/decide", ({ id, choice }) => ({ item: id, choice, said: "Both stand.", belief: null }));
    const { outline } = begin();
    const one = await node(outline, "Retries");
    expect([one.row.icon?.id, one.row.label.slice(0, 20)]).toEqual(["git-compare", "in conflict: Retries"]);
    expect(one.row.context).toBe("belief holds active conflicting locked placed");
    const [, other] = await outline.getChildren(one.parent);
    expect([other?.row.icon?.id, other?.row.label.split(":")[0]]).toEqual(["warning", "contradicted, in conflict"]);
    fake.answers.push((items: { label: string }[]) => items.find(({ label }) => label === "Keep both"));
    await commands.executeCommand("memlsp.settle", one);
    expect(memory.asked.at(-1)).toEqual({ method: "memlsp/decide", params: { id: "b_1+b_4", choice: "both", uri: ROOT } });
  });

  test("leads to its code when it is chosen, and to its page where it has none", async () => {
    kept = { workspace: beliefs(group([belief(), belief({ id: "b_9", text: "Wide", anchors: [] })])) };
    const { outline } = begin();
    const placed = await node(outline, "Retries");
    await commands.executeCommand(placed.row.command ?? "", placed);
    expect(String(fake.opened[0])).toBe("file:///project/src/net.py");
    const wide = await node(outline, "Wide");
    await commands.executeCommand(wide.row.command ?? "", wide);
    expect(await shownPage(memory)).toEqual({ id: "b_9", uri: ROOT });
  });

  test("whose path leads out of the folder opens nothing but its page", async () => {
    kept = { workspace: beliefs(group([belief({ anchors: [{ path: "../../etc/passwd", symbol: null, line: 1 }] })])) };
    const hostile = await node(begin().outline, "Retries");
    await commands.executeCommand("memlsp.views.reveal", hostile);
    expect(fake.opened).toEqual([]);
    expect(fake.ran.at(-1)?.id).toBe("memlsp.openBelief");
  });

  test("that is chosen is opened, copied and retired by keys", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline, view } = begin();
    view.selection = [await node(outline, "Retries")];
    await commands.executeCommand("memlsp.openBelief", { focused: "memlsp.memory" });
    expect(await shownPage(memory)).toEqual({ id: "b_1", uri: ROOT });
    await commands.executeCommand("memlsp.views.copyText", { focused: "memlsp.memory" });
    expect(fake.copied).toEqual(["Retries three times, because the service drops one call in ten"]);
    fake.answers.push("the service is new");
    await commands.executeCommand("memlsp.belief.retire", { focused: "memlsp.memory" });
    const params = { id: "b_1", uri: "file:///project", action: "retire", note: "the service is new" };
    expect(memory.asked).toContainEqual({ method: "memlsp/revise", params });
  });

  test("that has the focus is meant by a key, also when another is selected", async () => {
    kept = { workspace: beliefs(group([belief(), belief({ id: "b_9", text: "Another" })])) };
    const { outline, view } = begin();
    const [selected, focused] = [await node(outline, "Retries"), await node(outline, "Another")];
    view.selection = [selected];
    commands.registerCommand("list.toggleSelection", () => {
      const has = view.selection.includes(focused);
      view.selection = has ? view.selection.filter((each) => each !== focused) : [...view.selection, focused];
    });
    await commands.executeCommand("memlsp.openBelief", { focused: "memlsp.memory" });
    expect(await shownPage(memory)).toEqual({ id: "b_9", uri: ROOT });
    expect(view.selection).toEqual([selected]);
  });

  test("is kept when the question before its retiring is left", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline, view } = begin();
    view.selection = [await node(outline, "Retries")];
    fake.answers.push(undefined);
    await commands.executeCommand("memlsp.belief.retire", { focused: "memlsp.memory" });
    expect(memory.asked.map((each) => each.method)).not.toContain("memlsp/revise");
  });
});

describe("the filter", () => {
  const words = (items: { word?: string }[]): unknown => items.filter(({ word }) => word === "words");

  test("is chosen from standings and kinds, is said in the heading, and the server applies it", async () => {
    kept = { workspace: beliefs(group([belief()])) };
    const { outline, view } = begin();
    await drawn(outline);
    fake.answers.push((items: { word?: string }[]) =>
      items.filter(({ word }) => word === "contradicted" || word === "rule"),
    );
    await commands.executeCommand("memlsp.memory.filter");
    await settled();
    expect(view.description).toBe("contradicted · rule");
    expect(questions().at(-1)).toMatchObject({ standings: ["contradicted"], kinds: ["rule"] });
    expect(fake.ran).toContainEqual({ id: "setContext", args: ["memlsp.filtered", true] });
    expect((await drawn(outline))[1]).toBe("Workspace | 1 fit the filter");
  });

  test("looks for words, and keeps the sections when nothing fits, so that it can be changed", async () => {
    const { outline, view } = begin();
    fake.answers.push(words, "retry");
    await commands.executeCommand("memlsp.memory.filter");
    await settled();
    expect(view.description).toBe("“retry”");
    expect((await drawn(outline)).slice(1)).toEqual(["Workspace | 0 fit the filter", "User | 0 fit the filter"]);
  });

  test("is cleared in one step", async () => {
    const { view } = begin();
    fake.answers.push(words, "retry");
    await commands.executeCommand("memlsp.memory.filter");
    await commands.executeCommand("memlsp.memory.clearFilter");
    expect(view.description).toBe("");
    expect(fake.ran.at(-1)).toEqual({ id: "setContext", args: ["memlsp.filtered", false] });
  });

  test("stays over a restart but for its words, and what an older version kept does no harm", async () => {
    begin();
    fake.answers.push((items: { word?: string }[]) => items.filter(({ word }) => word === "rule" || word === "words"), "retry");
    await commands.executeCommand("memlsp.memory.filter");
    const { workspaceState } = context;
    expect(JSON.stringify(workspaceState.get("memlsp.memory.filter"))).not.toContain("retry"); // it may be forgotten
    for (const each of context.subscriptions) void each.dispose();
    context = { ...extensionContext("/extension"), workspaceState };
    registerViews(context, memory);
    expect(tree("memlsp.memory").view.description).toBe("rule");
    for (const each of context.subscriptions) void each.dispose();
    await workspaceState.update("memlsp.memory.filter", { standings: ["rotten", 7], kinds: "rule" });
    context = { ...extensionContext("/extension"), workspaceState };
    registerViews(context, memory);
    expect(tree("memlsp.memory").view.description).toBe("");
  });
});
