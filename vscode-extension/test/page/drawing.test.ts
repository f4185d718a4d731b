// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from "vitest";
import type { FromPage } from "../../src/page/messages";
import { drawnAbsence, drawnPage } from "../../src/page/view/drawing";
import { words } from "../../src/page/words";
import type { BeliefPage } from "../../src/wire";
import { belief, page, revision } from "./belief";

let told: FromPage[];
beforeEach(() => {
  told = [];
  document.body.replaceChildren();
});

function draw(what: BeliefPage): HTMLElement {
  const drawn = drawnPage({ page: what, words: words(), language: "en", tell: (message) => void told.push(message) });
  document.body.append(drawn);
  return drawn;
}

function press(drawn: HTMLElement, label: string): void {
  const found = [...drawn.querySelectorAll("button")].find((each) => (each.getAttribute("aria-label") ?? each.textContent) === label);
  if (!found) throw new Error(`no button ${label}`);
  found.click();
}

function texts(drawn: HTMLElement, selector: string): string[] {
  return [...drawn.querySelectorAll(selector)].map((each) => each.textContent);
}

describe("a belief's page", () => {
  test("is headed by the statement, with its kind and standing in words", () => {
    const drawn = draw(page());
    expect(texts(drawn, "h1")).toEqual(["fetch retries three times, because the service drops one call in ten"]);
    expect(texts(drawn, ".marks span")).toEqual(["Decision", "contradicted"]);
  });

  test("has a landmark with a heading for each part", () => {
    const drawn = draw(page());
    for (const section of drawn.querySelectorAll("section")) {
      expect(document.getElementById(section.getAttribute("aria-labelledby") ?? "")?.tagName).toBe("H2");
    }
    expect(drawn.querySelectorAll("section").length).toBe(7);
  });

  test("says why it stands so", () => {
    expect(texts(draw(page({ links: [] })), "#reasons li")).toEqual(["3 is 5 now 0123456789"]);
  });

  test("of a belief that another one contradicts says so, leads there, and lets it be settled", () => {
    const [change] = page().changes;
    const drawn = draw(
      page({
        belief: belief({ standing: "current", holds: true, reasons: [], conflicts: ["b_1+b_3"] }),
        changes: change ? [{ ...change, lines: [] }] : [],
      }),
    );
    expect(texts(drawn, ".marks .standing")).toEqual(["in conflict"]);
    expect(texts(drawn, "#reasons li")).toEqual(["Another belief says something else: fetch never retries"]);
    expect(drawn.textContent).not.toMatch(/as it was\.|agrees/);
    expect(texts(drawn, ".actions button")[0]).toBe("Settle…");
    press(drawn, "fetch never retries");
    expect(told).toEqual([{ type: "belief", id: "b_3" }]);
  });

  test("asks one question, with three buttons, and has all else behind one more", () => {
    const actions = ["confirm", "supersede", "retire", "reanchor", "scope", "lock", "worked", "failed", "rollback", "forget"];
    const drawn = draw(page({ actions }));
    expect(texts(drawn, ".actions .asks")).toEqual(["Is it still true?"]);
    expect(texts(drawn, ".actions button")).toEqual(["Still true", "Replace…", "No longer true…", "More…"]);
    press(drawn, "More…");
    expect(told).toEqual([{ type: "more" }]);
    expect(texts(draw(page({ actions: ["admit", "reject", "forget"] })), ".actions .asks")).toEqual([]);
  });

  test("shows the code then and now with signs and words, not by colour alone", () => {
    const drawn = draw(page());
    expect(texts(drawn, "#code del")).toEqual(["removed: -    tries = 3\n"]);
    expect(texts(drawn, "#code ins")).toEqual(["added: +    tries = 5\n"]);
    expect(drawn.querySelector("#code pre")?.getAttribute("tabindex")).toBe("0");
  });

  test("says so when the code is as it was, and when it is gone", () => {
    const [change] = page().changes;
    if (!change) throw new Error("no change");
    const drawn = draw(page({ changes: [{ ...change, lines: [] }, { ...change, now: null, lines: [] }] }));
    expect(texts(drawn, "#code article > p:last-child")).toEqual(["The code is as it was.", "The code is not found any more."]);
  });

  test("shows only the first lines of a very long difference and counts the rest", () => {
    const [change] = page().changes;
    if (!change) throw new Error("no change");
    const drawn = draw(page({ changes: [{ ...change, lines: Array.from({ length: 1_000 }, () => "+x") }] }));
    expect(drawn.querySelectorAll("#code ins").length).toBe(400);
    expect(texts(drawn, "#code .gap")).toEqual(["600 more lines\n"]);
  });

  test("tells each step of the confidence in a table and describes the line", () => {
    const drawn = draw(page());
    expect(texts(drawn, "#history tbody tr td:nth-child(5)")).toEqual(["70%", "70% → 80%"]);
    expect(drawn.querySelector("#history svg")?.getAttribute("aria-label")).toBe("Confidence from 70% to 80% in 2 steps");
  });

  test("draws no line through a single step", () => {
    expect(draw(page({ revisions: [revision()] })).querySelector("#history svg")).toBeNull();
  });

  test("says who was given it, when and for which question", () => {
    const drawn = draw(page());
    expect(texts(drawn, "#served tbody td")).toEqual(["claude-code", "how often does fetch retry?"]);
    expect(drawn.querySelector("#served time")?.getAttribute("datetime")).toBe("2026-11-03T10:00:00Z");
  });

  test("says what links to it, in boxes and in sentences", () => {
    const drawn = draw(page());
    expect(texts(drawn, "#links .sentences li")).toEqual([
      "this belief rests on the service drops one call in ten",
      "fetch never retries contradicts this belief",
    ]);
    const labels = [...drawn.querySelectorAll("#links .box")].map((each) => each.getAttribute("aria-label"));
    expect(labels).toEqual([
      "this belief rests on, the service drops one call in ten, current",
      "this belief, fetch retries three times, contradicted",
      "contradicts this belief, fetch never retries, in conflict",
    ]);
  });

  test("tells the extension what was pressed, by what it was shown", () => {
    const drawn = draw(page());
    press(drawn, "Still true");
    press(drawn, "Go to src/net.py#fetch:12");
    press(drawn, "Open as diff: src/net.py#fetch");
    press(drawn, "this belief rests on, the service drops one call in ten, current");
    press(drawn, "Copy id");
    expect(told).toEqual([
      { type: "act", action: "confirm" },
      { type: "reveal", path: "src/net.py", line: 12 },
      { type: "diff", change: 0 },
      { type: "belief", id: "b_2" },
      { type: "copy" },
    ]);
  });

  test("offers an action that it does not know by its name", () => {
    expect(texts(draw(page({ actions: ["mend"] })), ".actions button")).toEqual(["mend"]);
  });

  test("leaves out what there is nothing of", () => {
    const drawn = draw(
      page({ belief: belief({ anchors: [], reasons: [] }), changes: [], nodes: [], links: [], actions: [], served: [], served_total: 0 }),
    );
    expect([...drawn.querySelectorAll("section")].map((each) => each.id)).toEqual(["reasons", "places", "history", "served", "details"]);
    expect(drawn.querySelector(".actions")).toBeNull();
  });
});

