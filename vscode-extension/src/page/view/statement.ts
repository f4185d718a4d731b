/** The top of the page: what is held true, whether it still holds, and what can be done about it. */
import { beginning } from "../beginning";
import { offeredActions } from "../offered";
import type { Belief, BeliefPage, Node } from "../../wire";
import type { Words } from "../words";
import { button, element, fill, prose, remembered, visible } from "./elements";
import type { Telling } from "./telling";

const LONG = 240;
const BUTTONS = 3;

/** The statement as heading, its kind and standing before it; a long one has its beginning as heading. */
export function statement({ page, words }: Telling): HTMLElement {
  const { belief } = page;
  const heading = beginning(belief.text, LONG);
  const long = heading !== belief.text;
  const marks = element(
    "p",
    { class: "marks" },
    element("span", { class: "kind" }, words.kinds[belief.kind] ?? belief.kind),
    element("span", { class: "standing", "data-key": "standing" }, standing(belief, words)),
    ...checked(belief, words),
    belief.locked ? element("span", { class: "locked" }, words.locked) : undefined,
    belief.status === "proposed" ? element("span", { class: "proposed" }, words.proposed) : undefined,
  );
  marks.dataset["standing"] = belief.holds && belief.conflicts?.length ? "conflict" : belief.standing;
  return element(
    "header",
    {},
    marks,
    element("h1", {}, remembered(heading)),
    long ? element("p", { class: "whole" }, remembered(belief.text)) : undefined,
  );
}

function standing(belief: Belief, words: Words): string {
  const word = words.standings[belief.standing] ?? belief.standing;
  if (!belief.conflicts?.length) return word;
  return belief.holds ? words.inConflict : `${word}, ${words.inConflict}`;
}

/** The claims that the code bears out, or that none was checked, where the standing alone would pass for a proof. */
function checked(belief: Belief, words: Words): HTMLElement[] {
  if (!belief.checked || (belief.standing !== "current" && belief.standing !== "carried")) return [];
  const said = belief.checked.slice(0, 3).join(", ");
  return [element("span", { class: "checked" }, said ? fill(words.checked, said) : words.unchecked)];
}

/** The likeliest things to do as buttons, and behind one more of them all others. */
export function actions({ page, words, tell }: Telling): HTMLElement | undefined {
  const offered = offeredActions(page);
  const shown = offered.slice(0, BUTTONS);
  if (shown.length === 0) return undefined;
  const asks = shown.includes("confirm");
  return element(
    "div",
    { class: "actions", role: "group", "aria-label": asks ? words.isTrue : words.actions },
    asks ? element("span", { class: "asks", "aria-hidden": "true" }, words.isTrue) : undefined,
    ...shown.map((action, index) =>
      button(`act:${action}`, words.actionNames[action] ?? action, () => tell({ type: "act", action }), {
        class: index === 0 ? "primary" : "secondary",
      }),
    ),
    offered.length > shown.length
      ? button("more", words.moreActions, () => tell({ type: "more" }), { class: "secondary" })
      : undefined,
  );
}

/** The other sides of the contradictions that nobody has settled. */
function contradicting({ belief, links, nodes }: BeliefPage): Node[] {
  const others = links.flatMap(({ from_id, to_id, kind }) => {
    if (kind !== "contradicts") return [];
    return from_id === belief.id ? [to_id] : to_id === belief.id ? [from_id] : [];
  });
  return nodes.filter(({ id }) => others.includes(id));
}

/** Why it stands so, as the server says it. */
export function reasons({ page, words, tell }: Telling): HTMLElement {
  const { belief } = page;
  const others = contradicting(page);
  if (belief.reasons.length === 0 && others.length === 0) return element("p", { class: "quiet" }, belief.holds ? words.noReasons : "");
  return element(
    "ul",
    {},
    ...others.map(({ id, text }) =>
      element(
        "li",
        {},
        `${words.other} `,
        button(`other:${id}`, visible(text), () => tell({ type: "belief", id }), { class: "way", dir: "auto" }),
      ),
    ),
    ...belief.reasons.map((reason) =>
      element(
        "li",
        {},
        prose(reason.message),
        reason.commit ? element("code", {}, ` ${reason.commit.slice(0, 10)}`) : undefined,
      ),
    ),
  );
}
