import { expect, test } from "vitest";
import { arranged } from "../../src/page/view/arrangement";
import type { Link, Node } from "../../src/wire";

const node = (id: string, here = false): Node => ({ id, text: id, standing: "current", here });
const link = (from_id: string, kind: Link["kind"], to_id: string): Link => ({ from_id, kind, to_id });
const where = (nodes: Node[], links: Link[]): Record<string, string> =>
  Object.fromEntries(arranged(nodes, links).map((each) => [each.node.id, `${each.column},${each.row}`]));

test("what a belief rests on stands left of it, what rests on it right", () => {
  const links = [link("here", "because_of", "ground"), link("roof", "because_of", "here")];
  expect(where([node("here", true), node("ground"), node("roof")], links)).toEqual({ ground: "0,0", here: "1,0", roof: "2,0" });
});

test("what contradicts it stands in its column", () => {
  expect(where([node("here", true), node("other")], [link("other", "contradicts", "here")])).toEqual({ here: "0,0", other: "0,1" });
});

test("beliefs that rest on each other in a circle are placed once each", () => {
  const links = [link("a", "because_of", "b"), link("b", "because_of", "c"), link("c", "because_of", "a")];
  expect(Object.keys(where([node("a", true), node("b"), node("c")], links)).sort()).toEqual(["a", "b", "c"]);
});

test("a link to a belief that was not sent is passed over", () => {
  expect(where([node("here", true)], [link("here", "because_of", "elsewhere")])).toEqual({ here: "0,0" });
});

test("a belief that nothing leads to has a place", () => {
  expect(where([node("here", true), node("alone")], [])).toEqual({ here: "0,0", alone: "0,1" });
});
