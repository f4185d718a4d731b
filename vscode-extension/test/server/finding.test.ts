import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Bundle } from "../../src/server/bundle";
import { Finding, type Found, type Wishes } from "../../src/server/finding";
import { ManagedEnvironments } from "../../src/server/managed";
import { Pythons } from "../../src/server/pythons";
import { Machine } from "./machine";

let storage: string;
let bundled: string;
let machine: Machine;
let managed: ManagedEnvironments;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "memlsp-finding-"));
  storage = join(folder, "storage");
  bundled = join(folder, "bundled");
  for (const each of [storage, bundled]) mkdirSync(each);
  machine = new Machine();
  managed = new ManagedEnvironments(join(storage, "environments"), machine);
});

afterEach(() => rmSync(join(storage, ".."), { recursive: true }));

const nobody: Wishes = {
  trusted: true,
  folders: ["/work/project"],
  path: "",
  python: "",
  interpreter: () => Promise.resolve(undefined),
};

async function find(wishes: Partial<Wishes> = {}): Promise<Found> {
  const bundle = await Bundle.read(bundled);
  const pythons = new Pythons(machine, storage);
  return new Finding(machine, { ...nobody, ...wishes }, bundle, pythons, managed, storage).find();
}

function bring(...libraries: string[]): void {
  writeFileSync(join(bundled, "memlsp-0.1.0-py3-none-any.whl"), "");
  writeFileSync(join(bundled, "run.py"), "");
  for (const name of libraries) mkdirSync(join(bundled, "libs", name), { recursive: true });
}

async function install(version = "0.1.0"): Promise<string> {
  const folder = await managed.prepare(version);
  const { python } = await managed.finish(folder, version, "digest");
  machine.put(python);
  return python;
}

const selecting = (path: string): Partial<Wishes> => ({ interpreter: () => Promise.resolve(path) });

describe("in a trusted folder", () => {
  test("the program that was named wins over everything", async () => {
    machine.server("/opt/memlsp", "0.3.0").server("/usr/bin/memlsp");
    bring("cpython-312-linux-x64");
    machine.python("/usr/bin/python3.12");
    const { program } = await find({ path: "/opt/memlsp" });
    expect(program).toEqual({ command: "/opt/memlsp", args: [], env: {}, origin: "setting", version: "0.3.0" });
  });

  test("what came along wins over the selected interpreter", async () => {
    bring("cpython-312-linux-x64");
    machine.python("/usr/bin/python3.12").python("/venv/bin/python", [3, 13, 0], "0.1.0");
    const { program } = await find(selecting("/venv/bin/python"));
    expect(program?.origin).toBe("bundled");
    expect(program?.command).toBe("/usr/bin/python3.12");
    expect(program?.args).toEqual(["-I", join(bundled, "run.py"), join(bundled, "libs", "cpython-312-linux-x64")]);
  });

  test("the selected interpreter wins over the PATH", async () => {
    machine.server("/usr/bin/memlsp").python("/venv/bin/python", [3, 11, 4], "0.2.0");
    const { program } = await find(selecting("/venv/bin/python"));
    expect(program).toMatchObject({ origin: "interpreter", version: "0.2.0", args: ["-I", "-m", "memlsp"] });
  });

  test("a selected interpreter inside the workspace is not started: the folder may have selected it itself", async () => {
    machine.server("/usr/bin/memlsp").python("/work/project/.venv/bin/python", [3, 11, 4], "0.2.0");
    const { program, looked } = await find(selecting("/work/project/.venv/bin/python"));
    expect(program?.origin).toBe("path");
    expect(looked.find(({ origin }) => origin === "interpreter")?.said).toContain("lies in the workspace");
    expect(machine.ran.filter((each) => each.startsWith("/work/project/"))).toEqual([]);
  });

  test("the PATH comes next when memlsp is not in the selected interpreter", async () => {
    machine.server("/usr/bin/memlsp").python("/venv/bin/python");
    const { program, looked } = await find(selecting("/venv/bin/python"));
    expect(program).toMatchObject({ origin: "path", command: "/usr/bin/memlsp" });
    expect(looked.map(({ origin }) => origin)).toEqual(["bundled", "interpreter", "path"]);
  });

  test("the environment of one's own comes last, and is not started to hear its version", async () => {
    const python = await install();
    const { program } = await find();
    expect(program).toEqual({ command: python, args: ["-I", "-m", "memlsp"], env: {}, origin: "managed", version: "0.1.0" });
    expect(machine.ran).toEqual([]);
  });

  test("nothing is found when there is nothing, without a problem to tell", async () => {
    const { program, problem, looked } = await find();
    expect(program).toBeUndefined();
    expect(problem).toBeUndefined();
    expect(looked.map(({ origin }) => origin)).toEqual(["bundled", "interpreter", "path", "managed"]);
  });

  test("nothing runs in a folder of the user's", async () => {
    machine.server("/usr/bin/memlsp").python("/venv/bin/python");
    await find(selecting("/venv/bin/python"));
    expect([...machine.cwds]).toEqual([storage]);
  });
});

