/** The top of the page: what is held true, whether it still holds, and what can be done about it. */
import { beginning } from "../beginning";
import type { Belief } from "../../wire";
import type { Words } from "../words";
import { button, element, fill, prose, remembered } from "./elements";
import type { Telling } from "./telling";

const LONG = 240;

/** The statement as heading, its kind and standing before it; a long one has its beginning as heading. */
export function statement({ page, words }: Telling): HTMLElement {
  const { belief } = page;
  const heading = beginning(belief.text, LONG);
  const long = heading !== belief.text;
  const marks = element(
    "p",
    { class: "marks" },
    element("span", { class: "kind" }, words.kinds[belief.kind] ?? belief.kind),
    element("span", { class: "standing", "data-key": "standing" }, words.standings[belief.standing] ?? belief.standing),
    ...checked(belief, words),
    belief.locked ? element("span", { class: "locked" }, words.locked) : undefined,
    belief.status === "proposed" ? element("span", { class: "proposed" }, words.proposed) : undefined,
  );
  marks.dataset["standing"] = belief.standing;
  return element(
    "header",
    {},
    marks,
    element("h1", {}, remembered(heading)),
    long ? element("p", { class: "whole" }, remembered(belief.text)) : undefined,
  );
}

/** The claims that the code bears out, or that none was checked, where the standing alone would pass for a proof. */
function checked(belief: Belief, words: Words): HTMLElement[] {
  if (!belief.checked || (belief.standing !== "current" && belief.standing !== "carried")) return [];
  const said = belief.checked.slice(0, 3).join(", ");
  return [element("span", { class: "checked" }, said ? fill(words.checked, said) : words.unchecked)];
}

/** One button for each action that the server allows now. */
export function actions({ page, words, tell }: Telling): HTMLElement | undefined {
  if (page.actions.length === 0) return undefined;
  return element(
    "div",
    { class: "actions", role: "group", "aria-label": words.actions },
    ...page.actions.map((action, index) =>
      button(`act:${action}`, words.actionNames[action] ?? action, () => tell({ type: "act", action }), {
        class: index === 0 ? "primary" : "secondary",
      }),
    ),
  );
}

/** Why it stands so, as the server says it. */
export function reasons({ page, words }: Telling): HTMLElement {
  const { belief } = page;
  if (belief.reasons.length === 0) return element("p", { class: "quiet" }, belief.holds ? words.noReasons : "");
  return element(
    "ul",
    {},
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
