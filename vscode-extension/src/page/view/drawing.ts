/** The whole page, from what the extension sent; and what stands there when there is no belief to show. */
import type { Absent, FromPage } from "../messages";
import { details } from "./details";
import { differences, hasDifferences } from "./difference";
import { button, element, section } from "./elements";
import { history } from "./history";
import { links } from "./links";
import { places } from "./places";
import { served } from "./served";
import { actions, reasons, statement } from "./statement";
import type { Telling } from "./telling";

/** A belief's page as one `main`. */
export function drawnPage(telling: Telling): HTMLElement {
  const { words } = telling;
  const graph = links(telling);
  return element(
    "main",
    {},
    statement(telling),
    actions(telling),
    section("reasons", words.reasons, reasons(telling)),
    section("places", words.places, places(telling)),
    hasDifferences(telling) ? section("code", words.code, differences(telling)) : undefined,
    graph ? section("links", words.links, graph) : undefined,
    section("history", words.history, history(telling)),
    section("served", words.served, served(telling)),
    section("details", words.details, details(telling)),
  );
}

/** Why there is no belief, and what can be done. */
export function drawnAbsence(absent: Absent, tell: (message: FromPage) => void): HTMLElement {
  return element(
    "main",
    { class: "absent" },
    element("h1", {}, absent.heading),
    element("p", {}, absent.message),
    absent.hint ? element("p", { class: "quiet" }, absent.hint) : undefined,
    element(
      "div",
      { class: "actions" },
      absent.install ? button("install", absent.install, () => tell({ type: "install" }), { class: "primary" }) : undefined,
      absent.retry ? button("retry", absent.retry, () => tell({ type: "retry" }), { class: "secondary" }) : undefined,
      absent.log ? button("log", absent.log, () => tell({ type: "log" }), { class: "secondary" }) : undefined,
    ),
  );
}
