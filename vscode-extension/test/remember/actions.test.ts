import { beforeEach, describe, expect, test } from "vitest";
import { commands } from "vscode";
import { fake } from "../fake/vscode";
import { MemoryError } from "../../src/memory";
import { act } from "../../src/remember/actions";
import { registerRemember } from "../../src/remember";
import { belief, FakeMemory, page } from "./belief";

let known: FakeMemory;
beforeEach(() => {
  fake.reset();
  known = new FakeMemory();
  for (const each of ["memlsp/revise", "memlsp/forget"]) known.answers.set(each, {});
});

describe("an action", () => {
  test("that needs nothing is done at once, and said quietly", async () => {
    expect(await act(known.memory, belief(), "confirm")).toBe(true);
    expect(known.params("memlsp/revise")).toEqual([{ id: "fj8egz2k", uri: "file:///repo", action: "confirm" }]);
    expect(fake.told[0]).toContain("Confirmed");
    expect(fake.messages).toEqual([]);
  });

  test("names the folder of its belief, another may know the same id, and none where none is known", async () => {
    await act(known.memory, belief({ root: "file:///copy" }), "confirm");
    await act(known.memory, belief({ root: "" }), "confirm");
    expect(known.params("memlsp/revise")).toEqual([
      { id: "fj8egz2k", uri: "file:///copy", action: "confirm" },
      { id: "fj8egz2k", action: "confirm" },
    ]);
  });

  test("that does not exist does nothing", async () => {
    expect(await act(known.memory, belief(), "explode")).toBe(false);
    expect(known.asked).toEqual([]);
  });

  test("that the server refused is told once, when nobody told it yet", async () => {
    known.answers.set("memlsp/revise", new MemoryError("only persons lock", "ask one"));
    expect(await act(known.memory, belief(), "lock")).toBe(false);
    expect(fake.messages.map((each) => each.text)).toEqual(["only persons lock. ask one"]);
    known.answers.set("memlsp/revise", new MemoryError("only persons lock", "", true));
    await act(known.memory, belief(), "lock");
    expect(fake.messages).toHaveLength(1);
  });
});

describe("replacing", () => {
  test("asks for the statement with the old one there to be edited", async () => {
    fake.answers.push("Retries five times.");
    expect(await act(known.memory, belief(), "supersede")).toBe(true);
    expect(fake.asked[0]?.options).toMatchObject({ value: belief().text });
    expect(known.params("memlsp/revise")).toMatchObject([{ action: "supersede", text: "Retries five times." }]);
  });

  test("by the same statement sends nothing and says so", async () => {
    fake.answers.push(belief().text);
    expect(await act(known.memory, belief(), "supersede")).toBe(false);
    expect(known.asked).toEqual([]);
    expect(fake.messages).toHaveLength(1);
  });

  test("is left with Escape", async () => {
    fake.answers.push(undefined);
    expect(await act(known.memory, belief(), "supersede")).toBe(false);
    expect(known.asked).toEqual([]);
  });
});

test("retiring takes a reason, and none", async () => {
  fake.answers.push("It was rewritten.", "");
  await act(known.memory, belief(), "retire");
  await act(known.memory, belief(), "retire");
  expect(known.params("memlsp/revise")).toEqual([
    { id: "fj8egz2k", uri: "file:///repo", action: "retire", note: "It was rewritten." },
    { id: "fj8egz2k", uri: "file:///repo", action: "retire" },
  ]);
});

test("conditions stand there to be edited, and what is none is not sent", async () => {
  fake.answers.push("env=production", "nonsense");
  await act(known.memory, belief({ conditions: ["env=staging"] }), "scope");
  expect(fake.asked[0]?.options).toMatchObject({ value: "env=staging" });
  expect(await act(known.memory, belief(), "scope")).toBe(false);
  expect(known.params("memlsp/revise")).toMatchObject([{ action: "scope", conditions: ["env=production"] }]);
});

