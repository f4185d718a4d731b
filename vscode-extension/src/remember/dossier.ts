/** What `memlsp.server.why` answers of a place, read with care: the server may be newer or older than we are. */
import type { Belief } from "../wire";
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
}

export function readDossier(answer: Record<string, unknown>): Dossier {
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
  };
}

/** A belief that answered a question, and what speaks for it. */
export interface Hit {
  readonly belief: Belief;
  readonly why: readonly string[];
}

/** What `memlsp.server.recall` answers, best first. */
export function readHits(answer: Record<string, unknown>): Hit[] {
  return list(answer["hits"])
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
