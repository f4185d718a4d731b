/** Where in the code the belief is tied to, each place a way there; and where its code may be now when it was lost. */
import type { Spot } from "../../wire";
import { button, element, fill, percent, visible } from "./elements";
import type { Telling } from "./telling";

/** The anchors and candidates as lists of buttons. */
export function places(telling: Telling): HTMLElement {
  const { belief } = telling.page;
  const { words, language } = telling;
  if (belief.anchors.length === 0) return element("p", { class: "quiet" }, words.noPlaces);
  const ties = element("ul", {}, ...belief.anchors.map((spot, index) => element("li", {}, way(telling, spot, `anchor:${index}`))));
  if (belief.candidates.length === 0) return ties;
  const candidates = belief.candidates.map((spot, index) =>
    element(
      "li",
      {},
      way(telling, spot, `candidate:${index}`),
      element("span", { class: "quiet" }, ` ${fill(words.alike, percent(spot.similarity, language))}`),
    ),
  );
  return element("div", {}, ties, element("h3", {}, words.maybe), element("ul", {}, ...candidates));
}

function way({ words, tell }: Telling, spot: Spot, key: string): HTMLElement {
  const name = visible(spot.symbol ? `${spot.path}#${spot.symbol}` : spot.path);
  const label = `${name}:${spot.line}`;
  return button(key, label, () => tell({ type: "reveal", path: spot.path, line: spot.line }), {
    class: "way",
    dir: "ltr",
    "aria-label": fill(words.goTo, label),
  });
}
