/** The rows of the view of episodes and threads: work left open on top, then what happened, day by day. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Episode, TimelineEntry } from "../wire";
import { dateName, dayKey, dayName, timeName } from "./days";
import { type Folder, folders } from "./folders";
import { type Happened, type History, keyOf, type OpenThread } from "./history";
import { plain, rowText } from "./plain";
import type { Icon, Row } from "./row";

/** None when nothing happened and nothing is open. */
export function timelineRows(memory: Memory, history: History, now = new Date()): readonly Row[] {
  const { entries, threads } = history;
  const days = new Map<string, Happened[]>();
  for (const each of entries) {
    const key = dayKey(each.entry.at);
    days.set(key, [...(days.get(key) ?? []), each]);
  }
  const rows: Row[] = threads.length ? [threadsRow(threads)] : [];
  const last = [...days.keys()].at(-1);
  for (const [key, happened] of days) {
    const cut = key === last && history.hasMore; // the rest of this day is not known yet
    rows.push(dayRow(memory, { key, happened, cut, open: rows.length < 3 }, now));
  }
  if (history.hasMore) {
    const label = vscode.l10n.t("Show more");
    const description = vscode.l10n.t("what is older");
    rows.push({ id: "more", label, description, icon: { id: "ellipsis" }, command: "memlsp.views.more" });
  }
  return rows;
}

// --- work left open ---

function threadsRow(threads: readonly OpenThread[]): Row {
  return {
    id: "threads",
    label: vscode.l10n.t("Open threads"),
    description: String(threads.length),
    icon: { id: "git-branch" },
    context: "threads",
    spoken: `${vscode.l10n.t("Open threads")}, ${threads.length}`,
    open: true,
    rows: threads.map(threadRow),
  };
}

function threadRow({ thread, folder, root }: OpenThread): Row {
  const label = rowText(thread.text);
  const spot = thread.path ? `${thread.path}${thread.line === null ? "" : `:${thread.line}`}` : "";
  const place = thread.path ? { root, path: thread.path, line: thread.line } : undefined;
  const since = vscode.l10n.t("since {0}", dateName(thread.opened_at));
  const words = [threadWord(thread.kind), plain(thread.symbol ?? "") || plain(spot), folderWord(folder)].filter(Boolean);
  return {
    id: `thread:${thread.id}`,
    label,
    description: words.join(" · "),
    icon: threadIcon(thread.kind),
    tip: { text: thread.text, list: [spot, since, thread.source, thread.note].filter(Boolean) },
    spoken: [label, ...words, since].join(", "),
    context: `thread${place ? " placed" : ""}`,
    thread,
    folder: folder.uri,
    ...(place ? { place, command: "memlsp.views.reveal" } : {}),
  };
}

function threadWord(kind: string): string {
  switch (kind) {
    case "todo":
      return vscode.l10n.t("to do");
    case "stub":
      return vscode.l10n.t("unfinished");
    case "test":
      return vscode.l10n.t("failing test");
    case "plan":
      return vscode.l10n.t("planned");
    case "next":
      return vscode.l10n.t("next step");
    default:
      return kind;
  }
}

function threadIcon(kind: string): Icon {
  switch (kind) {
    case "test":
      return { id: "beaker", color: "problemsWarningIcon.foreground" };
    case "plan":
      return { id: "checklist" };
    case "next":
      return { id: "arrow-small-right" };
    default:
      return { id: "circle-large-outline" };
  }
}

// --- what happened ---

interface Day {
  readonly key: string;
  readonly happened: readonly Happened[];
  readonly cut: boolean;
  readonly open: boolean;
}

function dayRow(memory: Memory, { key, happened, cut, open }: Day, now: Date): Row {
  const label = dayName(key, now);
  return {
    id: `day:${key}`,
    label,
    description: `${happened.length}${cut ? "+" : ""}`,
    icon: { id: "calendar" },
    context: "day",
    spoken:
      happened.length === 1
        ? vscode.l10n.t("{0}, 1 entry", label)
        : vscode.l10n.t("{0}, {1} entries", label, happened.length),
    open,
    rows: happened.map((each) => entryRow(memory, each)),
  };
}

