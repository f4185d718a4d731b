/**
 * A real environment from the real wheel, with this machine's Python, pip and package index: a minute or two, so only when
 * MEMLSP_THOROUGH=1 is set. The end-to-end suite does the same through the editor.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { build, InstallError } from "../../src/server/building";
import { Bundle } from "../../src/server/bundle";
import { lookUp } from "../../src/server/lookup";
import { ManagedEnvironments, programOf } from "../../src/server/managed";
import { Pythons } from "../../src/server/pythons";
import { type Surroundings, thisMachine } from "../../src/server/surroundings";
import { readVersion } from "../../src/server/versions";

const bundle = await Bundle.read(fileURLToPath(new URL("../../bundled", import.meta.url)));
const wanted = process.env["MEMLSP_THOROUGH"] === "1" && bundle.wheel !== undefined;
const why = bundle.wheel ? "only with MEMLSP_THOROUGH=1" : "there is no wheel in bundled/: npm run package";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memlsp-environment-"));
});

afterEach(() => rmSync(root, { recursive: true }), 120_000); // thousands of files

function make(machine: Surroundings, uv: string | undefined, lines: string[] = []) {
  if (!bundle.wheel) throw new Error(why);
  const managed = new ManagedEnvironments(join(root, "environments"), machine);
  const { wheel, constraints } = bundle;
  const pythons = new Pythons(machine, root).all([], []);
  const nothing = (): void => undefined;
  const plan = { wheel, constraints, pythons, uv, signal: new AbortController().signal, step: nothing, log: (line: string) => lines.push(line) };
  return build(plan, managed, machine);
}

describe.skipIf(!wanted)(`a real environment (${why})`, () => {
  test("is made with venv and pip, and its server says its version", { timeout: 900_000 }, async () => {
    const machine = thisMachine();
    const { command, args } = programOf(await make(machine, undefined));
    const ended = await machine.run(command, [...args, "--version"], { cwd: root, env: machine.env, timeout: 60_000 });
    expect(readVersion(ended.stdout)).toBe(bundle.wheel?.version);
  });

  test("is made with uv where it is", { timeout: 900_000 }, async ({ skip }) => {
    const machine = thisMachine();
    const uv = await lookUp("uv", machine, []);
    if (!uv) return skip("there is no uv on this machine");
    const lines: string[] = [];
    expect((await make(machine, uv, lines)).version).toBe(bundle.wheel?.version);
    expect(lines.filter((line) => line.includes("-m pip"))).toEqual([]);
  });

  test("is not made without a network, which is said, and nothing is left", { timeout: 900_000 }, async () => {
    const nowhere = "http://127.0.0.1:9/simple";
    const machine = thisMachine();
    const env = { ...machine.env, PIP_INDEX_URL: nowhere, PIP_CONFIG_FILE: "/dev/null", PIP_RETRIES: "1", UV_DEFAULT_INDEX: nowhere };
    const problem = await make({ ...machine, env }, undefined).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(InstallError);
    expect(problem).toMatchObject({ reason: "network" });
    expect(readdirSync(join(root, "environments"))).toEqual([]);
  });
});
