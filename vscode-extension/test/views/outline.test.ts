import { beforeEach, describe, expect, test } from "vitest";
import { MemoryError } from "../../src/memory";
import { Node, Outline } from "../../src/views/outline";
import type { Row } from "../../src/views/row";
import { fake, TreeItemCollapsibleState } from "../fake/vscode";
import { drawn } from "./answers";

beforeEach(() => fake.reset());

function redrawn(outline: Outline): (readonly string[] | "all")[] {
  const heard: (readonly string[] | "all")[] = [];
  outline.onDidChangeTreeData((nodes) => heard.push(nodes ? nodes.map((node) => node.row.id) : "all"));
  return heard;
}

async function first(outline: Outline, under?: Node): Promise<Node> {
  const [node] = await outline.getChildren(under);
  if (!node) throw new Error("no rows");
  return node;
}

describe("a refresh", () => {
  test("keeps the nodes of what is still there, so that expansion and focus survive", async () => {
    let rows: Row[] = [{ id: "a", label: "A", rows: [{ id: "a/1", label: "one" }] }];
    const outline = new Outline(() => Promise.resolve(rows));
    const before = await first(outline);
    const child = await first(outline, before);
    rows = [{ id: "a", label: "A", rows: [{ id: "a/1", label: "one, reworded" }] }];
    await outline.refresh();
    expect(await first(outline)).toBe(before);
    expect(await first(outline, before)).toBe(child);
    expect(child.row.label).toBe("one, reworded");
  });

  test("redraws only the row that became different", async () => {
    const rows = (label: string): Row[] => [
      {
        id: "a",
        label: "A",
        rows: [
          { id: "a/1", label },
          { id: "a/2", label: "two" },
        ],
      },
      { id: "b", label: "B", rows: [{ id: "b/1", label: "one" }] },
    ];
    let label = "one";
    const outline = new Outline(() => Promise.resolve(rows(label)));
    for (const node of await outline.getChildren()) await outline.getChildren(node);
    const heard = redrawn(outline);
    label = "one, reworded";
    await outline.refresh();
    expect(heard).toEqual([["a/1"]]);
  });

  test("says nothing when nothing is different", async () => {
    const outline = new Outline(() => Promise.resolve([{ id: "a", label: "A", rows: [{ id: "a/1", label: "one" }] }]));
    await outline.getChildren(await first(outline));
    const heard = redrawn(outline);
    await outline.refresh();
    expect(heard).toEqual([]);
  });

  test("redraws the row above when something came or went below it", async () => {
    let below: Row[] = [{ id: "a/1", label: "one" }];
    const outline = new Outline(() => Promise.resolve([{ id: "a", label: "A", rows: below }]));
    await outline.getChildren(await first(outline));
    const heard = redrawn(outline);
    below = [{ id: "a/0", label: "zero" }, ...below];
    await outline.refresh();
    expect(heard).toEqual([["a"]]);
  });

  test("asks again for what is open, and not for what was closed", async () => {
    const asked: string[] = [];
    const lazy = (id: string): Row => ({
      id,
      label: id,
      load: () => {
        asked.push(id);
        return Promise.resolve([{ id: `${id}/1`, label: "one" }]);
      },
    });
    const outline = new Outline(() => Promise.resolve([lazy("a"), lazy("b"), lazy("c")]));
    const [a, b] = await outline.getChildren();
    if (!a || !b) throw new Error("no rows");
    await outline.getChildren(a);
    await outline.getChildren(b);
    outline.closed(b);
    asked.length = 0;
    await outline.refresh();
    expect(asked).toEqual(["a"]);
  });

  test("that was overtaken by another draws nothing", async () => {
    const answers: ((rows: Row[]) => void)[] = [];
    const outline = new Outline(() => new Promise((resolve) => answers.push(resolve)));
    const begun = outline.getChildren();
    answers[0]?.([{ id: "a", label: "first" }]);
    await begun;
    const early = outline.refresh();
    const late = outline.refresh();
    answers[2]?.([{ id: "a", label: "third" }]);
    await late;
    answers[1]?.([{ id: "a", label: "second" }]);
    await early;
    expect((await first(outline)).row.label).toBe("third");
  });
});

