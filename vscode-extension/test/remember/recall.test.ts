import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FakeQuickPick } from "../fake/quick-input";
import { fake, Uri, window, workspace } from "../fake/vscode";
import { MemoryError } from "../../src/memory";
import { Recall } from "../../src/remember/recall";
import { belief, FakeMemory } from "./belief";

let known: FakeMemory;
let recall: Recall;
let box: FakeQuickPick;

beforeEach(() => {
  vi.useFakeTimers();
  fake.reset();
  known = new FakeMemory();
  workspace.workspaceFolders = [{ uri: Uri.file("/repo"), name: "repo", index: 0 }];
  recall = new Recall(known.memory);
  known.answers.set("memlsp/recall", {
    hits: [
      { ...belief({ id: "second-by-letters", text: "Zebra" }), why: ["words", "near"] },
      { ...belief({ id: "first-by-letters", text: "Apple" }), why: [] },
    ],
  });
  const create = window.createQuickPick;
  vi.spyOn(window, "createQuickPick").mockImplementation(() => {
    box = create();
    vi.spyOn(box, "show").mockImplementation(() => (box.shown = true));
    return box;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function typed(...texts: string[]): Promise<void> {
  for (const text of texts) box.type(text);
  await vi.runAllTimersAsync();
}

test("a question is sent when typing pauses, not for each letter, and leaves no receipt", async () => {
  void recall.ask();
  await typed("wh", "why", "why three");
  expect(known.params("memlsp/recall")).toEqual([{ query: "why three", uri: "file:///repo", typing: true }]);
});

test("answers stand in the server's order, whatever the letters", async () => {
  void recall.ask();
  await typed("apple");
  expect(box.items.map((item) => (item as { belief: { id: string } }).belief.id)).toEqual([
    "second-by-letters",
    "first-by-letters",
  ]);
  expect(box).toMatchObject({ sortByLabel: false });
  expect(box.items[0]).toMatchObject({ alwaysShow: true, detail: "words, near · fetch (client.py)" });
});

test("an answer to an earlier question is not shown over a later one", async () => {
  const waiting: ((answer: unknown) => void)[] = [];
  known.answers.set("memlsp/recall", () => new Promise((resolve) => waiting.push(resolve)));
  void recall.ask();
  await typed("first");
  await typed("second");
  waiting[1]?.({ hits: [belief({ text: "second" })] });
  waiting[0]?.({ hits: [belief({ text: "first" }), belief({ text: "first" })] });
  await vi.runAllTimersAsync();
  expect(box.items).toHaveLength(1);
});

test("Enter opens the page and asks for good", async () => {
  const done = recall.ask();
  await typed("apple");
  box.choose(box.items[0]);
  await done;
  expect(fake.ran).toEqual([{ id: "memlsp.openBelief", args: [{ id: "second-by-letters", root: "file:///repo" }] }]);
  expect(known.params("memlsp/recall").at(-1)).toEqual({ query: "apple", uri: "file:///repo" });
});

test("the last question is there again", async () => {
  void recall.ask();
  await typed("apple");
  box.hide();
  void recall.ask();
  await vi.runAllTimersAsync();
  expect(box.value).toBe("apple");
  expect(box.items).toHaveLength(2);
});

test("nothing found is said in the title", async () => {
  known.answers.set("memlsp/recall", { hits: [] });
  void recall.ask();
  await typed("apple");
  expect(box.title).toBe("Recall: nothing answers this");
});

test("what went wrong is told once, and the box goes", async () => {
  known.answers.set("memlsp/recall", new MemoryError("the server is not running"));
  void recall.ask();
  await typed("apple");
  expect(fake.messages).toHaveLength(1);
  expect(box.shown).toBe(false);
});
