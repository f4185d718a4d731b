import { beforeEach, describe, expect, test, vi } from "vitest";
import { extensions, type Uri as RealUri } from "vscode";
import { BACK } from "../fake/quick-input";
import { EventEmitter, fake, Uri, window, workspace } from "../fake/vscode";
import { AfterCommit } from "../../src/remember/after-commit";
import { Commits, type Made } from "../../src/remember/commits";
import { findGit, type GitCommit, type GitRepository } from "../../src/remember/git";
import { Notice } from "../../src/remember/notice";
import { Remembering } from "../../src/remember/remembering";
import { WhyCommit } from "../../src/remember/why-commit";
import { belief, FakeMemory } from "./belief";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const ROOT = Uri.file("/repo") as unknown as RealUri;

class FakeRepository implements GitRepository {
  readonly rootUri = ROOT;
  private readonly moved = new EventEmitter<void>();
  readonly state: { HEAD?: { commit?: string }; onDidChange: never } = {
    HEAD: { commit: "old" },
    onDidChange: this.moved.event as never,
  };
  readonly commits = new Map<string, GitCommit>();
  email = "me@example.org";

  getCommit(ref: string): Promise<GitCommit> {
    const commit = this.commits.get(ref);
    return commit ? Promise.resolve(commit) : Promise.reject(new Error("no such commit"));
  }
  getConfig(): Promise<string> {
    return Promise.resolve(this.email);
  }
  async move(head: string, commit?: Partial<GitCommit>): Promise<void> {
    const usual = { hash: head, message: "Retry\n\nbody", parents: ["old"], commitDate: new Date(NOW - 1000) };
    this.commits.set(head, { ...usual, authorEmail: "me@example.org", ...commit });
    this.state.HEAD = { commit: head };
    this.moved.fire();
    await new Promise(setImmediate);
  }
}

function git(...repositories: GitRepository[]) {
  return {
    repositories,
    onDidOpenRepository: new EventEmitter<GitRepository>().event as never,
    onDidCloseRepository: new EventEmitter<GitRepository>().event as never,
  };
}

beforeEach(() => fake.reset());

describe("a commit is seen", () => {
  let repository: FakeRepository;
  let made: Made[];
  beforeEach(() => {
    repository = new FakeRepository();
    made = [];
    new Commits(git(repository), () => NOW).onDidMake((each) => made.push(each));
  });

  test("when the head moved by one commit of the user's, made just now", async () => {
    await repository.move("new");
    expect(made).toEqual([{ root: ROOT, commit: "new", subject: "Retry" }]);
  });

  test.each<[string, Partial<GitCommit>]>([
    ["of another branch", { parents: ["elsewhere"] }],
    ["of an hour ago", { commitDate: new Date(NOW - 3_600_000) }],
    ["of somebody else", { authorEmail: "you@example.org" }],
    ["that merges", { parents: ["old", "other"] }],
  ])("but not one %s", async (_, commit) => {
    await repository.move("new", commit);
    expect(made).toEqual([]);
  });

  test("once, however often git says that something moved", async () => {
    await repository.move("new");
    await repository.move("new");
    expect(made).toHaveLength(1);
  });

  test("and not what was there when the repository was opened", async () => {
    const fresh = new FakeRepository();
    delete fresh.state.HEAD;
    new Commits(git(fresh), () => NOW).onDidMake((each) => made.push(each));
    await fresh.move("old", { parents: [] });
    expect(made).toEqual([]);
  });

  test("and a commit that cannot be read is none", async () => {
    repository.state.HEAD = { commit: "unknown" };
    await repository.move("new", { parents: ["unknown2"] });
    expect(made).toEqual([]);
  });
});

describe("after a commit", () => {
  const made: Made = { root: ROOT, commit: "new", subject: "Retry [x](command:y)" };
  let after: AfterCommit;
  beforeEach(() => {
    after = new AfterCommit(new FakeMemory().memory);
  });

  test("an entry of the status bar leads to the question, and asks nothing", async () => {
    await after.offer(made);
    expect(fake.messages).toEqual([]);
    expect(fake.statusBar[0]).toMatchObject({
      visible: true,
      command: { command: "memlsp.rememberCommit", arguments: [{ root: "file:///repo", commit: "new" }] },
    });
  });

  test("nothing happens when that is set", async () => {
    fake.settings.set("memlsp.remember.afterCommit", "off");
    await after.offer(made);
    expect([fake.messages, fake.statusBar]).toEqual([[], []]);
  });

  test("a question comes when that is set, and Never turns it off", async () => {
    fake.settings.set("memlsp.remember.afterCommit", "ask");
    fake.answers.push("Remember why", "Never");
    await after.offer(made);
    expect(fake.ran).toMatchObject([{ id: "memlsp.rememberCommit", args: [{ commit: "new" }] }]);
    await after.offer(made);
    expect(fake.settings.get("memlsp.remember.afterCommit")).toBe("off");
    expect(fake.messages[0]?.text).not.toContain("](");
  });
});

