import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ExtensionContext } from "vscode";
import { MemoryError } from "../../src/memory";
import { registerBeliefPage } from "../../src/page";
import { registerRemember } from "../../src/remember";
import { registerViews } from "../../src/views";
import type { DecideParams, ReviewItem } from "../../src/wire";
import { extensionContext } from "../fake/context";
import { FakeMemory } from "../fake/memory";
import { commands, fake } from "../fake/vscode";
import {
  belief,
  broken,
  conflict,
  drawn,
  item,
  node,
  NOTHING,
  openFolders,
  proposal,
  queue,
  ROOT,
  shownPage,
  tree,
} from "./answers";

let memory: FakeMemory;
let context: ExtensionContext;
let waiting: ReviewItem[];

beforeEach(() => {
  fake.reset();
  vi.useFakeTimers();
  waiting = [conflict(), item(), proposal()];
  memory = new FakeMemory({
    "memlsp/beliefs": () => NOTHING,
    "memlsp/timeline": () => ({ entries: [], threads: [], more: false, root: ROOT }),
    "memlsp/review": ({ limit }) => ({ ...queue(...waiting), items: waiting.slice(0, limit) }),
    "memlsp/reviewItem": ({ id }) => {
      const found = waiting.find((each) => each.id === id);
      if (!found) throw new Error(`nothing waits as ${id}`);
      return { ...found, changes: [CHANGE] };
    },
    "memlsp/decide": ({ id, choice }) => {
      waiting = waiting.filter((each) => each.id !== id);
      return { item: id, choice, said: `${choice}: ${id}`, belief: null };
    },
    "memlsp/undo": () => {
      waiting = [...waiting, item()];
      return { item: "b_2", choice: "confirm", said: "taken back: confirm of b_2", belief: null };
    },
  });
  openFolders("project");
});

afterEach(() => {
  for (const each of context.subscriptions) void each.dispose();
  vi.useRealTimers();
});

const CHANGE = {
  was: "src/net.py#fetch",
  now: "src/net.py#fetch",
  verified_at: "2026-11-01T10:00:00Z",
  commit: null,
  lines: [" def fetch():", "-    tries = 3", "+    tries = 5"],
};

function begin(visible = true): ReturnType<typeof tree> {
  context = extensionContext("/extension");
  const views = registerViews(context, memory);
  registerRemember(context, memory, views);
  registerBeliefPage(context, memory, views.meant);
  const review = tree("memlsp.review");
  if (visible) review.view.see();
  return review;
}

const decisions = (): DecideParams[] =>
  memory.asked.filter(({ method }) => method === "memlsp/decide").map(({ params }) => params as DecideParams);
const answering = (label: string) => (items: { label: string }[]) => items.find((each) => each.label === label);
const revealed = (view: ReturnType<typeof tree>["view"]): unknown[] =>
  view.revealed.map((each) => (each as { row: { item?: ReviewItem } }).row.item?.id);

