/** The code of each anchor as it was verified and as it is. Signs, words for those who listen, and colours say the same. */
import type { CodeChange } from "../../wire";
import { button, element, fill, type Child, visible, written } from "./elements";
import type { Telling } from "./telling";

const MOST_LINES = 400;

/** One article for each anchor. */
export function differences(telling: Telling): HTMLElement {
  return element("div", {}, ...telling.page.changes.map((change, index) => difference(telling, change, index)));
}

/** True where there is code to compare; of two beliefs that contradict each other the code is not the question. */
export function hasDifferences({ page }: Telling): boolean {
  return page.changes.length > 0 && (!page.belief.conflicts?.length || page.changes.some(({ now, lines }) => now === null || lines.length > 0));
}

function difference(telling: Telling, change: CodeChange, index: number): HTMLElement {
  const { words, language, tell } = telling;
  const name = visible(change.was);
  const verified = written(change.verified_at, language);
  const when = change.commit ? fill(words.thenAt, verified, change.commit.slice(0, 10)) : fill(words.then, verified);
  return element(
    "article",
    { "aria-label": name },
    element("h3", {}, element("code", { dir: "ltr" }, name)),
    element("p", { class: "quiet" }, when),
    change.now === null ? element("p", { class: "lost" }, words.lost) : undefined,
    change.now !== null && change.now !== change.was ? element("p", {}, fill(words.became, visible(change.now))) : undefined,
    ...(change.lines.length > 0
      ? [
          listing(telling, change, index),
          button(`diff:${index}`, words.openDiff, () => tell({ type: "diff", change: index }), {
            class: "secondary",
            "aria-label": `${words.openDiff}: ${name}`,
          }),
        ]
      : [change.now === null ? undefined : element("p", { class: "quiet" }, words.same)]),
  );
}

function listing({ words }: Telling, change: CodeChange, index: number): HTMLElement {
  const shown = change.lines.slice(0, MOST_LINES).map((text) => line(text, words));
  const rest = change.lines.length - shown.length;
  return element(
    "pre",
    {
      tabindex: "0",
      role: "group",
      dir: "ltr",
      "data-key": `lines:${index}`,
      "aria-label": fill(words.difference, visible(change.was)),
    },
    element("code", {}, ...shown, rest > 0 ? element("span", { class: "gap" }, `${fill(words.more, rest)}\n`) : undefined),
  );
}

function line(text: string, words: Telling["words"]): Child {
  const sign = text.slice(0, 1);
  const body = visible(text.slice(1));
  if (sign === "+" || sign === "-") {
    const word = sign === "+" ? words.added : words.removed;
    return element(
      sign === "+" ? "ins" : "del",
      {},
      element("span", { class: "heard" }, `${word}: `),
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      `${body}\n`,
    );
  }
  if (sign === "…") return element("span", { class: "gap" }, `${visible(text)}\n`);
  return element("span", { class: "same" }, element("span", { class: "sign", "aria-hidden": "true" }, " "), `${body}\n`);
}
