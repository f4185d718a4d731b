import { beforeEach, expect, test } from "vitest";
import * as vscode from "vscode";
import { MemoryError } from "../../src/memory";
import { CodeDocuments, codeSource, codeUri, openDiff, sideOf } from "../../src/page/code";
import { FakeMemory } from "../fake/memory";
import { fake } from "../fake/vscode";
import { page, ROOT } from "./belief";

const SOURCE = { method: "memlsp/belief", id: "b_1", root: ROOT, change: 0 } as const;

function change() {
  const [first] = page().changes;
  if (!first) throw new Error("no change");
  return first;
}

beforeEach(() => fake.reset());

test("one side has the lines that it had, the other those that it has", () => {
  expect(sideOf(change(), "then")).toBe("def fetch(url):\n    tries = 3\n    return get(url, tries)\n…");
  expect(sideOf(change(), "now")).toBe("def fetch(url):\n    tries = 5\n    return get(url, tries)\n…");
});

test("an address tells again what it was made of, and ends like the file", () => {
  const uri = codeUri(SOURCE, "then", "src/net.py#fetch");
  expect(uri.path).toBe("/then/src/net.py");
  expect(codeSource(uri)).toEqual({ ...SOURCE, side: "then" });
  expect(codeUri(SOURCE, "now", "src/net.py:12").path).toBe("/now/src/net.py");
});

test("an address of somebody else asks for nothing", async () => {
  const memory = new FakeMemory();
  for (const query of ["", "x", "null", "{}", '{"method":"memlsp/decide","id":"b_1","change":0,"side":"then"}']) {
    const uri = vscode.Uri.from({ scheme: "memlsp-code", path: "/a.py", query });
    expect(codeSource(uri)).toBeUndefined();
    expect(await new CodeDocuments(memory).provideTextDocumentContent(uri)).toBe("");
  }
  expect(memory.asked).toEqual([]);
});

test("a document is read from the server, for a belief and for what waits for review", async () => {
  const memory = new FakeMemory({
    "memlsp/belief": () => page(),
    "memlsp/reviewItem": () => ({
      id: "stale:b_1",
      kind: "stale",
      question: "",
      impact: 1,
      choices: [],
      beliefs: [],
      evidence: [],
      replaces: null,
      changes: page().changes,
    }),
  });
  const documents = new CodeDocuments(memory);
  for (const method of ["memlsp/belief", "memlsp/reviewItem"] as const) {
    const uri = codeUri({ ...SOURCE, method }, "now", "src/net.py#fetch");
    expect(await documents.provideTextDocumentContent(uri)).toContain("tries = 5");
  }
  expect(memory.asked.map((each) => each.params)).toEqual([
    { id: "b_1", uri: ROOT },
    { id: "b_1", uri: ROOT },
  ]);
});

test("a document that cannot be read says why", async () => {
  const memory = new FakeMemory({
    "memlsp/belief": () => {
      throw new MemoryError("no belief b_1");
    },
  });
  expect(await new CodeDocuments(memory).provideTextDocumentContent(codeUri(SOURCE, "then", "a.py"))).toBe("no belief b_1");
});

test("an open comparison follows what moves", () => {
  const memory = new FakeMemory();
  const documents = new CodeDocuments(memory);
  const uri = codeUri(SOURCE, "then", "a.py");
  const moved: string[] = [];
  documents.onDidChange((each) => moved.push(String(each)));
  const open = vscode.workspace.textDocuments as unknown[];
  open.push({ uri }, { uri: vscode.Uri.file("/a.py") });
  memory.move();
  expect(moved).toEqual([String(uri)]);
  open.length = 0;
});

test("the comparison has both sides and a title", async () => {
  await openDiff(SOURCE, change());
  const [run] = fake.ran;
  expect(run?.id).toBe("vscode.diff");
  expect(run?.args[2]).toBe("src/net.py#fetch (as verified ↔ now)");
});