describe("the program that was named", () => {
  test("is looked for on the PATH when it is a name, and from the home when it begins there", async () => {
    machine.server("/usr/bin/memlsp-next").server("/home/ada/bin/memlsp");
    expect((await find({ path: "memlsp-next" })).program?.command).toBe("/usr/bin/memlsp-next");
    expect((await find({ path: "~/bin/memlsp" })).program?.command).toBe("/home/ada/bin/memlsp");
  });

  test.each([
    ["/nowhere/memlsp", "names /nowhere/memlsp, which is not there"],
    ["bin/memlsp", "must be an absolute path"],
    ["./memlsp", "must be an absolute path"],
    ["/opt/other", "/opt/other is not a memlsp server: unknown option --version"],
    ["/opt/silent", "it names no version"],
    ["/opt/hanging", "it does not answer"],
    ["/opt/old", "is version 0.0.9, and this extension needs 0.1.0 or later"],
  ])("is told of when it is of no use, and nothing else is taken instead: %s", async (path, said) => {
    machine.server("/usr/bin/memlsp").server("/opt/old", "0.0.9").put("/opt/silent");
    machine.put("/opt/other", { code: 2, stderr: "usage: other\nunknown option --version\n" });
    machine.put("/opt/hanging", { code: null, failure: "timeout" });
    const { program, problem } = await find({ path });
    expect(program).toBeUndefined();
    expect(problem).toContain(said);
  });
});

describe("a server that is too old", () => {
  test("is passed over for one that is not", async () => {
    machine.server("/usr/bin/memlsp", "0.0.9");
    await install();
    const { program, problem } = await find();
    expect(program?.origin).toBe("managed");
    expect(problem).toBeUndefined();
  });

  test("is told of with where it came from when there is no other", async () => {
    machine.server("/usr/bin/memlsp", "0.0.9");
    expect((await find()).problem).toBe("/usr/bin/memlsp is version 0.0.9, and this extension needs 0.1.0 or later");
  });
});

describe("what came along", () => {
  test("is for the right Python, on the right machine", async () => {
    bring("cpython-311-linux-x64", "cpython-312-linux-arm64");
    machine.python("/usr/bin/python3.12");
    expect((await find()).program).toBeUndefined();
    machine.python("/usr/bin/python3.11", [3, 11, 2]);
    expect((await find()).program?.command).toBe("/usr/bin/python3.11");
  });

  test("is not given to an interpreter for another machine than the editor's", async () => {
    bring("cpython-312-darwin-arm64");
    machine.platform = "darwin";
    machine.arch = "arm64";
    machine.python("/usr/local/bin/python3.12");
    expect((await find()).program).toBeUndefined();
  });

  test("takes the Python that the settings name first", async () => {
    bring("cpython-312-linux-x64");
    machine.python("/usr/bin/python3.12").python("/opt/py/bin/python");
    expect((await find({ python: "/opt/py/bin/python" })).program?.command).toBe("/opt/py/bin/python");
  });
});

describe("in a folder that is not trusted", () => {
  const untrusted = { trusted: false };

  test("neither the setting nor the interpreter nor the PATH is looked at", async () => {
    machine.server("/opt/memlsp").server("/usr/bin/memlsp").python("/venv/bin/python", [3, 12, 0], "0.1.0");
    const { program, looked } = await find({ ...untrusted, path: "/opt/memlsp", ...selecting("/venv/bin/python") });
    expect(program).toBeUndefined();
    expect(looked.map(({ origin }) => origin)).toEqual(["bundled", "managed"]);
    expect(machine.ran).toEqual([]);
  });

  test("what came along runs, with a Python from outside the workspace", async () => {
    bring("cpython-312-linux-x64");
    machine.python("/work/project/.venv/bin/python3.12").python("/usr/bin/python3.12");
    machine.env["PATH"] = "/work/project/.venv/bin:/usr/bin";
    const { program } = await find({ ...untrusted, ...selecting("/work/project/.venv/bin/python3.12") });
    expect(program?.command).toBe("/usr/bin/python3.12");
  });

  test("the environment that the extension made runs", async () => {
    await install();
    expect((await find(untrusted)).program?.origin).toBe("managed");
  });
});
