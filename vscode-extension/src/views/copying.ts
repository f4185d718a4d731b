/** What is put on the clipboard for a row, as plain text. */
import type { Episode } from "../wire";
import type { Row } from "./row";

/** The whole text that a row stands for, not the one line that it shows. */
export function textOf(row: Row): string {
  if (row.belief && !row.change) return row.belief.text;
  if (row.thread) return row.thread.text;
  if (row.episode) return episodeText(row.episode);
  if (row.entry) return row.entry.title;
  if (row.change) return row.change.lines.join("\n");
  return row.tip?.text ?? row.label;
}

/** The id by which a command line or an agent finds it again; "" for what has none. */
export function idOf(row: Row): string {
  if (row.change) return "";
  return row.item?.id ?? row.belief?.id ?? row.thread?.id ?? row.episode?.id ?? row.entry?.id ?? "";
}

/** A task as a short report. */
export function episodeText(episode: Episode): string {
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length ? ["", title, ...lines.map((line) => `- ${line}`)] : [];
  const ran = episode.commands.map(({ command, worked }) => {
    const sign = worked === null ? "" : worked ? " (0)" : " (!)";
    return command + sign;
  });
  return [
    episode.title,
    `${episode.began_at} – ${episode.last_at}, ${episode.outcome}`,
    ...(episode.intent && episode.intent !== episode.title ? ["", episode.intent] : []),
    ...list("Changes", episode.changes),
    ...list("Commands", ran),
    ...list("Commits", episode.commits),
    ...list("Files", episode.paths),
  ].join("\n");
}
