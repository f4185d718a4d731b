/** The rows of the Memory view: what is remembered of the file at hand by symbol, of each folder by path, of a user. */
import * as vscode from "vscode";
import type { Belief, Beliefs, BeliefsParams, Group } from "../wire";
import { beliefRow, type Shown } from "./belief-row";
import type { Filter } from "./filter";
import { type Folder, folders } from "./folders";
import { plain } from "./plain";
import type { Row } from "./row";
import { kindWord } from "./standings";

/** How many beliefs a section shows before somebody asks for more. */
export const PAGE = 200;

export interface Asked {
  readonly beliefs: (params: BeliefsParams) => Promise<Beliefs>;
  readonly filter: Pick<Filter, "active" | "params">;
  /** The file at hand, as a uri; "" when none is open. */
  readonly file: string;
  /** How many a section shows, by its id, where that is more than a page. */
  readonly pages: ReadonlyMap<string, number>;
}

/** The sections; none when nothing is remembered at all, so that the view's welcome is shown. */
export async function memoryRows(asked: Asked): Promise<readonly Row[]> {
  const known = folders();
  if (known.length === 0) return [];
  const several = known.length > 1;
  const wide = known.map(async (folder) => {
    const params: BeliefsParams = { scope: "workspace", uri: folder.uri };
    const label = several ? folder.name : vscode.l10n.t("Workspace");
    return section(asked, { id: `workspace:${folder.uri}`, label, icon: "root-folder", params, folder });
  });
  const [first] = known;
  const [file, user, ...workspaces] = await Promise.all([
    fileSection(asked, known),
    section(asked, {
      id: "user",
      label: vscode.l10n.t("User"),
      icon: "account",
      params: { scope: "user", ...(first ? { uri: first.uri } : {}) },
    }),
    ...wide,
  ]);
  const all = [file, ...workspaces, user];
  if (!asked.filter.active && all.every((each) => each.total === 0)) return [];
  return all.map((each) => each.row);
}

interface Section {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly params: BeliefsParams;
  readonly folder?: Folder;
  readonly about?: string;
}

interface Counted {
  readonly row: Row;
  readonly total: number;
}

async function fileSection(asked: Asked, known: readonly Folder[]): Promise<Counted> {
  const label = vscode.l10n.t("This file");
  const inside = known.find((folder) => asked.file.startsWith(`${folder.uri}/`));
  if (!inside) {
    const description = vscode.l10n.t("no file is open");
    // a name of its own: the section that comes when a file is opened would else be closed, as this one cannot be open
    return { total: 0, row: { id: "file:none", label, description, icon: { id: "file" }, context: "section" } };
  }
  const params: BeliefsParams = { scope: "file", uri: asked.file };
  const name = plain(decodeURIComponent(asked.file.slice(asked.file.lastIndexOf("/") + 1)));
  const about = known.length > 1 ? `${name} · ${plain(inside.name)}` : name;
  // what is at hand is open and small, so it is asked for whole
  const answer = await ask(asked, "file", params);
  const rows = groupRows(answer, `file:${asked.file}`, "symbol");
  // a section without lines cannot be open, and the editor would keep the next file's closed if it had the same name
  const id = rows.length > 0 ? "file" : "file:empty";
  const row = sectionRow({ id, label, icon: "file", params, about }, answer, asked);
  return { total: answer.total, row: { ...row, open: true, rows: [...rows, ...moreRows(answer, "file")] } };
}

/** A section that is closed at first: only its count is asked for. */
async function section(asked: Asked, about: Section): Promise<Counted> {
  const counted = await asked.beliefs({ ...about.params, ...asked.filter.params, limit: 0 });
  const load = async (): Promise<readonly Row[]> => {
    const answer = await ask(asked, about.id, about.params);
    return [...groupRows(answer, about.id, "file", about.folder?.uri), ...moreRows(answer, about.id)];
  };
  const row = sectionRow(about, counted, asked);
  return { total: counted.total, row: counted.total > 0 ? { ...row, load } : row };
}

function ask(asked: Asked, id: string, params: BeliefsParams): Promise<Beliefs> {
  const limit = asked.pages.get(id) ?? PAGE;
  return asked.beliefs({ ...params, ...asked.filter.params, limit });
}

function sectionRow(about: Section, { total }: Beliefs, { filter }: Asked): Row {
  const count = filter.active ? vscode.l10n.t("{0} fit the filter", total) : String(total);
  const description = [about.about, count].filter(Boolean).join(" · ");
  return {
    id: about.id,
    label: plain(about.label),
    description,
    icon: { id: about.icon },
    context: "section",
    spoken: [plain(about.label), about.about, beliefCount(total)].filter(Boolean).join(", "),
  };
}

function groupRows({ groups, total }: Beliefs, under: string, above: "symbol" | "file", folder?: string): readonly Row[] {
  const shown = new Set(groups.flatMap((group) => group.beliefs.map((belief) => belief.id)));
  return groups.flatMap((group, at) => {
    const id = `${under}#${group.path}#${group.symbol || group.label}`;
    const row = (belief: Belief, upper: Shown["above"]): Row =>
      beliefRow(belief, { under: id, above: upper, path: group.path, ...(folder ? { folder } : {}) });
    const [only, another] = group.beliefs;
    // a line above a single one would only repeat it; the file at hand is named above them all
    if (only && !another) return [row(only, above === "symbol" ? "file" : "section")];
    const cut = total > shown.size && at === groups.length - 1; // the rest of this group is not known yet
    const label = plain(groupName(group));
    const place = group.path ? { root: group.beliefs[0]?.root ?? "", path: group.path, line: group.line } : undefined;
    return [{
      id,
      label,
      description: `${group.beliefs.length}${cut ? "+" : ""}`,
      icon: groupIcon(group),
      context: place ? "group placed" : "group",
      spoken: `${label}, ${beliefCount(group.beliefs.length)}`,
      open: above === "symbol",
      rows: group.beliefs.map((belief) => row(belief, above)),
      ...(place ? { place } : {}),
    }];
  });
}

function beliefCount(count: number): string {
  return count === 1 ? vscode.l10n.t("1 belief") : vscode.l10n.t("{0} beliefs", count);
}

function groupName({ label, symbol, path }: Group): string {
  if (label === "this file") return vscode.l10n.t("this file");
  if (label === "whole workspace") return vscode.l10n.t("whole workspace");
  return kindWord(label) || symbol || path;
}

function groupIcon(group: Group): { id: string } {
  if (group.symbol) return { id: "symbol-method" };
  return { id: group.path ? "file" : "globe" };
}

function moreRows({ groups, total }: Beliefs, section: string): readonly Row[] {
  const shown = new Set(groups.flatMap((group) => group.beliefs.map((belief) => belief.id)));
  const left = total - shown.size; // what is tied to two places is there twice
  if (left <= 0) return [];
  const label = vscode.l10n.t("Show more");
  const description = vscode.l10n.t("{0} left", left);
  return [{ id: `${section}/more`, label, description, icon: { id: "ellipsis" }, command: "memlsp.views.more" }];
}
