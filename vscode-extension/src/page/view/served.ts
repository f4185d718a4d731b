/** Which answers carried the belief: who asked, when, and what, redacted as it is kept. */
import { element, fill, moment, remembered } from "./elements";
import type { Telling } from "./telling";

/** A table of the newest answers. */
export function served({ page, words, language }: Telling): HTMLElement {
  if (page.served.length === 0) return element("p", { class: "quiet" }, words.notServed);
  const rows = page.served.map((each) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, moment(each.at, language)),
      element("td", {}, remembered(each.asker)),
      element("td", {}, remembered(each.query)),
    ),
  );
  const names = [words.when, words.asker, words.question].map((name) => element("th", { scope: "col" }, name));
  return element(
    "div",
    {},
    page.served_total > page.served.length
      ? element("p", { class: "quiet" }, fill(words.servedTotal, page.served_total))
      : undefined,
    element(
      "div",
      { class: "wide", tabindex: "0", role: "group", "aria-label": words.served, "data-key": "served" },
      element("table", {}, element("thead", {}, element("tr", {}, ...names)), element("tbody", {}, ...rows)),
    ),
  );
}