describe("hostile text", () => {
  const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>[run](command:workbench.action.quit) javascript:alert(3)';

  function hostile(): BeliefPage {
    const base = page();
    return page({
      belief: belief({
        text: HOSTILE,
        scope: HOSTILE,
        source: HOSTILE,
        author: { name: HOSTILE, kind: "agent" },
        conditions: [HOSTILE],
        guards: [HOSTILE],
        session: HOSTILE,
        superseded_by: HOSTILE,
        reasons: [{ code: "x", message: HOSTILE, path: HOSTILE, symbol: HOSTILE, commit: HOSTILE, at: null }],
        anchors: [{ path: HOSTILE, symbol: HOSTILE, line: 1 }],
        candidates: [{ path: HOSTILE, symbol: HOSTILE, line: 1, similarity: 0.5 }],
      }),
      changes: base.changes.map((each) => ({ ...each, was: HOSTILE, now: `${HOSTILE}!`, lines: [`+${HOSTILE}`, `-${HOSTILE}`, HOSTILE] })),
      revisions: [revision({ note: HOSTILE, how: HOSTILE, action: HOSTILE, at: HOSTILE, author: { name: HOSTILE, kind: "agent" } }), revision()],
      served: [{ at: HOSTILE, asker: HOSTILE, query: HOSTILE }],
      nodes: base.nodes.map((node) => ({ ...node, text: HOSTILE })),
      actions: [HOSTILE],
    });
  }

  test("becomes text and nothing else, wherever it stands", () => {
    const drawn = draw(hostile());
    expect(drawn.querySelectorAll("img, script, a, iframe, object, embed, form, link, style").length).toBe(0);
    for (const each of drawn.querySelectorAll("*")) {
      for (const { name } of each.attributes) expect(name).not.toMatch(/^(on|href|src|srcdoc|action|formaction)/);
    }
    expect(drawn.querySelector("h1")?.textContent).toBe(HOSTILE);
  });

  test("cannot turn the reading direction around unseen", () => {
    const drawn = draw(page({ belief: belief({ text: "safe \u202e evil \u2066x\u2069" }) }));
    expect(texts(drawn, "h1")).toEqual(["safe [U+202E] evil [U+2066]x[U+2069]"]);
    expect(drawn.querySelector("h1 bdi")?.getAttribute("dir")).toBe("auto");
  });

  test("of ten thousand letters has its beginning as heading and stands below in full", () => {
    const text = "ab 👩‍👩‍👧".repeat(2_000);
    const drawn = draw(page({ belief: belief({ text }) }));
    expect(texts(drawn, "h1")[0]?.length).toBeLessThan(2_000);
    expect(texts(drawn, ".whole")).toEqual([text]);
  });

  test("in the sentence about a missing belief stays text", () => {
    const drawn = drawnAbsence({ heading: "gone", message: HOSTILE, hint: HOSTILE, install: "", retry: "", log: "" }, () => undefined);
    expect(drawn.querySelectorAll("img, script, a").length).toBe(0);
    expect(drawn.textContent).toContain(HOSTILE);
  });
});
