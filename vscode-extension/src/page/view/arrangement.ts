/**
 * Where each belief of the graph goes: what something rests on, or what it replaced, stands one column to the left of it;
 * what contradicts it above or below. Columns are counted from the belief that the page is about, by the shortest way.
 */
import type { Link, Node } from "../../wire";

export interface Placed {
  readonly node: Node;
  /** Both count from 0. */
  readonly column: number;
  readonly row: number;
}

/** Every node once, by columns and then rows; the order within a column is that of the nodes. */
export function arranged(nodes: readonly Node[], links: readonly Link[]): Placed[] {
  const columns = distances(nodes, links);
  const first = Math.min(0, ...columns.values());
  const filled = new Map<number, number>();
  const placed = nodes.map((node) => {
    const column = (columns.get(node.id) ?? 0) - first;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return { node, column, row };
  });
  return placed.sort((one, other) => one.column - other.column || one.row - other.row);
}

function distances(nodes: readonly Node[], links: readonly Link[]): Map<string, number> {
  const known = new Set(nodes.map((node) => node.id));
  const beside = new Map<string, { id: string; step: number }[]>();
  const tie = (from: string, id: string, step: number): void => {
    beside.set(from, [...(beside.get(from) ?? []), { id, step }]);
  };
  for (const link of links) {
    const step = link.kind === "contradicts" ? 0 : 1;
    tie(link.from_id, link.to_id, -step);
    tie(link.to_id, link.from_id, step);
  }
  const found = new Map<string, number>();
  for (const start of [...nodes.filter((node) => node.here), ...nodes]) {
    if (found.has(start.id)) continue;
    found.set(start.id, 0);
    const waiting = [start.id];
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      for (const next of beside.get(id) ?? []) {
        if (found.has(next.id) || !known.has(next.id)) continue;
        found.set(next.id, (found.get(id) ?? 0) + next.step);
        waiting.push(next.id);
      }
    }
  }
  return found;
}