describe("what waits", () => {
  test("is grouped by why it waits, with counts", async () => {
    expect(await drawn(begin().outline)).toEqual([
      "Contradictions | 1",
      "  port is 8080 or 9090 | src/net.py#fetch",
      "Stale | 1",
      "  contradicted: Retries three times, because the service drops one call in ten | decision · src/net.py#fetch",
      "Proposals | 1",
    ]);
  });

  test("is nothing when nothing waits, so that the welcome says so", async () => {
    waiting = [];
    expect(await drawn(begin().outline)).toEqual([]);
    expect(fake.ran).toContainEqual({ id: "setContext", args: ["memlsp.review.empty", true] });
  });

  test("of two folders with one memory is there once", async () => {
    openFolders("project", "worktree");
    const { outline, view } = begin();
    expect(await drawn(outline)).toHaveLength(5);
    expect(view.badge?.value).toBe(2);
  });

  test("shows its sides, what became of the code, and what speaks for and against", async () => {
    const { outline } = begin();
    const below = await drawn(outline, await node(outline, "Retries"));
    expect(below).toEqual(["src/net.py#fetch | +1 −1", "3 is 5 now"]);
    const sides = await drawn(outline, await node(outline, "port is"));
    expect(sides.slice(0, 2)).toEqual([
      "The port is 8080 | first side · in conflict · decision · Ada",
      "The port is 9090 | second side · in conflict · decision · Ada",
    ]);
  });

  test("shows of a contradiction and of a proposal no code that is as it was", async () => {
    memory.answer("memlsp/reviewItem", ({ id }) => ({ ...(waiting.find((each) => each.id === id) ?? item()), changes: [{ ...CHANGE, lines: [] }] }));
    const { outline } = begin();
    expect(await drawn(outline, await node(outline, "port is"))).toHaveLength(2);
    expect(await drawn(outline, await node(outline, "Prices"))).toEqual(["readme: README.md:4"]);
    expect((await drawn(outline, await node(outline, "Retries")))[0]).toMatch(/the same; what it uses is different/);
  });

  test("says how much more there is, and shows it when asked", async () => {
    waiting = Array.from({ length: 120 }, (_, at) => item({ id: `b_${at}` }));
    const { outline } = begin();
    expect((await drawn(outline)).at(-1)).toBe("  Show more | 20 left");
    await commands.executeCommand("memlsp.views.more", (await outline.getChildren(await node(outline, "Stale"))).at(-1));
    await vi.advanceTimersByTimeAsync(300);
    expect(await drawn(outline)).toHaveLength(121);
  });

  test("of proposals shows that there are any, the best five when it is opened, and more when asked", async () => {
    waiting = Array.from({ length: 120 }, (_, at) => proposal({ id: `b_${at}` }));
    const { outline } = begin();
    expect(await drawn(outline)).toEqual(["Proposals | 120"]);
    const proposals = await node(outline, "Proposals");
    expect((await outline.getChildren(proposals)).map(({ row }) => row.item?.id ?? row.description)).toEqual([
      ...["b_0", "b_1", "b_2", "b_3", "b_4"],
      "115 left",
    ]);
    await commands.executeCommand("memlsp.views.more", await node(outline, "Show more"));
    await vi.advanceTimersByTimeAsync(300);
    expect(await outline.getChildren(proposals)).toHaveLength(106);
  });

  test("opens the page of its belief, and the comparison of its code", async () => {
    const { outline } = begin();
    const stale = await node(outline, "Retries");
    await commands.executeCommand(stale.row.command ?? "", stale);
    expect(await shownPage(memory)).toEqual({ id: "b_2", uri: ROOT });
    await commands.executeCommand("memlsp.review.compare", stale);
    expect(fake.ran.at(-1)?.id).toBe("vscode.diff");
  });

  test("has in its menu what the server takes for it, and nothing else", async () => {
    const { outline } = begin();
    expect((await node(outline, "Prices")).row.context).toBe("item proposal admit reject placed");
    expect((await node(outline, "port is")).row.context).toBe("item conflict first second both apart placed");
  });
});