describe("a row", () => {
  test("becomes an item with an id, a sign in the theme's colour, and words for a screen reader", async () => {
    const row: Row = {
      id: "a",
      label: "It retries",
      description: "contradicted",
      icon: { id: "warning", color: "problemsWarningIcon.foreground" },
      context: "belief fails",
      command: "memlsp.views.reveal",
      spoken: "It retries, contradicted, decision",
    };
    const outline = new Outline(() => Promise.resolve([row]));
    const node = await first(outline);
    const item = outline.getTreeItem(node);
    expect(item).toMatchObject({
      id: "a",
      label: "It retries",
      description: "contradicted",
      contextValue: "belief fails",
    });
    expect(item.iconPath).toMatchObject({ id: "warning", color: { id: "problemsWarningIcon.foreground" } });
    expect(item.accessibilityInformation?.label).toBe("It retries, contradicted, decision");
    expect(item.command).toMatchObject({ command: "memlsp.views.reveal", arguments: [node] });
  });

  test("can be opened when there is something below it, and only then", async () => {
    const rows: Row[] = [
      { id: "a", label: "leaf" },
      { id: "b", label: "open", open: true, rows: [{ id: "b/1", label: "x" }] },
      { id: "c", label: "asked for", load: () => Promise.resolve([]) },
      { id: "d", label: "empty", rows: [] },
    ];
    const outline = new Outline(() => Promise.resolve(rows));
    const states = (await outline.getChildren()).map((node) => outline.getTreeItem(node).collapsibleState);
    const { None, Expanded, Collapsed } = TreeItemCollapsibleState;
    expect(states).toEqual([None, Expanded, Collapsed, None]);
  });

  test("knows the row above it, so that it can be revealed", async () => {
    const outline = new Outline(() => Promise.resolve([{ id: "a", label: "A", rows: [{ id: "a/1", label: "one" }] }]));
    const above = await first(outline);
    expect(outline.getParent(await first(outline, above))).toBe(above);
  });

  test("has its tooltip made when somebody points at it", async () => {
    const outline = new Outline(() =>
      Promise.resolve([{ id: "a", label: "A", tip: { text: "all of it", list: ["why"] } }]),
    );
    const node = await first(outline);
    const item = outline.getTreeItem(node);
    expect(item.tooltip).toBeUndefined();
    expect(outline.resolveTreeItem(item, node).tooltip).toMatchObject({ value: "all of it\n\n- why" });
  });
});

describe("what cannot be asked for", () => {
  test("is said in its place, with what to do and a way to try again", async () => {
    const outline = new Outline(() =>
      Promise.reject(new MemoryError("the store is locked", "close the other program")),
    );
    expect(await drawn(outline)).toEqual(["the store is locked | close the other program"]);
    const item = outline.getTreeItem(await first(outline));
    expect(item).toMatchObject({ contextValue: "trouble", command: { command: "memlsp.views.refresh" } });
  });

  test("leaves what is beside it as it is", async () => {
    const outline = new Outline(() =>
      Promise.resolve([
        { id: "a", label: "A", open: true, load: () => Promise.reject(new Error("no such folder")) },
        { id: "b", label: "B", open: true, rows: [{ id: "b/1", label: "one" }] },
      ]),
    );
    expect(await drawn(outline)).toEqual(["A", "  no such folder", "B", "  one"]);
  });

  test("is there again after a refresh that works", async () => {
    let works = false;
    const outline = new Outline(() =>
      works ? Promise.resolve([{ id: "a", label: "A" }]) : Promise.reject(new Error("not yet")),
    );
    await drawn(outline);
    const heard = redrawn(outline);
    works = true;
    await outline.refresh();
    expect([heard, await drawn(outline)]).toEqual([["all"], ["A"]]);
  });
});
