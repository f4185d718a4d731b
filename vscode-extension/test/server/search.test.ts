import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type * as vscode from "vscode";
import { Bundle } from "../../src/server/bundle";
import { ManagedEnvironments } from "../../src/server/managed";
import { Search } from "../../src/server/search";
import { fake } from "../fake/vscode";
import { Machine } from "./machine";

let storage: string;
let machine: Machine;
let bundles: (() => Promise<Bundle>)[];
let search: Search;

beforeEach(() => {
  fake.reset();
  storage = mkdtempSync(path.join(tmpdir(), "search-"));
  machine = new Machine().server("/usr/bin/memlsp");
  bundles = [];
  const log = { info: () => undefined } as unknown as vscode.LogOutputChannel;
  const managed = new ManagedEnvironments(path.join(storage, "environments"), machine);
  search = new Search(
    { surroundings: machine, storage, managed, log },
    () => (bundles.shift() ?? ((): Promise<Bundle> => Bundle.read(storage)))(),
    () => Promise.resolve(undefined),
    () => undefined,
  );
});

afterEach(() => {
  search.dispose();
  rmSync(storage, { recursive: true });
});

test("a search is made once, until it is forgotten", async () => {
  const first = search.find([]);
  expect(search.find([])).toBe(first);
  expect((await first).program?.command).toBe("/usr/bin/memlsp");
  expect(search.last).toBe(await first);
  search.forget();
  const second = search.find([]);
  expect(second).not.toBe(first);
  await second; // one still under way would take what the next test puts into bundles
});

test("a search that failed is made again", async () => {
  bundles.push(() => Promise.reject(new Error("no space left on the disk")));
  await expect(search.find([])).rejects.toThrow("no space left");
  expect(search.last).toBeUndefined();
  expect((await search.find([])).program?.command).toBe("/usr/bin/memlsp");
});

/** Begins a search that stands still where it reads what came along, until it is let go on or fails. */
async function held(): Promise<{ older: Promise<unknown>; goOn: () => void; fail: (error: Error) => void }> {
  return new Promise((reached) => {
    bundles.push(
      () =>
        new Promise((goOn, fail) => {
          reached({ older, goOn: () => goOn(Bundle.read(storage)), fail });
        }),
    );
    const older = search.find([]);
  });
}

test("a search that was forgotten and ends late does not take the place of a newer one", async () => {
  const { older, goOn } = await held();
  search.forget();
  const newer = await search.find([]);
  goOn();
  expect(await older).not.toBe(newer);
  expect(search.last).toBe(newer);
});

test("a search that was forgotten and fails late leaves the newer one", async () => {
  const { older, fail } = await held();
  search.forget();
  const newer = search.find([]);
  await newer;
  fail(new Error("too late"));
  await expect(older).rejects.toThrow("too late");
  expect(search.find([])).toBe(newer);
});