describe("remembering why", () => {
  const SYMBOLS = [
    { path: "client.py", symbol: "fetch", line: 4, sentence: "`fetch` gained `retries`" },
    { path: "client.py", symbol: "Session.get", line: 20, sentence: "`get` passes `retries`" },
  ];
  let known: FakeMemory;
  let why: WhyCommit;
  beforeEach(() => {
    known = new FakeMemory();
    known.answers.set("memlsp/commit", { commit: "new", subject: "Retry", symbols: SYMBOLS });
    known.answers.set("memlsp/remember", { belief: belief(), conflicts: [], notices: [] });
    why = new WhyCommit(known.memory, new Remembering(known.memory, new Notice()));
    workspace.workspaceFolders = [{ uri: Uri.file("/repo"), name: "repo", index: 0 }];
    window.activeTextEditor = undefined;
  });

  test("asks about which symbols, why, and of which kind, and keeps one statement", async () => {
    fake.answers.push((items: unknown[]) => items, "The API drops one call in ten.", "Decision");
    expect(await why.ask({ root: "file:///repo", commit: "new" })).toEqual(belief());
    expect(known.asked.at(-1)?.params).toEqual({
      text: "The API drops one call in ten.",
      kind: "decision",
      uri: "file:///repo/client.py",
      symbol: "fetch",
      also: ["client.py#Session.get"],
    });
  });

  test("has chosen the symbol that changed most", async () => {
    fake.answers.push((_: unknown, box: { selectedItems: { label: string }[] }) => box.selectedItems, undefined);
    await why.ask();
    expect(fake.asked[0]?.options).toMatchObject({ step: 1, totalSteps: 3, canSelectMany: true });
    expect(fake.asked[1]?.options).toMatchObject({ step: 2, title: "Why: Retry" });
  });

  test("asks about the newest commit of the folder without a name", async () => {
    await why.ask();
    expect(known.asked[0]).toEqual({ method: "memlsp/commit", params: { uri: "file:///repo" } });
  });

  test("of a commit without symbols is tied to the workspace", async () => {
    known.answers.set("memlsp/commit", { commit: "new", subject: "Retry", symbols: [] });
    fake.answers.push("The API drops one call in ten.", "Let memlsp choose");
    await why.ask();
    expect(known.asked.at(-1)?.params).toEqual({
      text: "The API drops one call in ten.",
      uri: "file:///repo",
      scope: "workspace",
    });
  });

  test("loses nothing typed on Escape or on the way back", async () => {
    fake.answers.push("fetch", "Because.", BACK, undefined);
    await why.ask();
    fake.answers.push("fetch", undefined);
    await why.ask();
    expect(fake.asked.at(-1)?.options).toMatchObject({ value: "Because." });
  });
});

describe("the editor's git", () => {
  test("may not be there", async () => {
    expect(await findGit()).toBeUndefined();
  });

  test.each([
    ["turned off", { enabled: false, getAPI: () => ({}) }],
    ["of another version", { enabled: true, getAPI: () => ({ nothing: true }) }],
    [
      "without git",
      {
        enabled: true,
        getAPI: () => {
          throw new Error("Git model not found");
        },
      },
    ],
  ])("may be %s", async (_, offered) => {
    vi.spyOn(extensions, "getExtension").mockReturnValue({ isActive: true, exports: offered } as never);
    expect(await findGit()).toBeUndefined();
    vi.restoreAllMocks();
  });

  test("is taken when it is there", async () => {
    const api = git();
    vi.spyOn(extensions, "getExtension").mockReturnValue({
      isActive: false,
      activate: () => Promise.resolve({ enabled: true, getAPI: () => api }),
    } as never);
    expect(await findGit()).toBe(api);
    vi.restoreAllMocks();
  });
});
