import { beforeEach, describe, expect, test } from "vitest";
import { Uri as RealUri } from "vscode";
import { BACK } from "../fake/quick-input";
import { fake, Selection, Position, Uri, window, workspace } from "../fake/vscode";
import { MemoryError } from "../../src/memory";
import { Notice } from "../../src/remember/notice";
import { knownIn, Remembering } from "../../src/remember/remembering";
import { belief, FakeMemory } from "./belief";

const FILE = "file:///repo/src/client.py";
let known: FakeMemory;
let remembering: Remembering;

beforeEach(() => {
  fake.reset();
  known = new FakeMemory();
  remembering = new Remembering(known.memory, new Notice());
  known.answers.set("memlsp/place", { path: "src/client.py", symbol: "fetch", line: 4, beliefs: 0, workspace: "repo" });
  known.answers.set("memlsp/remember", { belief: belief(), conflicts: [], notices: [] });
  workspace.workspaceFolders = [{ uri: Uri.file("/repo"), name: "repo", index: 0 }];
  window.activeTextEditor = {
    document: { uri: Uri.parse(FILE) },
    selection: new Selection(new Position(3, 4), new Position(5, 0)),
  };
});

function sent(): unknown {
  return known.asked.find((each) => each.method === "memlsp/remember")?.params;
}

describe("remembering at the cursor", () => {
  test("asks for the statement, its kind and how far it applies", async () => {
    fake.answers.push("Retries three times.", "Gotcha", "fetch");
    await remembering.begin();
    expect(sent()).toEqual({ text: "Retries three times.", uri: FILE, kind: "gotcha", scope: "symbol", symbol: "fetch" });
    expect(fake.asked.map((each) => each.options)).toMatchObject([
      { step: 1, totalSteps: 3, value: "" },
      { step: 2, totalSteps: 3, title: "Remember about fetch" },
      { step: 3, totalSteps: 3, title: "Remember about fetch" },
    ]);
  });

  test("does not wait for the server with its questions", async () => {
    let answer: (place: unknown) => void = () => undefined;
    known.answers.set("memlsp/place", () => new Promise((resolve) => (answer = resolve)));
    fake.answers.push("Retries three times.", undefined);
    await remembering.begin();
    expect(fake.asked.map((each) => each.what)).toEqual(["input", "pick"]);
    answer({ path: "src/client.py", symbol: "fetch", line: 4, beliefs: 0, workspace: "repo" });
  });

  test("asks the server where the selection begins", async () => {
    await remembering.begin();
    expect(known.asked[0]).toEqual({ method: "memlsp/place", params: { uri: FILE, line: 4 } });
  });

  test("says quietly that it is kept, with a way to its page", async () => {
    fake.answers.push("Retries three times.", "Let memlsp choose", "fetch");
    expect(await remembering.begin()).toEqual(belief());
    expect(fake.messages).toEqual([]);
    expect(fake.statusBar[0]).toMatchObject({
      visible: true,
      command: { command: "memlsp.openBelief", arguments: [{ id: "fj8egz2k", root: "file:///repo" }] },
    });
    expect(sent()).not.toHaveProperty("kind");
  });

  test.each([
    ["client.py", { scope: "file" }],
    ["src/**", { scope: "glob", glob: "src/**" }],
    ["Workspace", { scope: "workspace" }],
    ["You", { scope: "user" }],
  ])("applies to %s when that is chosen, and is tied to no symbol then", async (label, expected) => {
    fake.answers.push("Retries three times.", "Let memlsp choose", label);
    await remembering.begin();
    expect(sent()).toEqual({ text: "Retries three times.", uri: FILE, ...expected });
  });

  test("asks for a pattern, with one for such files there to be edited", async () => {
    fake.answers.push("Retries three times.", "Rule", "pattern", (box: { value: string }) => box.value);
    await remembering.begin();
    expect(sent()).toMatchObject({ scope: "glob", glob: "src/**/*.py" });
  });
});

