/** The small graph around the belief: boxes that can be pressed, arrows between them, and the same in sentences. */
import type { Link, Node } from "../../wire";
import { arranged, type Placed } from "./arrangement";
import { button, drawn, element, remembered, visible } from "./elements";
import type { Telling } from "./telling";

const BOX = { width: 190, height: 66 };
const GAP = { across: 90, down: 22 };
const EDGE = 12;

/** The standings of which a conflict is the more important news. */
const HOLDING: readonly string[] = ["current", "carried", "ahead", "unbound"];

/** The graph, and each link as a sentence below it. */
export function links(telling: Telling): HTMLElement | undefined {
  const { page, words } = telling;
  if (page.links.length === 0) return undefined;
  const placed = arranged(page.nodes, page.links);
  const by = new Map(placed.map((each) => [each.node.id, each]));
  const corner = { x: 0, y: 0 };
  for (const each of placed) {
    const { x, y } = place(each);
    corner.x = Math.max(corner.x, x + BOX.width + EDGE + (GAP.across >> 1));
    corner.y = Math.max(corner.y, y + BOX.height + EDGE);
  }
  const edges = page.links.flatMap((link) => {
    const from = by.get(link.from_id);
    const to = by.get(link.to_id);
    return from && to ? [arrow(link, from, to)] : [];
  });
  const drawing = drawn("svg", { width: corner.x, height: corner.y, "aria-hidden": "true" }, heads(), ...edges);
  const boxes = placed.map((each) => box(telling, each));
  const ground = element("div", { class: "ground" }, drawing, ...boxes);
  ground.style.width = `${corner.x}px`;
  ground.style.height = `${corner.y}px`;
  return element(
    "div",
    {},
    element("div", { class: "graph", tabindex: "0", role: "group", "aria-label": words.linkGraph, "data-key": "graph" }, ground),
    element("ul", { class: "sentences" }, ...page.links.map((link) => element("li", {}, ...sentence(telling, link, by)))),
  );
}

function place({ column, row }: Placed): { x: number; y: number } {
  return { x: EDGE + column * (BOX.width + GAP.across), y: EDGE + row * (BOX.height + GAP.down) };
}

function box({ page, words, tell }: Telling, placed: Placed): HTMLElement {
  const { node } = placed;
  const clashes = HOLDING.includes(node.standing) && page.links.some((link) => link.kind === "contradicts" && [link.from_id, link.to_id].includes(node.id));
  const standing = clashes ? words.inConflict : (words.standings[node.standing] ?? node.standing);
  const relation = node.here ? words.here : relationOf(node, page.links, page.belief.id, words);
  const label = [relation, visible(node.text), standing].filter(Boolean).join(", ");
  const made = node.here
    ? element("div", { class: "box here", "aria-current": "true", "aria-label": label, role: "img" })
    : button(`node:${node.id}`, "", () => tell({ type: "belief", id: node.id }), { class: "box", "aria-label": label });
  made.append(remembered(node.text, "words"), element("span", { class: "standing" }, standing));
  made.dataset["standing"] = clashes ? "conflict" : node.standing;
  const { x, y } = place(placed);
  made.style.left = `${x}px`;
  made.style.top = `${y}px`;
  return made;
}

function relationOf(node: Node, all: readonly Link[], here: string, words: Telling["words"]): string {
  const towards = all.find((link) => link.from_id === here && link.to_id === node.id);
  if (towards) return `${words.here} ${words.linkKinds[towards.kind]}`;
  const back = all.find((link) => link.to_id === here && link.from_id === node.id);
  return back ? `${words.linkKinds[back.kind]} ${words.here}` : "";
}

function sentence({ words }: Telling, link: Link, by: ReadonlyMap<string, Placed>): Piece[] {
  const name = (id: string): Piece => {
    const node = by.get(id)?.node;
    return node?.here ? words.here : element("q", {}, remembered(node?.text ?? id));
  };
  return [name(link.from_id), ` ${words.linkKinds[link.kind]} `, name(link.to_id)];
}

type Piece = HTMLElement | string;

function heads(): Element {
  const shape = { viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" };
  const head = drawn("marker", { id: "head", ...shape }, drawn("path", { class: "head", d: "M 0 0 L 10 5 L 0 10 z" }));
  return drawn("defs", {}, head);
}

/** From the side of one box to the facing side of the other; within a column around its right side. */
function arrow(link: Link, from: Placed, to: Placed): Element {
  const middle = BOX.height / 2;
  const start = place(from);
  const end = place(to);
  const ends = { "marker-end": "url(#head)", ...(link.kind === "contradicts" ? { "marker-start": "url(#head)" } : {}) };
  if (from.column === to.column) {
    const x = start.x + BOX.width;
    const far = x + GAP.across / 2;
    const path = `M ${x} ${start.y + middle} C ${far} ${start.y + middle}, ${far} ${end.y + middle}, ${x} ${end.y + middle}`;
    return drawn("path", { class: `edge ${link.kind}`, d: path, ...ends });
  }
  const left = from.column > to.column;
  const x1 = left ? start.x : start.x + BOX.width;
  const x2 = left ? end.x + BOX.width : end.x;
  return drawn("line", { class: `edge ${link.kind}`, x1, y1: start.y + middle, x2, y2: end.y + middle, ...ends });
}
