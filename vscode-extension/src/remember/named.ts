/** Which belief a command is about: menus hand over a tree's node, links an id, pages the belief itself. */
import type { Memory } from "../memory";
import type { Belief } from "../wire";

/** Where a belief is: its id, and its workspace's folder where that is known. */
export interface BeliefName {
  readonly id: string;
  readonly root?: string;
}

/** The belief of a command's argument, as it is now; undefined for an argument that names none. */
export async function beliefOf(memory: Memory, argument: unknown): Promise<Belief | undefined> {
  const held = isRecord(argument) && isBelief(argument["belief"]) ? argument["belief"] : argument;
  if (isBelief(held)) return held;
  const name = nameOf(held);
  if (!name) return undefined;
  const page = await memory.ask("memlsp/belief", { id: name.id, ...(name.root ? { uri: name.root } : {}) });
  return page.belief;
}

/** The id in a command's argument. */
export function nameOf(argument: unknown): BeliefName | undefined {
  if (typeof argument === "string" && argument) return { id: argument };
  if (!isRecord(argument) || typeof argument["id"] !== "string" || !argument["id"]) return undefined;
  const root = argument["root"];
  return typeof root === "string" && root ? { id: argument["id"], root } : { id: argument["id"] };
}

/** True for what has all that is shown and sent of a belief. */
export function isBelief(value: unknown): value is Belief {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["text"] === "string" &&
    Array.isArray(value["anchors"]) &&
    Array.isArray(value["candidates"]) &&
    Array.isArray(value["conditions"])
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
