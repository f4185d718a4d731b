import { expect, test } from "vitest";
import { beginning } from "../../src/page/beginning";
import { asked } from "../../src/page";
import { fromPage, subjectOf } from "../../src/page/messages";

test("a message of the page is taken with what it needs, and nothing beside", () => {
  expect(fromPage({ type: "act", action: "retire", command: "rm" })).toEqual({ type: "act", action: "retire" });
  expect(fromPage({ type: "reveal", path: "a.py", line: 3 })).toEqual({ type: "reveal", path: "a.py", line: 3 });
  expect(fromPage({ type: "ready" })).toEqual({ type: "ready" });
});

test("a message that lacks something, or is none, is not taken", () => {
  const wrong = [
    undefined,
    null,
    "ready",
    [],
    {},
    { type: "run", command: "workbench.action.quit" },
    { type: "act" },
    { type: "act", action: 3 },
    { type: "act", action: "" },
    { type: "belief", id: "x".repeat(2_000) },
    { type: "reveal", path: "a.py", line: -1 },
    { type: "reveal", path: "a.py", line: 1.5 },
    { type: "reveal", path: "a.py" },
    { type: "diff", change: "0" },
  ];
  for (const message of wrong) expect(fromPage(message)).toBeUndefined();
});

test("a restored page names its belief, or nothing", () => {
  expect(subjectOf({ id: "b_1", root: "file:///a", top: 12 })).toEqual({ id: "b_1", root: "file:///a" });
  expect(subjectOf({ id: "b_1", root: 3 })).toEqual({ id: "b_1" });
  for (const state of [undefined, null, {}, { id: 3 }, { id: "" }, []]) expect(subjectOf(state)).toBeUndefined();
});

test("a belief is named by its id, with its workspace, or by what holds it", () => {
  expect(asked("b_1")).toEqual({ id: "b_1" });
  expect(asked({ id: "b_1", root: "file:///a" })).toEqual({ id: "b_1", root: "file:///a" });
  expect(asked({ belief: { id: "b_1", root: "file:///a", text: "x" } })).toEqual({ id: "b_1", root: "file:///a" });
  for (const other of [undefined, null, 3, {}, { belief: null }, { belief: { id: 4 } }]) expect(asked(other)).toBeUndefined();
});

test("a text is cut between letters as people see them", () => {
  const family = "👩‍👩‍👧";
  expect(beginning(family.repeat(5), 3)).toBe(`${family.repeat(2)}…`);
  expect(beginning(family.repeat(3), 3)).toBe(family.repeat(3));
  expect(beginning("", 3)).toBe("");
  expect(beginning("abcd", 3)).toBe("ab…");
  expect(beginning("x\u0301".repeat(10_000), 3)).toBe("x\u0301x\u0301…");
  expect(beginning(`a${"\u0301".repeat(10_000)}`, 3).length).toBeLessThan(60);
});