describe("a decision", () => {
  test("is made from the row, said quietly, and the next thing has the focus", async () => {
    const { outline, view } = begin();
    await drawn(outline);
    await commands.executeCommand("memlsp.belief.confirm", await node(outline, "Retries"));
    expect(decisions()).toEqual([{ id: "b_2", choice: "confirm", uri: "file:///project" }]);
    expect(fake.told).toContain("confirm: b_2");
    expect(revealed(view)).toEqual(["b_4+b_5"]); // and not on to a proposal
    expect(fake.messages).toEqual([]);
  });

  test("about the last thing gives the focus to the one before", async () => {
    const { outline, view } = begin();
    await drawn(outline);
    await commands.executeCommand("memlsp.belief.admit", await node(outline, "Prices"));
    expect(revealed(view)).toEqual(["b_2"]);
  });

  test("is chosen among all that the server takes, and asks for the words that it needs", async () => {
    const { outline } = begin();
    fake.answers.push(answering("Replace…"), "Retries five times, because the service drops one call in ten");
    await commands.executeCommand("memlsp.review.decide", await node(outline, "Retries"));
    expect(decisions()).toEqual([
      {
        id: "b_2",
        choice: "supersede",
        uri: "file:///project",
        text: "Retries five times, because the service drops one call in ten",
      },
    ]);
  });

  test("can admit a proposal in other words", async () => {
    const { outline } = begin();
    fake.answers.push(answering("Admit in other words…"), "Prices are in whole cents");
    await commands.executeCommand("memlsp.review.decide", await node(outline, "Prices"));
    expect(decisions()).toMatchObject([{ choice: "admit", text: "Prices are in whole cents" }]);
  });

  test("tells two sides apart by a condition of the first", async () => {
    const { outline } = begin();
    fake.answers.push(answering("Tell them apart…"), "env=staging, os=linux");
    await commands.executeCommand("memlsp.review.decide", await node(outline, "port is"));
    expect(decisions()).toMatchObject([{ choice: "apart", conditions: ["env=staging", "os=linux"] }]);
  });

  test("is made about all that are selected, where it needs no words", async () => {
    waiting = [proposal(), proposal({ id: "b_6", beliefs: [belief({ id: "b_6", text: "Dates are in UTC" })] }), item()];
    const { outline, view } = begin();
    await drawn(outline);
    const [one, other, stale] = [
      await node(outline, "Prices"),
      await node(outline, "Dates"),
      await node(outline, "Retries"),
    ];
    await commands.executeCommand("memlsp.belief.admit", one, [one, other, stale]);
    expect(decisions().map(({ id, choice }) => [id, choice])).toEqual([
      ["b_3", "admit"],
      ["b_6", "admit"],
    ]);
    expect(fake.told).toEqual(["2 decisions made; each can be taken back"]);
    expect(revealed(view)).toEqual(["b_2"]);
  });

  test("is made about one when that is not among the selected, or when words are needed", async () => {
    waiting = [item(), item({ id: "b_6", beliefs: [broken({ id: "b_6", text: "Another" })] })];
    const { outline } = begin();
    const [one, other] = [await node(outline, "Retries"), await node(outline, "Another")];
    await commands.executeCommand("memlsp.belief.confirm", one, [other]);
    fake.answers.push("it moved");
    await commands.executeCommand("memlsp.belief.retire", other, [one, other]);
    expect(decisions()).toMatchObject([
      { id: "b_2", choice: "confirm" },
      { id: "b_6", choice: "retire", note: "it moved" },
    ]);
  });

  test("about several ends at the first that is refused, and says so", async () => {
    waiting = [proposal(), proposal({ id: "b_6" }), proposal({ id: "b_7" })];
    memory.answer("memlsp/decide", ({ id, choice }) => {
      if (id === "b_6") throw new Error("b_6 was settled meanwhile");
      waiting = waiting.filter((each) => each.id !== id);
      return { item: id, choice, said: "", belief: null };
    });
    const { outline } = begin();
    const all = await outline.getChildren(await node(outline, "Proposals"));
    await commands.executeCommand("memlsp.belief.reject", all[0], all);
    expect(decisions().map(({ id }) => id)).toEqual(["b_3", "b_6"]);
    expect(fake.messages).toMatchObject([{ text: "b_6 was settled meanwhile" }]);
  });

  test("offers by its own name what a newer server takes", async () => {
    waiting = [proposal({ choices: ["admit", "postpone"] })];
    const { outline } = begin();
    fake.answers.push(answering("postpone"));
    await commands.executeCommand("memlsp.review.decide", await node(outline, "Prices"));
    expect(decisions()).toMatchObject([{ choice: "postpone" }]);
  });

  test("is not made when the question for its words is left", async () => {
    const { outline } = begin();
    fake.answers.push(undefined);
    await commands.executeCommand("memlsp.belief.retire", await node(outline, "Retries"));
    expect(decisions()).toEqual([]);
  });

  test("that the server refuses is said once, with a way to the log", async () => {
    memory.answer("memlsp/decide", () => {
      throw new Error("b_2 was settled meanwhile");
    });
    const { outline } = begin();
    await commands.executeCommand("memlsp.belief.confirm", await node(outline, "Retries"));
    expect(fake.messages).toMatchObject([{ level: "error", text: "b_2 was settled meanwhile", items: ["Show log"] }]);
  });

  test("is taken back, and what is there again has the focus", async () => {
    const { outline, view } = begin();
    await drawn(outline);
    await commands.executeCommand("memlsp.belief.confirm", await node(outline, "Retries"));
    expect(fake.ran).toContainEqual({ id: "setContext", args: ["memlsp.undoable", true] });
    await commands.executeCommand("memlsp.review.undo");
    expect(memory.asked).toContainEqual({ method: "memlsp/undo", params: { item: "b_2", uri: "file:///project" } });
    expect(fake.told.at(-1)).toBe("taken back: confirm of b_2");
    expect(revealed(view).at(-1)).toBe("b_2");
    expect(fake.ran.filter(({ id }) => id === "setContext").at(-2)?.args).toEqual(["memlsp.undoable", false]);
  });

  test("takes nothing back that was not decided here", async () => {
    const { outline } = begin();
    await commands.executeCommand("memlsp.review.undo");
    expect(memory.asked.map(({ method }) => method)).not.toContain("memlsp/undo");
    expect(fake.told.at(-1)).toMatch(/^Nothing was decided in this window/);
    await drawn(outline);
    await commands.executeCommand("memlsp.belief.confirm", await node(outline, "Retries"));
    memory.answer("memlsp/undo", () => {
      throw new MemoryError("the last decision of Ann is another, admit of b_3", "memlsp review --undo takes that one back");
    });
    await commands.executeCommand("memlsp.review.undo");
    expect(fake.messages.at(-1)?.text).toMatch(/^the last decision of Ann is another/);
  });
});

