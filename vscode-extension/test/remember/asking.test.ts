import { beforeEach, describe, expect, test } from "vitest";
import { fake } from "../fake/vscode";
import { askingMiddleware } from "../../src/remember/asking";
import { belief, FakeMemory, page } from "./belief";

let known: FakeMemory;
let sent: { command: string; args: unknown[] }[];
beforeEach(() => {
  fake.reset();
  known = new FakeMemory();
  known.answers.set("memlsp/belief", page(belief()));
  sent = [];
});

function run(name: string, ...args: unknown[]): unknown {
  const work = askingMiddleware(known.memory).executeCommand;
  return work?.(`memlsp.server.${name}`, args, (command, given: unknown[]) => {
    sent.push({ command, args: given });
    return { ok: true, id: "fj8egz2k", belief: belief() };
  });
}

describe("a quick fix", () => {
  test("that is complete goes to the server as it is, and is said quietly", async () => {
    await run("confirm", "fj8egz2k");
    expect(sent).toEqual([{ command: "memlsp.server.confirm", args: ["fj8egz2k"] }]);
    expect(fake.asked).toEqual([]);
    expect(fake.told).toHaveLength(1);
  });

  test("that replaces asks for the statement, the old one there to be edited", async () => {
    fake.answers.push("Retries five times.");
    await run("supersede", "fj8egz2k");
    expect(fake.asked[0]?.options).toMatchObject({ value: belief().text });
    expect(sent).toEqual([{ command: "memlsp.server.supersede", args: ["fj8egz2k", "Retries five times.", "file:///repo"] }]);
  });

  test("asks about the belief of the workspace that it names, and sends that along", async () => {
    known.answers.set("memlsp/belief", page(belief({ root: "file:///copy" })));
    fake.answers.push("Retries five times.", "Forget for good");
    await run("supersede", "fj8egz2k", null, "file:///copy");
    await run("forget", "fj8egz2k", "file:///copy");
    const asked = { method: "memlsp/belief", params: { id: "fj8egz2k", uri: "file:///copy" } };
    expect(known.asked).toEqual([asked, asked]);
    expect(sent.map((each) => each.args)).toEqual([
      ["fj8egz2k", "Retries five times.", "file:///copy"],
      ["fj8egz2k", "file:///copy"],
    ]);
  });

  test("that is complete with its workspace asks nothing", async () => {
    await run("confirm", "fj8egz2k", null, "file:///copy");
    await run("reanchor", "fj8egz2k", "http.py#get", "file:///copy");
    expect(sent.map((each) => each.args)).toEqual([
      ["fj8egz2k", null, "file:///copy"],
      ["fj8egz2k", "http.py#get", "file:///copy"],
    ]);
    expect(fake.asked).toEqual([]);
  });

  test("that settles by a condition in a workspace asks for the condition", async () => {
    fake.answers.push("env=staging");
    await run("settle", "a+b", "scoped", "a", null, "file:///copy");
    expect(sent[0]?.args).toEqual(["a+b", "scoped", "a", "env=staging", "file:///copy"]);
  });

  test("that the user left sends nothing", async () => {
    fake.answers.push(undefined);
    expect(await run("supersede", "fj8egz2k")).toBeUndefined();
    expect(sent).toEqual([]);
  });

  test("that ties to a place which was found asks nothing", async () => {
    await run("reanchor", "fj8egz2k", "http.py#get");
    expect(sent[0]?.args).toEqual(["fj8egz2k", "http.py#get"]);
    expect(fake.asked).toEqual([]);
  });

  test("that settles by a condition asks for it", async () => {
    fake.answers.push("env=staging");
    await run("settle", "a+b", "scoped", "a");
    expect(sent[0]?.args).toEqual(["a+b", "scoped", "a", "env=staging"]);
  });

  test("that settles otherwise asks nothing", async () => {
    await run("settle", "a+b", "kept");
    expect(sent[0]?.args).toEqual(["a+b", "kept"]);
    expect(fake.asked).toEqual([]);
  });

  test("that forgets is never sent without a yes", async () => {
    fake.answers.push(undefined);
    await run("forget", "fj8egz2k");
    expect(sent).toEqual([]);
  });
});

test("remembering without a text opens our own questions", async () => {
  await run("remember", "file:///repo/client.py", 4);
  expect(fake.ran).toEqual([{ id: "memlsp.remember", args: [{ uri: "file:///repo/client.py", line: 4 }] }]);
  expect(sent).toEqual([]);
});

test("a lens opens the peek in place of a message box", async () => {
  await run("show", "file:///repo/client.py", "fetch");
  expect(fake.ran).toEqual([{ id: "memlsp.peek", args: ["file:///repo/client.py", "fetch"] }]);
  expect(sent).toEqual([]);
});

test("a command that is none of an action's passes through", async () => {
  await run("closeThread", "t1");
  expect(sent).toEqual([{ command: "memlsp.server.closeThread", args: ["t1"] }]);
});
