import { beforeEach, describe, expect, test } from "vitest";
import { Uri as RealUri } from "vscode";
import { BACK, type FakeQuickPick } from "../fake/quick-input";
import { fake, Position, Selection, Uri, window, workspace } from "../fake/vscode";
import { MemoryError } from "../../src/memory";
import { Peek, placeOf } from "../../src/remember/peek";
import { belief, FakeMemory, page } from "./belief";

const FILE = "file:///repo/client.py";
const THREAD = { text: "TODO retry on 429 too", path: "client.py", line: 9, symbol: "fetch" };
const CHANGE = { commit: "659f4b6dabc", author: "Ann", date: "2026-11-18T10:00:00Z", subject: "Retry", change: "gained `retries`" };
let known: FakeMemory;
let peek: Peek;

beforeEach(() => {
  fake.reset();
  known = new FakeMemory();
  peek = new Peek(known.memory);
  known.answers.set("memlsp/why", { place: "client.py#fetch", beliefs: [belief()], threads: [THREAD], history: [CHANGE] });
  known.answers.set("memlsp/belief", { ...page(belief()), actions: ["confirm", "retire"] });
  known.answers.set("memlsp/revise", {});
  workspace.workspaceFolders = [{ uri: Uri.file("/repo"), name: "repo", index: 0 }];
});

function labels(at = 0): string[] {
  return (fake.asked[at]?.items as { label: string }[]).map((item) => item.label);
}

describe("a peek", () => {
  test("shows beliefs, what is left open and the past, and a way to remember more", async () => {
    await peek.at(FILE, "fetch");
    expect(known.asked).toEqual([{ method: "memlsp/why", params: { uri: FILE, symbol: "fetch" } }]);
    expect(fake.asked[0]?.options).toMatchObject({ title: "What is remembered about client.py#fetch" });
    expect(labels().join("\n")).toBe(
      [
        "Beliefs",
        "$(pass) Retries three times, the API drops one call in ten.",
        "Left open",
        "$(circle-large-outline) TODO retry on 429 too",
        "What changed its meaning",
        "$(git-commit) gained `retries`",
        "",
        "$(add) Remember something here…",
      ].join("\n"),
    );
  });

  test("offers of a belief what the server allows, does it and shows the list again", async () => {
    fake.answers.push("Retries", "Still true", undefined);
    await peek.at(FILE, "fetch");
    expect(labels(1)).toEqual(["$(open-preview) Open its page", "$(go-to-file) Go to the code", "Actions", "Still true", "No longer true…"]);
    expect(known.asked.map((each) => each.method)).toEqual(["memlsp/why", "memlsp/belief", "memlsp/revise", "memlsp/why"]);
    expect(known.params("memlsp/revise")).toMatchObject([{ action: "confirm" }]);
  });

  test("leads back from a belief to the list", async () => {
    fake.answers.push("Retries", BACK, undefined);
    await peek.at(FILE, "fetch");
    expect(known.asked.map((each) => each.method)).toEqual(["memlsp/why", "memlsp/belief", "memlsp/why"]);
  });

  test("opens the page, in the belief's workspace", async () => {
    fake.answers.push("Retries", "page");
    await peek.at(FILE, "fetch");
    expect(fake.ran).toEqual([{ id: "memlsp.openBelief", args: [{ id: "fj8egz2k", root: "file:///repo" }] }]);
  });

  test("opens the page by the button too", async () => {
    fake.answers.push((items: { buttons?: unknown[] }[], box: FakeQuickPick) => {
      box.pressOn(items[1], items[1]?.buttons?.[0]);
    });
    await peek.at(FILE, "fetch");
    await new Promise(setImmediate);
    expect(fake.ran[0]?.id).toBe("memlsp.openBelief");
  });

  test("goes to what is left open", async () => {
    fake.answers.push("TODO");
    await peek.at(FILE, "fetch");
    expect(String(fake.opened[0])).toBe("file:///repo/client.py");
  });

  test("copies the commit of a past change", async () => {
    fake.answers.push("gained");
    await peek.at(FILE, "fetch");
    expect(fake.copied).toEqual(["659f4b6dabc"]);
  });

  test("says how many commits it leaves out", async () => {
    known.answers.set("memlsp/why", { place: "client.py#fetch", beliefs: [], threads: [], history: [CHANGE], older: "2 earlier commits" });
    await peek.at(FILE, "fetch");
    expect(labels()[0]).toBe("What changed its meaning · 2 earlier commits");
  });

  test("of a place without memory says so and offers to remember", async () => {
    known.answers.set("memlsp/why", { place: "client.py#fetch", beliefs: [], threads: [], history: [] });
    fake.answers.push("Remember");
    await peek.at(FILE, "fetch");
    expect(fake.asked[0]?.options).toMatchObject({ placeholder: "Nothing is remembered here yet" });
    expect(fake.ran[0]).toMatchObject({ id: "memlsp.remember", args: [{ symbol: "fetch" }] });
  });

  test("shows nothing when the server could not tell, and says why once", async () => {
    known.answers.set("memlsp/why", new MemoryError("no memory could be opened", "memlsp doctor says why"));
    await peek.at(FILE, "fetch");
    expect(fake.asked).toEqual([]);
    expect(fake.messages).toHaveLength(1);
  });

  test("is drawn from what it understands of the answer", async () => {
    known.answers.set("memlsp/why", { beliefs: ["odd", null, { id: 4 }], threads: "none" });
    await peek.at(FILE, "fetch");
    expect(labels()).toEqual(["", "$(add) Remember something here…"]);
  });
});

describe("the place of a peek", () => {
  test("is the cursor's without arguments", () => {
    window.activeTextEditor = {
      document: { uri: Uri.parse(FILE) },
      selection: new Selection(new Position(3, 0), new Position(3, 0)),
    };
    expect(placeOf(undefined, undefined)).toMatchObject({ where: 4 });
    expect(placeOf(RealUri.parse(FILE), undefined)).toMatchObject({ where: 4 });
  });

  test("is that of the menu of line numbers", () => {
    expect(placeOf({ uri: RealUri.parse(FILE), lineNumber: 7 }, undefined)).toMatchObject({ where: 7 });
  });

  test("is a whole file when nothing else is said", () => {
    expect(placeOf(FILE, undefined)).not.toHaveProperty("where");
  });
});

test("without any file the question is asked in words", async () => {
  await peek.at();
  expect(fake.ran.map((each) => each.id)).toEqual(["memlsp.recall"]);
});