describe("tying to another place", () => {
  test("offers what the server found, with how much alike it is", async () => {
    const candidates = [{ path: "http.py", symbol: "get", line: 9, similarity: 0.87 }];
    fake.answers.push((items: unknown[]) => items[0]);
    expect(await act(known.memory, belief({ candidates }), "reanchor")).toBe(true);
    expect(fake.asked[0]?.items).toMatchObject([{ label: "get", detail: "87 % alike" }, { label: "Another place…" }]);
    expect(known.params("memlsp/revise")).toMatchObject([{ action: "reanchor", place: "http.py#get" }]);
  });

  test("asks for a path where nothing was found", async () => {
    fake.answers.push("http.py");
    await act(known.memory, belief(), "reanchor");
    expect(fake.asked[0]).toMatchObject({ what: "input", options: { value: "client.py#fetch" } });
    expect(known.params("memlsp/revise")).toMatchObject([{ action: "reanchor", place: "http.py" }]);
  });
});

test("taking back offers the changes, the latest first", async () => {
  known.answers.set("memlsp/belief", page(belief(), [{ action: "remember" }, { action: "confirm" }]));
  fake.answers.push((items: unknown[]) => items[0]);
  expect(await act(known.memory, belief(), "rollback")).toBe(true);
  expect(known.params("memlsp/revise")).toMatchObject([{ action: "rollback", note: "2" }]);
});

describe("forgetting", () => {
  test("is asked about in a dialog that names what goes", async () => {
    fake.answers.push("Forget for good");
    expect(await act(known.memory, belief(), "forget")).toBe(true);
    expect(fake.messages[0]).toMatchObject({ level: "warning", items: [{ modal: true }, "Forget for good"] });
    expect(known.params("memlsp/forget")).toEqual([{ id: "fj8egz2k", uri: "file:///repo" }]);
  });

  test("is not done without a yes", async () => {
    fake.answers.push(undefined);
    expect(await act(known.memory, belief(), "forget")).toBe(false);
    expect(known.asked).toEqual([]);
  });
});

test("a proposal is admitted as a decision", async () => {
  known.answers.set("memlsp/decide", {});
  expect(await act(known.memory, belief(), "admit")).toBe(true);
  expect(known.asked).toEqual([
    { method: "memlsp/decide", params: { id: "fj8egz2k", choice: "admit", uri: "file:///repo" } },
  ]);
});

describe("a command about a belief", () => {
  beforeEach(() => {
    registerRemember({ subscriptions: [] } as never, known.memory);
  });

  test.each([
    ["the belief", belief()],
    ["a tree's node", { belief: belief() }],
    ["its id", "fj8egz2k"],
    ["its id and folder", { id: "fj8egz2k", root: "file:///repo" }],
  ])("takes %s", async (_, argument) => {
    known.answers.set("memlsp/belief", page(belief()));
    await commands.executeCommand("memlsp.belief.confirm", argument);
    expect(known.params("memlsp/revise")).toEqual([{ id: "fj8egz2k", uri: "file:///repo", action: "confirm" }]);
  });

  test("takes every node that is selected", async () => {
    const [one, two] = [{ belief: belief({ id: "one" }) }, { belief: belief({ id: "two" }) }];
    await commands.executeCommand("memlsp.belief.confirm", one, [one, two]);
    expect(known.params("memlsp/revise")).toMatchObject([{ id: "one" }, { id: "two" }]);
  });

  test("takes what is no belief out of a selection", async () => {
    const [one, two] = [{ belief: belief({ id: "one" }) }, { belief: belief({ id: "two" }) }];
    await commands.executeCommand("memlsp.belief.confirm", one, [{ belief: undefined }, one, "three", two]);
    expect(known.params("memlsp/revise")).toMatchObject([{ id: "one" }, { id: "two" }]);
  });

  test.each([
    ["ids", "fj8egz2k", ["fj8egz2k", "two", "three"]],
    ["ids and folders", { id: "fj8egz2k" }, [{ id: "fj8egz2k" }, { id: "two" }]],
    ["beliefs that are not the tree's", { belief: belief() }, [{ belief: belief() }, { belief: belief({ id: "two" }) }]],
  ])("takes the first alone where a link brings several %s", async (_, first, selected) => {
    known.answers.set("memlsp/belief", page(belief()));
    await commands.executeCommand("memlsp.belief.confirm", first, selected);
    expect(known.params("memlsp/revise")).toMatchObject([{ id: "fj8egz2k" }]);
  });

  test("does nothing without a belief", async () => {
    await commands.executeCommand("memlsp.belief.confirm", undefined);
    expect(known.asked).toEqual([]);
  });
});