describe("going through it all", () => {
  test("asks about one thing after the other, the weightiest first, and leaves what is put off", async () => {
    begin();
    fake.answers.push(answering("Keep both"), answering("Later"));
    await commands.executeCommand("memlsp.review.walk");
    expect(decisions().map(({ id, choice }) => [id, choice])).toEqual([["b_4+b_5", "both"]]);
    const titles = fake.asked.map(({ options }) => (options as { title: string }).title);
    expect(titles[1]).toMatch(/^Review 2 of 2: Retries three times/);
    expect(fake.told.at(-1)).toMatch(/^That was all that is urgent. Proposals that wait: 1/);
  });

  test("goes through the proposals where nothing else waits", async () => {
    waiting = [proposal()];
    begin();
    fake.answers.push(answering("Admit"));
    await commands.executeCommand("memlsp.review.walk");
    expect(decisions()).toMatchObject([{ id: "b_3", choice: "admit" }]);
  });

  test("stops when it is left, and keeps what was decided", async () => {
    begin();
    fake.answers.push(answering("Keep both"), undefined);
    await commands.executeCommand("memlsp.review.walk");
    expect(decisions()).toHaveLength(1);
  });

  test("asks again about a thing whose words were not given", async () => {
    waiting = [item()];
    begin();
    fake.answers.push(answering("No longer true…"), undefined, answering("Still true"));
    await commands.executeCommand("memlsp.review.walk");
    expect(decisions()).toMatchObject([{ choice: "confirm" }]);
  });

  test("says quietly that nothing waits", async () => {
    waiting = [];
    begin();
    await commands.executeCommand("memlsp.review.walk");
    expect(fake.told).toEqual(["Nothing waits for a decision."]);
  });
});

describe("the badge", () => {
  const asked = (): number => memory.asked.filter(({ method }) => method === "memlsp/review").length;

  test("counts what waits without anybody looking at the view", async () => {
    const { view } = begin(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(view.badge).toEqual({ value: 2, tooltip: "2 decisions wait" });
    expect(memory.asked.filter(({ method }) => method === "memlsp/review")).toEqual([
      { method: "memlsp/review", params: { uri: "file:///project", limit: 1 } },
    ]);
  });

  test("asks once while somebody types", async () => {
    begin(false);
    await vi.advanceTimersByTimeAsync(2_000);
    memory.asked.length = 0;
    for (let at = 0; at < 10; at++) {
      memory.move();
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked()).toBe(1);
  });

  test("takes its count from the rows of a view that is looked at", async () => {
    const { outline, view } = begin();
    await drawn(outline);
    await vi.advanceTimersByTimeAsync(2_000);
    memory.asked.length = 0;
    waiting = [item()];
    memory.move();
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked(), view.badge?.value, view.badge?.tooltip]).toEqual([1, 1, "1 decision waits"]);
  });

  test("counts proposals too, or is not there, as the setting says", async () => {
    fake.settings.set("memlsp.review.badge", "all");
    const { view } = begin(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(view.badge?.value).toBe(3);
    fake.settings.set("memlsp.review.badge", "off");
    fake.configurationMoved.fire({ affectsConfiguration: (name) => name === "memlsp.review.badge" });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(view.badge).toBeUndefined();
  });

  test("goes when the server does", async () => {
    const { view } = begin(false);
    await vi.advanceTimersByTimeAsync(2_000);
    memory.become("stopped");
    expect(view.badge).toBeUndefined();
  });
});
