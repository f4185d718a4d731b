/** What else is known of the belief, by name. Only what there is. */
import { button, type Child, element, fill, moment, percent, remembered } from "./elements";
import type { Telling } from "./telling";

/** A list of names and values. */
export function details({ page, words, language, tell }: Telling): HTMLElement {
  const { belief } = page;
  const replaced = belief.superseded_by;
  const lines: [string, ...Child[]][] = [
    [words.scope, remembered(belief.scope)],
    [words.authority, belief.authority],
    [words.confidence, percent(belief.confidence, language)],
    [words.author, remembered(belief.author.name)],
    [words.source, remembered(belief.source)],
    [words.created, moment(belief.created_at, language)],
    [words.updated, moment(belief.updated_at, language)],
  ];
  if (belief.confirmed_at) lines.push([words.confirmed, moment(belief.confirmed_at, language)]);
  if (belief.expires_at) lines.push([words.expires, moment(belief.expires_at, language)]);
  if (belief.stale_after_days !== null) lines.push([words.recheck, fill(words.days, belief.stale_after_days)]);
  if (belief.conditions.length > 0) lines.push([words.conditions, remembered(belief.conditions.join(", "))]);
  if (belief.guards.length > 0) lines.push([words.guards, ...belief.guards.map((guard) => element("code", { class: "guard" }, remembered(guard)))]);
  if (belief.session) lines.push([words.session, remembered(belief.session)]);
  if (replaced) {
    lines.push([words.replacedBy, button("replacement", replaced, () => tell({ type: "belief", id: replaced }), { class: "way" })]);
  }
  lines.push([words.id, element("code", {}, belief.id), " ", button("copy", words.copy, () => tell({ type: "copy" }), { class: "way" })]);
  return element("dl", {}, ...lines.flatMap(([name, ...value]) => [element("dt", {}, name), element("dd", {}, ...value)]));
}
