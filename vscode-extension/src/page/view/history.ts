/** Every revision in a table, and above it the way of the confidence as a line. */
import type { Revision } from "../../wire";
import { drawn, element, fill, moment, percent, remembered } from "./elements";
import type { Telling } from "./telling";

const WIDTH = 320;
const HEIGHT = 56;
const EDGE = 6;

/** The line, where there is something to compare, and the table, newest last as it was written. */
export function history(telling: Telling): HTMLElement {
  const { revisions } = telling.page;
  return element("div", {}, ...(revisions.length > 1 ? [line(telling)] : []), table(telling));
}

function line({ page, words, language }: Telling): HTMLElement {
  const values = page.revisions.map((revision) => Math.min(1, Math.max(0, revision.confidence)));
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1);
  const points = values.map((value, index) => ({
    x: Math.round(EDGE + index * step),
    y: Math.round(EDGE + (1 - value) * (HEIGHT - 2 * EDGE)),
  }));
  const first = percent(values[0] ?? 0, language);
  const last = percent(values.at(-1) ?? 0, language);
  const drawing = drawn(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "confidence",
      role: "img",
      "aria-label": fill(words.confidenceLine, first, last, values.length),
    },
    drawn("line", { class: "ground", x1: 0, x2: WIDTH, y1: HEIGHT - EDGE, y2: HEIGHT - EDGE }),
    drawn("polyline", { points: points.map(({ x, y }) => `${x},${y}`).join(" ") }),
    ...points.map(({ x, y }) => drawn("circle", { cx: x, cy: y, r: 3 })),
  );
  return element(
    "figure",
    {},
    drawing,
    element("figcaption", { "aria-hidden": "true" }, `${words.confidence}: ${first} → ${last}`),
  );
}

function table(telling: Telling): HTMLElement {
  const { words, page } = telling;
  const names = [words.number, words.when, words.what, words.who, words.confidence, words.why];
  return element(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": words.history, "data-key": "history" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...page.revisions.map((revision) => row(telling, revision))),
    ),
  );
}

function row({ words, language }: Telling, revision: Revision): HTMLElement {
  const after = percent(revision.confidence, language);
  const before = revision.confidence_before === null ? after : percent(revision.confidence_before, language);
  const undone = revision.undoes === null ? undefined : element("div", { class: "quiet" }, fill(words.undoes, revision.undoes));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, String(revision.number)),
    element("td", {}, moment(revision.at, language)),
    element(
      "td",
      {},
      words.revisionNames[revision.action] ?? revision.action,
      undone,
      revision.note ? element("div", {}, remembered(revision.note)) : undefined,
    ),
    element("td", {}, remembered(revision.author.name), element("div", { class: "quiet" }, revision.source)),
    element("td", {}, before === after ? after : `${before} → ${after}`),
    element("td", {}, remembered(revision.how)),
  );
}
