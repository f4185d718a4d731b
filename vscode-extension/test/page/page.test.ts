// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { isToPage, type ToPage } from "../../src/page/messages";
import { beginPage, type Host } from "../../src/page/view/page";
import { words } from "../../src/page/words";
import { belief, page } from "./belief";

class FakeHost implements Host {
  readonly told: unknown[] = [];
  state: unknown = undefined;
  postMessage(message: unknown): void {
    this.told.push(message);
  }
  getState(): unknown {
    return this.state;
  }
  setState(state: unknown): void {
    this.state = state;
  }
}

function sent(what = page()): ToPage {
  return { type: "page", page: what, words: words(), language: "en" };
}

let host: FakeHost;
let hear: (message: unknown) => void;
beforeEach(() => {
  document.body.innerHTML = '<main aria-busy="true">Loading…</main><p role="status"></p>';
  host = new FakeHost();
  hear = beginPage(host);
});

test("the page says that it is ready, and draws what it is sent instead of the waiting text", () => {
  expect(host.told).toEqual([{ type: "ready" }]);
  hear(sent());
  expect(document.querySelectorAll("main").length).toBe(1);
  expect(document.querySelector("main")?.getAttribute("aria-busy")).toBeNull();
  expect(document.querySelector("h1")?.textContent).toContain("fetch retries");
});

test("the page remembers which belief it shows, so that it can be restored", () => {
  hear(sent());
  expect(host.state).toEqual({ id: "b_1", root: "file:///project", top: 0 });
});

test("what had the focus has it after the page was drawn anew", () => {
  hear(sent());
  const before = document.querySelector<HTMLElement>("[data-key='act:retire']");
  before?.focus();
  hear(sent(page({ belief: belief({ standing: "current" }) })));
  expect(document.activeElement).not.toBe(before);
  expect(document.activeElement?.getAttribute("data-key")).toBe("act:retire");
});

test("an action that is not offered any more leaves the focus to the one in its place", () => {
  hear(sent(page({ actions: ["confirm", "lock", "retire"] })));
  document.querySelector<HTMLElement>("[data-key='act:lock']")?.focus();
  hear(sent(page({ actions: ["confirm", "unlock", "retire"] })));
  expect(document.activeElement?.getAttribute("data-key")).toBe("act:unlock");
});

test("a page whose belief is forgotten while it is read says so to those who listen", () => {
  hear(sent());
  hear({ type: "absent", absent: { heading: "It is gone", message: "no belief", hint: "", install: "", retry: "", log: "" } });
  expect(document.querySelector("[role=status]")?.textContent).toBe("It is gone");
});

test("a change of the standing is said to those who listen, the first standing is not", () => {
  hear(sent());
  expect(document.querySelector("[role=status]")?.textContent).toBe("");
  hear(sent(page({ belief: belief({ standing: "current" }) })));
  expect(document.querySelector("[role=status]")?.textContent).toBe("It is now current.");
});

test("the same page twice is drawn once", () => {
  hear(sent());
  const drawn = document.querySelector("main");
  hear(sent());
  expect(document.querySelector("main")).toBe(drawn);
});

test("a page that cannot be read offers to try again", () => {
  hear({ type: "absent", absent: { heading: "No", message: "the server is not running", hint: "", install: "", retry: "Try again", log: "" } });
  document.querySelector<HTMLElement>("[data-key=retry]")?.click();
  expect(host.told.at(-1)).toEqual({ type: "retry" });
});

test("what is not from the extension changes nothing", () => {
  for (const message of [undefined, null, 3, "page", [], {}, { type: "page" }, { type: "page", page: {}, words: {}, language: "en" }]) {
    expect(isToPage(message)).toBe(false);
    hear(message);
  }
  expect(document.querySelector("main")?.textContent).toBe("Loading…");
});
