/** What the server knows of a place or a question, read with care: it may be newer or older than we are. */
import type { Belief, Recalled, Why } from "../wire";
import { isBelief, isRecord } from "./named";

/** Work left open at a place. */
export interface OpenThread {
  readonly text: string;
  readonly path: string;
  readonly line: number | undefined;
}

/** A commit that changed what the symbol means. */
export interface PastChange {
  readonly commit: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
  readonly change: string;
}

/** All that is known of a place. */
export interface Dossier {
  readonly place: string;
  readonly beliefs: readonly Belief[];
  readonly threads: readonly OpenThread[];
  readonly history: readonly PastChange[];
  /** What the server says of the commits that are left out; "" for none. */
  readonly older: string;
}

/** The answer to `memlsp/why`. */
export function readDossier(found: Why): Dossier {
  const answer: Record<string, unknown> = { ...found };
  return {
    place: text(answer["place"]),
    beliefs: list(answer["beliefs"]).filter(isBelief),
    threads: list(answer["threads"])
      .filter(isRecord)
      .map((each) => ({
        text: text(each["text"]),
        path: text(each["path"]),
        line: typeof each["line"] === "number" ? each["line"] : undefined,
      })),
    history: list(answer["history"])
      .filter(isRecord)
      .map((each) => ({
        commit: text(each["commit"]),
        author: text(each["author"]),
        date: text(each["date"]),
        subject: text(each["subject"]),
        change: text(each["change"]),
      })),
    older: text(answer["older"]),
  };
}

/** A belief that answered a question, and what speaks for it. */
export interface Hit {
  readonly belief: Belief;
  readonly why: readonly string[];
}

/** The answer to `memlsp/recall`, best first. */
export function readHits(found: Recalled): Hit[] {
  return list(found.hits)
    .filter(isBelief)
    .map((belief) => ({
      belief,
      why: "why" in belief ? list(belief.why).filter((each): each is string => typeof each === "string") : [],
    }));
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
