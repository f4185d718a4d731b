/** What happened, of all folders in one line of time, asked for page by page; and the work that was left open. */
import type { Memory } from "../memory";
import type { Thread, Timeline, TimelineEntry } from "../wire";
import type { Folder } from "./folders";

const PAGE = 50;
/** What a refresh asks for at the most; what is older is asked for again by hand. */
const MOST = 500;

export interface Happened {
  readonly entry: TimelineEntry;
  readonly folder: Folder;
  readonly root: string;
}

export interface OpenThread {
  readonly thread: Thread;
  readonly folder: Folder;
  readonly root: string;
}

interface Told {
  readonly folder: Folder;
  root: string;
  entries: TimelineEntry[];
  threads: Thread[];
  more: boolean;
}

export class History {
  private told: Told[] = [];

  constructor(private readonly memory: Pick<Memory, "ask">) {}

  /** Asks anew for as much as is known. */
  async begin(known: readonly Folder[]): Promise<void> {
    const before = new Map(this.told.map((each) => [each.folder.uri, each.entries.length]));
    this.told = await Promise.all(
      known.map(async (folder) => {
        const limit = Math.min(Math.max(before.get(folder.uri) ?? 0, PAGE), MOST);
        return { folder, ...of(await this.memory.ask("memlsp/timeline", { uri: folder.uri, limit })) };
      }),
    );
  }

  /** Asks for what is older, where that is what comes next. */
  async more(): Promise<void> {
    const horizon = this.horizon;
    const next = this.told.filter((each) => each.more && last(each) === horizon);
    await Promise.all(
      next.map(async (each) => {
        const before = each.entries.at(-1)?.at;
        if (before === undefined) return;
        const answer = await this.memory.ask("memlsp/timeline", { uri: each.folder.uri, before, limit: PAGE });
        const seen = new Set(each.entries.map(keyOf));
        const older = answer.entries.filter((entry) => !seen.has(keyOf(entry)));
        each.entries.push(...older);
        each.more = answer.more && older.length > 0;
      }),
    );
  }

  get hasMore(): boolean {
    return this.told.some((each) => each.more);
  }

  /** Newest first, as far back as it is known of every folder, so that nothing is put in between later. */
  get entries(): readonly Happened[] {
    const horizon = this.horizon;
    const seen = new Set<string>();
    return this.told
      .flatMap(({ entries, folder, root }) => entries.map((entry) => ({ entry, folder, root })))
      .filter(({ entry }) => entry.at >= horizon && !seen.has(keyOf(entry)) && seen.add(keyOf(entry)))
      .sort((a, b) => (a.entry.at < b.entry.at ? 1 : a.entry.at > b.entry.at ? -1 : 0));
  }

  /** Newest first. */
  get threads(): readonly OpenThread[] {
    const seen = new Set<string>();
    return this.told
      .flatMap(({ threads, folder, root }) => threads.map((thread) => ({ thread, folder, root })))
      .filter(({ thread }) => !seen.has(thread.id) && seen.add(thread.id))
      .sort((a, b) => (a.thread.opened_at < b.thread.opened_at ? 1 : -1));
  }

  private get horizon(): string {
    return this.told
      .filter((each) => each.more)
      .map(last)
      .reduce((newest, at) => (at > newest ? at : newest), "");
  }
}

function of({ root, entries, threads, more }: Timeline): Omit<Told, "folder"> {
  return { root, entries: [...entries], threads: [...threads], more };
}

function last({ entries }: Told): string {
  return entries.at(-1)?.at ?? "";
}

/** Unique for one thing that happened: a belief is there once for each time it was revised. */
export function keyOf({ what, id, at, detail }: TimelineEntry): string {
  return `${what}:${id}:${at}:${detail}`;
}
