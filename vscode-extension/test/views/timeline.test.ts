import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ExtensionContext } from "vscode";
import { registerRemember } from "../../src/remember";
import { registerViews } from "../../src/views";
import { dayKey, dayName } from "../../src/views/days";
import type { Timeline } from "../../src/wire";
import { extensionContext } from "../fake/context";
import { FakeMemory } from "../fake/memory";
import { commands, fake } from "../fake/vscode";
import { drawn, entry, episode, node, NOTHING, openFolders, queue, thread, timeline, tree } from "./answers";

let memory: FakeMemory;
let context: ExtensionContext;
/** What happened, by folder. */
let told: Record<string, (before: string | undefined) => Timeline>;

beforeEach(() => {
  fake.reset();
  vi.useFakeTimers({ now: new Date("2026-11-21T12:00:00Z") });
  told = {};
  memory = new FakeMemory({
    "memlsp/beliefs": () => NOTHING,
    "memlsp/review": () => queue(),
    "memlsp/timeline": ({ uri, before }) => told[uri ?? ""]?.(before) ?? timeline([]),
    "memlsp/episode": () => episode(),
  });
  openFolders("project");
});

afterEach(() => {
  for (const each of context.subscriptions) void each.dispose();
  vi.useRealTimers();
});

function begin(): ReturnType<typeof tree> {
  context = extensionContext("/extension");
  registerRemember(context, memory, registerViews(context, memory));
  const found = tree("memlsp.timeline");
  found.view.see();
  return found;
}

const labels = async (outline: ReturnType<typeof tree>["outline"]): Promise<string[]> =>
  (await drawn(outline)).map((line) => line.replace(/ · [^·]*$/, ""));

describe("the timeline", () => {
  test("shows open threads on top, then what happened, day by day", async () => {
    told["file:///project"] = () =>
      timeline(
        [
          entry({ what: "episode", id: "e_1", title: "Retry more often", detail: "committed", source: "claude-code" }),
          entry({
            what: "belief",
            id: "b_1",
            title: "Retries three times",
            detail: "remember",
            at: "2026-11-20T12:00:00Z",
          }),
        ],
        [thread()],
      );
    expect(await labels(begin().outline)).toEqual([
      "Open threads | 1",
      "  measure how often it fails | to do",
      "Today | 1",
      "  Retry more often | episode · committed · claude-code",
      "Yesterday | 1",
      "  remembered: Retries three times | belief · Ada",
    ]);
  });

  test("shows apart what was remembered, retired and taken back", async () => {
    const what = ["remember", "propose", "confirm", "supersede", "retire", "rollback", "lock"];
    told["file:///project"] = () => timeline(what.map((detail) => entry({ what: "belief", id: "b_1", detail })));
    const { outline } = begin();
    const rows = await outline.getChildren(await node(outline, "Today"));
    expect(new Set(rows.map(({ row }) => row.icon?.id)).size).toBe(what.length);
    expect(rows.map(({ row }) => row.label.split(":")[0])).toEqual(["remembered", "proposed", "confirmed", "replaced", "retired", "taken back", "locked"]);
  });

  test("counts no more of its last day than it knows, and names the folder where several are open", async () => {
    openFolders("project", "other");
    told["file:///project"] = () => timeline([entry({ title: "Latest" })], [thread()], true);
    const lines = await drawn(begin().outline);
    expect(lines).toContain("Today | 1+");
    expect(lines.find((line) => line.includes("Latest"))).toMatch(/ · project$/);
    expect(lines.find((line) => line.includes("measure"))).toMatch(/ · project$/);
  });

  test("is empty, so that the welcome is shown, when nothing happened", async () => {
    expect(await drawn(begin().outline)).toEqual([]);
    expect(fake.ran).toContainEqual({ id: "setContext", args: ["memlsp.timeline.empty", true] });
  });

  test("asks for what is older from the oldest that is shown, and puts it below", async () => {
    told["file:///project"] = (before) =>
      before
        ? timeline([entry({ id: "old", title: "Begin", at: "2026-11-01T10:00:00Z" })])
        : timeline([entry({ title: "Latest" })], [], true);
    const { outline } = begin();
    expect((await labels(outline)).at(-1)).toBe("Show more | what is older");
    const today = await node(outline, "Today");
    await commands.executeCommand("memlsp.views.more", (await outline.getChildren()).at(-1));
    expect(memory.asked.at(-1)?.params).toMatchObject({ before: "2026-11-21T10:00:00Z" });
    const lines = await labels(outline);
    expect(lines.filter((line) => line.startsWith("  "))).toHaveLength(2);
    expect(lines.some((line) => line.startsWith("Show more"))).toBe(false);
    expect(await node(outline, "Today")).toBe(today);
  });

  test("does not ask for ever when the server has nothing older after all", async () => {
    told["file:///project"] = () => timeline([entry()], [], true);
    const { outline } = begin();
    await drawn(outline);
    await commands.executeCommand("memlsp.views.more", (await outline.getChildren()).at(-1));
    expect((await labels(outline)).some((line) => line.startsWith("Show more"))).toBe(false);
  });

  test("of several folders is one line of time, as far back as all of them are known", async () => {
    openFolders("project", "other");
    told["file:///project"] = (before) =>
      before
        ? timeline([entry({ id: "p3", title: "P3", at: "2026-11-21T07:00:00Z" })])
        : timeline(
            [entry({ id: "p1", title: "P1" }), entry({ id: "p2", title: "P2", at: "2026-11-21T09:00:00Z" })],
            [],
            true,
          );
    told["file:///other"] = () =>
      timeline([
        entry({ id: "o1", title: "O1", at: "2026-11-21T09:30:00Z" }),
        entry({ id: "o2", title: "O2", at: "2026-11-21T08:00:00Z" }),
      ]);
    const { outline } = begin();
    const titles = async (): Promise<string[]> =>
      (await drawn(outline)).filter((line) => line.startsWith("  ")).map((line) => line.trim().slice(0, 2));
    expect(await titles()).toEqual(["P1", "O1", "P2"]);
    await commands.executeCommand("memlsp.views.more", (await outline.getChildren()).at(-1));
    expect(await titles()).toEqual(["P1", "O1", "P2", "O2", "P3"]);
  });

  test("keeps what was loaded when it looks again", async () => {
    const all = Array.from({ length: 80 }, (_, at) =>
      entry({ id: `c${at}`, at: `2026-11-21T10:00:${String(59 - (at % 60)).padStart(2, "0")}Z` }),
    );
    told["file:///project"] = (before) => timeline(before ? all.slice(50) : all.slice(0, 50), [], !before);
    const { outline } = begin();
    await drawn(outline);
    await commands.executeCommand("memlsp.views.more", (await outline.getChildren()).at(-1));
    memory.move();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(memory.asked.filter(({ method }) => method === "memlsp/timeline").at(-1)?.params).toMatchObject({
      limit: 80,
    });
  });
});