function entryRow(memory: Memory, { entry, folder, root }: Happened): Row {
  const title = rowText(entry.title) || whatWord(entry.what);
  const verb = detailWord(entry);
  const done = entry.what === "belief" && verb !== "";
  const label = done ? `${verb}: ${title}` : title;
  const words = [
    whatWord(entry.what),
    done ? "" : verb,
    plain(entry.source),
    timeName(entry.at),
    folderWord(folder),
  ].filter(Boolean);
  const paths = entry.paths.map((path) => plain(path));
  const below: Partial<Row> =
    entry.what === "episode"
      ? { load: () => episodeRows(memory, entry, folder, root) }
      : entry.what === "belief"
        ? { command: "memlsp.openBelief" }
        : entry.what === "handoff"
          ? { load: () => handoffRows(memory, entry, folder, root) }
        : { rows: pathRows(`entry:${keyOf(entry)}`, entry.paths, root) };
  return {
    id: `entry:${keyOf(entry)}`,
    label,
    description: words.join(" · "),
    icon: entryIcon(entry),
    tip: { text: entry.title || title, list: paths.slice(0, 10), foot: words.join(" · ") },
    spoken: [label, ...words].join(", "),
    context: `entry ${entry.what}${entry.what === "handoff" && entry.detail !== "claimed" ? " waiting" : ""}`,
    entry,
    folder: folder.uri,
    ...below,
  };
}

function whatWord(what: TimelineEntry["what"]): string {
  switch (what) {
    case "episode":
      return vscode.l10n.t("episode");
    case "commit":
      return vscode.l10n.t("commit");
    case "belief":
      return vscode.l10n.t("belief");
    case "handoff":
      return vscode.l10n.t("handoff");
  }
}

/** An episode's outcome, or what was done to a belief or a handoff. */
function detailWord({ what, detail }: TimelineEntry): string {
  return what === "episode" ? outcomeWord(detail) : what === "belief" ? actionWord(detail) : plain(detail);
}

function outcomeWord(outcome: string): string {
  switch (outcome) {
    case "open":
      return vscode.l10n.t("goes on");
    case "committed":
      return vscode.l10n.t("committed");
    case "tested":
      return vscode.l10n.t("tests passed");
    case "failed":
      return vscode.l10n.t("tests failed");
    case "abandoned":
      return vscode.l10n.t("abandoned");
    case "ended":
      return vscode.l10n.t("ended");
    default:
      return plain(outcome);
  }
}

function actionWord(action: string): string {
  switch (action) {
    case "remember":
      return vscode.l10n.t("remembered");
    case "propose":
      return vscode.l10n.t("proposed");
    case "admit":
      return vscode.l10n.t("admitted");
    case "confirm":
      return vscode.l10n.t("confirmed");
    case "supersede":
      return vscode.l10n.t("replaced");
    case "retire":
      return vscode.l10n.t("retired");
    case "lock":
      return vscode.l10n.t("locked");
    case "unlock":
      return vscode.l10n.t("unlocked");
    case "reanchor":
      return vscode.l10n.t("tied to another place");
    case "scope":
      return vscode.l10n.t("limited");
    case "worked":
      return vscode.l10n.t("held");
    case "failed":
      return vscode.l10n.t("did not hold");
    case "rollback":
      return vscode.l10n.t("taken back");
    default:
      return plain(action);
  }
}

/** The sign of what was done to a belief. */
const ACTED: Readonly<Record<string, Icon>> = {
  remember: { id: "add", color: "charts.green" },
  propose: { id: "lightbulb" },
  admit: { id: "check", color: "charts.green" },
  reject: { id: "close" },
  confirm: { id: "check", color: "charts.green" },
  worked: { id: "check", color: "charts.green" },
  failed: { id: "warning", color: "problemsWarningIcon.foreground" },
  supersede: { id: "edit" },
  retire: { id: "circle-slash", color: "disabledForeground" },
  rollback: { id: "discard" },
  lock: { id: "lock" },
  unlock: { id: "unlock" },
  reanchor: { id: "link" },
  scope: { id: "filter" },
};

