/**
 * What the belief page and the extension tell each other. Both sides check what comes in; neither believes the other.
 *
 * Knows neither the editor nor a document, because both sides of the wall read it.
 */
import type { BeliefPage } from "../wire";
import type { Words } from "./words";

/** What the extension sends to the page. */
export type ToPage =
  | { readonly type: "page"; readonly page: BeliefPage; readonly words: Words; readonly language: string }
  | { readonly type: "absent"; readonly absent: Absent }
  | { readonly type: "busy"; readonly busy: boolean };

/** Instead of a belief: why there is none to show, and whether it helps to try again or to read the log. */
export interface Absent {
  readonly heading: string;
  readonly message: string;
  readonly hint: string;
  /** The labels of the buttons; "" for none. */
  readonly install: string;
  readonly retry: string;
  readonly log: string;
}

/** What the page sends. It names what it was shown, so that nothing else can be asked for. */
export type FromPage =
  | { readonly type: "ready" | "install" | "retry" | "log" | "copy" | "more" }
  | { readonly type: "act"; readonly action: string }
  | { readonly type: "belief"; readonly id: string }
  | { readonly type: "reveal"; readonly path: string; readonly line: number }
  | { readonly type: "diff"; readonly change: number };

/** Which belief a page is about; what is kept of it over a reload of the window. `root` is a folder uri. */
export interface Subject {
  readonly id: string;
  readonly root?: string;
}

const MOST = 1_000;

/** A message of the page, or nothing when it is none. */
export function fromPage(value: unknown): FromPage | undefined {
  if (!isRecord(value)) return undefined;
  const { type, action, id, path, line, change } = value;
  switch (type) {
    case "ready":
    case "install":
    case "retry":
    case "log":
    case "copy":
    case "more":
      return { type };
    case "act":
      return isShort(action) ? { type, action } : undefined;
    case "belief":
      return isShort(id) ? { type, id } : undefined;
    case "reveal":
      return isShort(path) && isCount(line) ? { type, path, line } : undefined;
    case "diff":
      return isCount(change) ? { type, change } : undefined;
    default:
      return undefined;
  }
}

/** Whether a message comes from the extension: the parts without which nothing could be shown are there. */
export function isToPage(value: unknown): value is ToPage {
  if (!isRecord(value)) return false;
  switch (value["type"]) {
    case "busy":
      return typeof value["busy"] === "boolean";
    case "absent":
      return isRecord(value["absent"]) && typeof value["absent"]["message"] === "string";
    case "page":
      return isRecord(value["words"]) && typeof value["language"] === "string" && isPage(value["page"]);
    default:
      return false;
  }
}

/** What a restored page says it was about. */
export function subjectOf(value: unknown): Subject | undefined {
  if (!isRecord(value) || !isShort(value["id"])) return undefined;
  const { id, root } = value;
  return isShort(root) ? { id, root } : { id };
}

const LISTS = ["changes", "revisions", "served", "nodes", "links", "actions"] as const;

function isPage(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value["belief"])) return false;
  const { id, text } = value["belief"];
  return typeof id === "string" && typeof text === "string" && LISTS.every((name) => Array.isArray(value[name]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MOST;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