describe("an episode", () => {
  test("tells when it is opened what was asked for, changed and run, and where", async () => {
    told["file:///project"] = () => timeline([entry({ what: "episode", id: "e_1", detail: "failed", title: "Retry" })]);
    const { outline } = begin();
    const found = await node(outline, "Retry");
    expect(found.row.icon?.id).toBe("error");
    expect(await drawn(outline, found)).toEqual([
      "make fetch survive a bad minute",
      "fetch now tries 5 times",
      "pytest -q",
      "0123456789",
      "src/net.py",
    ]);
    const ran = await node(outline, "pytest", found);
    expect(ran.row.spoken).toBe("Command pytest -q, failed");
  });

  test("is copied as a report", async () => {
    told["file:///project"] = () => timeline([entry({ what: "episode", id: "e_1", title: "Retry" })]);
    const { outline } = begin();
    await commands.executeCommand("memlsp.views.copyText", await node(outline, "fetch"));
    await commands.executeCommand("memlsp.views.copyText", await node(outline, "Retry"));
    expect(fake.copied[0]).toContain("Commands\n- pytest -q (!)");
    expect(fake.copied[1]).toBe(fake.copied[0]);
  });
});

describe("a thread", () => {
  test("leads to its line", async () => {
    told["file:///project"] = () => timeline([], [thread()]);
    const found = await node(begin().outline, "measure");
    await commands.executeCommand(found.row.command ?? "", found);
    expect(String(fake.opened[0])).toBe("file:///project/src/net.py");
  });

  test("is closed after being asked what became of it", async () => {
    told["file:///project"] = () => timeline([], [thread()]);
    const found = await node(begin().outline, "measure");
    fake.answers.push("it is measured now");
    await commands.executeCommand("memlsp.timeline.closeThread", found);
    const closed = { method: "memlsp/closeThread", params: { id: "t_1", note: "it is measured now" } };
    expect(memory.asked).toContainEqual(closed);
  });

  test("stays open when that question is left", async () => {
    told["file:///project"] = () => timeline([], [thread()]);
    fake.answers.push(undefined);
    await commands.executeCommand("memlsp.timeline.closeThread", await node(begin().outline, "measure"));
    expect(memory.asked.map((each) => each.method)).not.toContain("memlsp/closeThread");
  });
});

describe("a handoff", () => {
  beforeEach(() => {
    memory.answer("memlsp/handoff", () => ({ id: "h1", head: "h1 · Claude Code · now", lines: ["task: Retry", "next: run mypy"] }));
  });

  test("tells when it is opened what is next, and where", async () => {
    told["file:///project"] = () => timeline([entry({ what: "handoff", id: "h1", title: "Retry", detail: "made" })]);
    const { outline } = begin();
    const rows = await outline.getChildren(await node(outline, "Retry"));
    expect(rows.map(({ row }) => row.label)).toEqual(["h1 · Claude Code · now", "task: Retry", "next: run mypy", "src/net.py"]);
    expect(memory.asked.at(-1)).toEqual({ method: "memlsp/handoff", params: { id: "h1", uri: "file:///project" } });
  });

  test("is taken from its row, once", async () => {
    told["file:///project"] = () =>
      timeline([
        entry({ what: "handoff", id: "h1", title: "Retry", detail: "made" }),
        entry({ what: "handoff", id: "h2", title: "Wait", detail: "claimed" }),
      ]);
    const { outline } = begin();
    const found = await node(outline, "Retry");
    expect(found.row.context).toBe("entry handoff waiting");
    expect((await node(outline, "Wait")).row.context).toBe("entry handoff");
    await commands.executeCommand("memlsp.timeline.takeHandoff", found);
    expect(memory.asked).toContainEqual({ method: "memlsp/handoff", params: { id: "h1", claim: true, uri: "file:///project" } });
  });
});

test("days are called today, yesterday, and by their dates, of other years with the year", () => {
  const now = new Date("2026-11-21T12:00:00");
  expect(dayName(dayKey("2026-11-21T10:00:00"), now)).toBe("Today");
  expect(dayName(dayKey("2026-11-20T10:00:00"), now)).toBe("Yesterday");
  expect(dayName(dayKey("2026-03-02T10:00:00"), now)).toBe("Monday, March 2");
  expect(dayName(dayKey("2025-03-02T10:00:00"), now)).toBe("Sunday, March 2, 2025");
  expect(dayName(dayKey("never"), now)).toBe("Without a date");
});