describe("what was typed", () => {
  test("is there again after Escape", async () => {
    fake.answers.push("Retries three times.", undefined);
    expect(await remembering.begin()).toBeUndefined();
    await remembering.begin();
    expect(fake.asked.at(-1)?.options).toMatchObject({ value: "Retries three times.", step: 1 });
    expect(sent()).toBeUndefined();
  });

  test("is there again when the user comes back from the kinds", async () => {
    fake.answers.push("Retries three times.", BACK, "Retries five times.", "Fact", BACK, "Rule", "fetch");
    await remembering.begin();
    expect(sent()).toMatchObject({ text: "Retries five times.", kind: "rule" });
  });

  test("is there again when it could not be kept", async () => {
    known.answers.set("memlsp/remember", new MemoryError("the disk is full"));
    fake.answers.push("Retries three times.", "Fact", "fetch");
    expect(await remembering.begin()).toBeUndefined();
    expect(fake.messages[0]).toMatchObject({ level: "error", text: "the disk is full" });
    await remembering.begin();
    expect(fake.asked.at(-1)?.options).toMatchObject({ value: "Retries three times." });
  });

  test("is gone when it was kept", async () => {
    fake.answers.push("Retries three times.", "Fact", "fetch");
    await remembering.begin();
    await remembering.begin();
    expect(fake.asked.at(-1)?.options).toMatchObject({ value: "" });
  });

  test("stays when something else is kept meanwhile, as after a commit", async () => {
    fake.answers.push("Retries three times.", undefined);
    await remembering.begin();
    await remembering.keep({ uri: FILE, text: "Done so for the audit." });
    await remembering.begin();
    expect(fake.asked.at(-1)?.options).toMatchObject({ value: "Retries three times." });
  });

  test("is not sent while nobody could understand it", async () => {
    let problem: unknown;
    fake.answers.push((box: { type(text: string): void; accept(): void; hide(): void; validationMessage: unknown }) => {
      box.type("x");
      box.accept();
      problem = box.validationMessage;
      box.hide();
    });
    await remembering.begin();
    expect(problem).toContain("sentence");
    expect(sent()).toBeUndefined();
  });
});

describe("a caller who knows more", () => {
  test("is asked only what is missing", async () => {
    fake.answers.push("fetch");
    await remembering.begin({ uri: FILE, line: 4, text: "Retries three times.", kind: "fact" });
    expect(fake.asked).toHaveLength(1);
    expect(sent()).toEqual({ text: "Retries three times.", uri: FILE, kind: "fact", scope: "symbol", symbol: "fetch" });
  });

  test("who knows everything is asked nothing", async () => {
    await remembering.begin({ uri: FILE, symbol: "fetch", text: "Retries three times.", kind: "fact", scope: "symbol" });
    expect(fake.asked).toEqual([]);
    expect(sent()).toMatchObject({ symbol: "fetch" });
  });

  test("may be the menu of the line numbers", () => {
    const uri = RealUri.parse(FILE);
    expect(knownIn({ lineNumber: 7, uri })).toEqual({ line: 7, uri });
  });

  test("may mean the file, wherever the cursor is in it", async () => {
    fake.answers.push("Retries three times.", "Let memlsp choose", "client.py");
    await remembering.begin({ uri: RealUri.parse(FILE), whole: true });
    expect(fake.asked.at(-1)?.options).toMatchObject({ title: "Remember about src/client.py" });
    expect(sent()).toEqual({ text: "Retries three times.", uri: FILE, scope: "file" });
  });

  test("is not believed what makes no sense", () => {
    expect(knownIn({ line: -3, kind: "poem", scope: "galaxy", text: " ", uri: 4 })).toEqual({});
  });
});

describe("without a file", () => {
  beforeEach(() => {
    window.activeTextEditor = undefined;
  });

  test("a statement belongs to the folder, and is tied to no code", async () => {
    fake.answers.push("We release on Thursdays.", "Let memlsp choose", "Workspace");
    await remembering.begin();
    expect(sent()).toEqual({ text: "We release on Thursdays.", uri: "file:///repo", scope: "workspace" });
  });

  test("and of several folders the user is asked which", async () => {
    workspace.workspaceFolders?.push({ uri: Uri.file("/other"), name: "other", index: 1 });
    fake.answers.push({ uri: Uri.file("/other") }, "We release on Thursdays.", "Fact", "Workspace");
    await remembering.begin();
    expect(sent()).toMatchObject({ uri: "file:///other" });
  });

  test("and without a folder nothing is asked, and it is said why", async () => {
    workspace.workspaceFolders = undefined;
    expect(await remembering.begin()).toBeUndefined();
    expect(fake.messages[0]?.level).toBe("info");
    expect(known.asked).toEqual([]);
  });
});

describe("what comes back", () => {
  test("is told when it contradicts what is believed, with a way to decide", async () => {
    known.answers.set("memlsp/remember", { belief: belief(), conflicts: ["Three and five."], notices: [] });
    fake.answers.push("Retries three times.", "Fact", "fetch", "Settle…");
    await remembering.begin();
    await new Promise(setImmediate);
    expect(fake.messages[0]).toMatchObject({ level: "warning", items: ["Settle…", "Open"] });
    expect(fake.ran.map((each) => each.id)).toEqual(["memlsp.settle"]);
  });

  test("can run nothing, whatever is remembered", async () => {
    known.answers.set("memlsp/remember", {
      belief: belief({ text: "[click](command:evil) $(check)" }),
      conflicts: ["It says [click](command:evil)."],
      notices: [],
    });
    fake.answers.push("Retries three times.", "Fact", "fetch");
    await remembering.begin();
    for (const said of [fake.messages[0]?.text, fake.statusBar[0]?.text]) {
      expect(said).toContain("click");
      expect(said).not.toContain("](");
    }
    expect(fake.statusBar[0]?.text).not.toContain("$(check) $(check)");
  });
});