/** The folder of a row, where more than one is open. */
function folderWord({ name }: Folder): string {
  return folders().length > 1 ? plain(name) : "";
}

function entryIcon({ what, detail }: TimelineEntry): Icon {
  if (what === "commit") return { id: "git-commit" };
  if (what === "handoff") return { id: "mail" };
  if (what === "belief") return ACTED[detail] ?? { id: "note" };
  switch (detail) {
    case "open":
      return { id: "sync", color: "charts.blue" };
    case "committed":
    case "tested":
      return { id: "pass", color: "charts.green" };
    case "failed":
      return { id: "error", color: "problemsErrorIcon.foreground" };
    case "abandoned":
      return { id: "circle-slash", color: "disabledForeground" };
    default:
      return { id: "circle-outline" };
  }
}

/** What was asked for, what became different, what ran, which commits it led to. */
async function episodeRows(
  memory: Memory,
  { id }: TimelineEntry,
  folder: Folder,
  root: string,
): Promise<readonly Row[]> {
  const episode = await memory.ask("memlsp/episode", { id, uri: folder.uri });
  const under = `episode:${id}`;
  const row = (kind: string, at: number, label: string, icon: Icon, more: Partial<Row> = {}): Row => ({
    id: `${under}/${kind}/${at}`,
    label: rowText(label),
    icon,
    context: "detail",
    episode,
    ...more,
  });
  const rows: Row[] = [];
  if (episode.intent && plain(episode.intent) !== plain(episode.title)) {
    rows.push(row("intent", 0, episode.intent, { id: "comment" }, { tip: { text: episode.intent } }));
  }
  rows.push(...episode.changes.map((sentence, at) => row("change", at, sentence, { id: "edit" })));
  rows.push(
    ...episode.commands.map((ran, at) => row("command", at, ran.command, ranIcon(ran), { spoken: ranSpoken(ran) })),
  );
  rows.push(...episode.commits.map((commit, at) => row("commit", at, commit.slice(0, 10), { id: "git-commit" })));
  rows.push(...pathRows(under, episode.paths, root, episode));
  return rows.length ? rows : [row("none", 0, vscode.l10n.t("Nothing more is known of it"), { id: "info" })];
}

/** What is done, open and next, in the server's words, and where. */
async function handoffRows(
  memory: Memory,
  { id, paths }: TimelineEntry,
  folder: Folder,
  root: string,
): Promise<readonly Row[]> {
  const { head, lines } = await memory.ask("memlsp/handoff", { id, uri: folder.uri });
  const rows = [head, ...lines].map((line, at) => ({
    id: `handoff:${id}/${at}`,
    label: rowText(line),
    icon: { id: at === 0 ? "info" : "dash" },
    tip: { text: line },
    context: "detail",
  }));
  return [...rows, ...pathRows(`handoff:${id}`, paths, root)];
}

function ranIcon({ worked }: Episode["commands"][number]): Icon {
  if (worked === null) return { id: "terminal" };
  return worked ? { id: "pass", color: "charts.green" } : { id: "error", color: "problemsErrorIcon.foreground" };
}

function ranSpoken({ command, worked }: Episode["commands"][number]): string {
  if (worked === null) return vscode.l10n.t("Command {0}", plain(command));
  return worked
    ? vscode.l10n.t("Command {0}, worked", plain(command))
    : vscode.l10n.t("Command {0}, failed", plain(command));
}

function pathRows(under: string, paths: readonly string[], root: string, episode?: Episode): Row[] {
  return paths.map((path) => ({
    id: `${under}/path/${path}`,
    label: plain(path),
    icon: { id: "file" },
    context: "path placed",
    command: "memlsp.views.reveal",
    place: { root, path, line: null },
    ...(episode ? { episode } : {}),
  }));
}
