import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Environment, ManagedEnvironments, programOf } from "../../src/server/managed";
import { Machine } from "./machine";

let root: string;
let machine: Machine;
let managed: ManagedEnvironments;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memlsp-managed-"));
  machine = new Machine();
  managed = new ManagedEnvironments(root, machine);
});

afterEach(() => rmSync(root, { recursive: true }));

/** A process that has ended: no number of a process is as high. */
const GONE = 2 ** 30;

async function make(version: string, digest = "digest"): Promise<Environment> {
  const environment = await managed.finish(await managed.prepare(version), version, digest);
  machine.put(environment.python);
  return environment;
}

describe("the extension's own environment", () => {
  test("counts from the moment on at which it is finished", async () => {
    const folder = await managed.prepare("0.1.0");
    machine.put(managed.pythonIn(folder));
    expect(await managed.current()).toBeUndefined();
    await managed.finish(folder, "0.1.0", "digest");
    expect(await managed.current()).toMatchObject({ folder, version: "0.1.0", wheel: "digest" });
  });

  test("is the one that was finished last", async () => {
    const [newer, older] = [await make("0.2.0"), await make("0.1.0")];
    writeFileSync(join(older.folder, "memlsp.json"), JSON.stringify({ ...older, made: newer.made - 1 }));
    expect((await managed.current())?.folder).toBe(newer.folder);
  });

  test("does not count when its Python is gone, or when its mark cannot be read", async () => {
    const folder = await managed.prepare("0.1.0");
    await managed.finish(folder, "0.1.0", "digest");
    expect(await managed.current()).toBeUndefined();
    machine.put(managed.pythonIn(folder));
    for (const mark of ["", "[]", '{"version": 1}', "null"]) {
      writeFileSync(join(folder, "memlsp.json"), mark);
      expect(await managed.current()).toBeUndefined();
    }
  });

  test("runs isolated from what the user's Python has", async () => {
    expect(programOf(await make("0.1.0")).args).toEqual(["-I", "-m", "memlsp"]);
  });

  test("has its Python where the platform puts it", () => {
    expect(managed.pythonIn("x")).toBe(join("x", "bin", "python"));
    machine.platform = "win32";
    expect(managed.pythonIn("x")).toBe(join("x", "Scripts", "python.exe"));
  });
});

describe("what another window makes", () => {
  /** The name that it has while the parent of this process, which lives, makes it. */
  const elsewhere = (): string => join(root, `0.1.0-${process.ppid}-abc`);
  const never = new AbortController().signal;

  test("is waited for until it is finished", async () => {
    mkdirSync(elsewhere());
    const waiting = managed.othersDone(never);
    const done = waiting.then(() => "waited");
    expect(await Promise.race([done, Promise.resolve("not yet")])).toBe("not yet");
    await managed.finish(elsewhere(), "0.1.0", "digest");
    expect(await done).toBe("waited");
  });

  test("is waited for until it is given up", async () => {
    mkdirSync(elsewhere());
    const waiting = managed.othersDone(never);
    rmSync(elsewhere(), { recursive: true });
    await waiting;
  });

  test("is not waited for when it was never finished, or when nobody wants to wait", async () => {
    mkdirSync(join(root, `0.1.0-${GONE}-abc`));
    await managed.prepare("0.1.0");
    await managed.othersDone(never);
    mkdirSync(elsewhere());
    await managed.othersDone(AbortSignal.abort());
  });
});

describe("tidying up", () => {
  test("removes what nobody finished, but not what somebody is about to finish", async () => {
    const half = join(root, `0.1.0-${GONE}-abc`);
    mkdirSync(half);
    const mine = await managed.prepare("0.1.0");
    await managed.tidy(undefined);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(mine)).toBe(true);
  });

  test("removes old ones, but not one that a window still runs", async () => {
    const [held, abandoned, current] = [await make("0.1.0"), await make("0.1.1"), await make("0.2.0")];
    await managed.hold(held.python);
    writeFileSync(join(abandoned.folder, `held-by-${GONE}`), "");
    await managed.tidy(current);
    expect(readdirSync(root).map((name) => name.split("-")[0]).sort()).toEqual(["0.1.0", "0.2.0"]);
  });

  test("removes one that this window ran before", async () => {
    const [before, now] = [await make("0.1.0"), await make("0.2.0")];
    await managed.hold(before.python);
    await managed.hold(now.python);
    await managed.tidy(now);
    expect(existsSync(before.folder)).toBe(false);
  });

  test("works where there is nothing yet", async () => {
    await new ManagedEnvironments(join(root, "none"), machine).tidy(undefined);
    expect(readdirSync(root)).toEqual([]);
  });
});
