/**
 * What runs inside the page: draws what the extension sends, tells it what is pressed, and keeps the reader where they were
 * (scrolled, focused) when the page is drawn anew.
 */
import { type FromPage, isToPage, subjectOf, type ToPage } from "../messages";
import { drawnAbsence, drawnPage } from "./drawing";
import { fill } from "./elements";

/** What the editor gives to a page. */
export interface Host {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Takes over a document whose body holds the `main` to replace and a `[role=status]`. */
export function beginPage(host: Host): (message: unknown) => void {
  const tell = (message: FromPage): void => host.postMessage(message);
  const told = document.querySelector("[role=status]");
  let last = "";
  let shown = "";
  let standing = "";
  let keep = (): void => undefined;
  window.addEventListener("scroll", () => keep(), { passive: true });

  const show = (message: ToPage): void => {
    if (message.type === "busy") {
      document.querySelector("main")?.setAttribute("aria-busy", String(message.busy));
      return;
    }
    const text = JSON.stringify(message);
    if (text === last) return;
    last = text;
    if (message.type === "absent") {
      if (told && standing) told.textContent = message.absent.heading;
      standing = "";
      replace(drawnAbsence(message.absent, tell));
      return;
    }
    const { page, words, language } = message;
    const { id, root } = page.belief;
    const first = standing === "" || shown !== id;
    if (first) standing = "";
    shown = id;
    replace(drawnPage({ page, words, language, tell }));
    if (first) {
      window.scrollTo(0, topOf(host.getState(), id));
      showHere();
    }
    keep = (): void => host.setState({ id, root, top: window.scrollY });
    keep();
    if (told && standing && standing !== page.belief.standing) {
      told.textContent = fill(words.standsNow, words.standings[page.belief.standing] ?? page.belief.standing);
    }
    standing = page.belief.standing;
  };

  tell({ type: "ready" });
  return (message) => {
    if (isToPage(message)) show(message);
  };
}

/** Puts a new `main` where the old one is; what had the focus, or was scrolled, is so again where it is still there. */
export function replace(next: HTMLElement): void {
  const before = document.querySelector("main");
  const focused = keyOf(document.activeElement);
  const pressed = actionsOf(before).findIndex((each) => each === document.activeElement);
  const top = window.scrollY;
  const scrolled = new Map<string, { left: number; top: number }>();
  for (const each of document.querySelectorAll("[data-key]")) {
    const key = keyOf(each);
    if (key && (each.scrollLeft || each.scrollTop)) scrolled.set(key, { left: each.scrollLeft, top: each.scrollTop });
  }
  if (before) before.replaceWith(next);
  else document.body.prepend(next);
  for (const each of next.querySelectorAll<HTMLElement>("[data-key]")) {
    const key = keyOf(each);
    if (!key) continue;
    const was = scrolled.get(key);
    if (was) {
      each.scrollLeft = was.left;
      each.scrollTop = was.top;
    }
    if (key === focused) each.focus({ preventScroll: true });
  }
  if (pressed >= 0 && !next.contains(document.activeElement)) actionsOf(next).at(pressed)?.focus({ preventScroll: true });
  window.scrollTo(0, top);
}

/** Brings the box of this belief into sight where the graph is wider than the page. */
function showHere(): void {
  const graph = document.querySelector<HTMLElement>(".graph");
  const here = graph?.querySelector<HTMLElement>(".here");
  if (graph && here) graph.scrollLeft = here.offsetLeft - (graph.clientWidth - here.offsetWidth) / 2;
}

/** How far down the reader was when the page was hidden, if it was the page of this belief. */
function topOf(state: unknown, id: string): number {
  if (subjectOf(state)?.id !== id || typeof state !== "object" || state === null || !("top" in state)) return 0;
  return typeof state.top === "number" ? state.top : 0;
}

/** The buttons of the page's actions: one that is not offered any more leaves the focus to that in its place. */
function actionsOf(main: Element | null): HTMLElement[] {
  return main ? [...main.querySelectorAll<HTMLElement>(".actions > button")] : [];
}

function keyOf(node: Element | null): string | undefined {
  return node?.getAttribute("data-key") ?? undefined;
}
