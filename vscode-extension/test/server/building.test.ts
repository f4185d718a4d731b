import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { build, InstallError, packageIn, type Plan, reasonIn } from "../../src/server/building";
import { type Environment, ManagedEnvironments } from "../../src/server/managed";
import type { Ended } from "../../src/server/processes";
import type { Python } from "../../src/server/pythons";
import { Machine } from "./machine";

let root: string;
let machine: Machine;
let managed: ManagedEnvironments;
let steps: string[];
let stop: AbortController;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memlsp-building-"));
  machine = new Machine();
  managed = new ManagedEnvironments(join(root, "environments"), machine);
  steps = [];
  stop = new AbortController();
  writeFileSync(join(root, "memlsp-0.1.0-py3-none-any.whl"), "wheel");
});

afterEach(() => rmSync(root, { recursive: true }));

const python = (executable: string): Python => ({ executable, version: [3, 12, 1], tag: "cpython-312", machine: "x86_64" });

async function* each(pythons: readonly string[]): AsyncGenerator<Python> {
  for (const executable of pythons) yield await Promise.resolve(python(executable));
}

function attempt(pythons: readonly string[], more: Partial<Plan> = {}): Promise<Environment> {
  const plan: Plan = {
    wheel: { path: join(root, "memlsp-0.1.0-py3-none-any.whl"), version: "0.1.0" },
    constraints: join(root, "constraints.txt"),
    pythons: each(pythons),
    uv: undefined,
    signal: stop.signal,
    step: (step, detail) => steps.push(detail ? `${step} ${detail}` : step),
    log: () => undefined,
    ...more,
  };
  return build(plan, managed, machine);
}

async function failure(work: Promise<unknown>): Promise<InstallError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof InstallError) return error;
    throw error;
  }
  throw new Error("it worked");
}

/** A Python that makes environments, and what the Python in them answers. */
function able(executable: string, answer: (args: string) => Partial<Ended> = works): void {
  machine.put(executable, (args) => {
    machine.put(managed.pythonIn(String(args.at(-1))), (inner) => answer(inner.join(" ")));
    return {};
  });
}

const works = (args: string): Partial<Ended> => (args.includes("--version") ? { stdout: "memlsp, version 0.1.0\n" } : {});

const fails = (part: string, stderr: string) => (args: string) => (args.includes(part) ? { code: 1, stderr } : works(args));

describe("an environment that is made", () => {
  test("with venv and pip holds the wheel with the tested versions, and is complete", async () => {
    able("/usr/bin/python3");
    const environment = await attempt(["/usr/bin/python3"]);
    expect(await managed.current()).toEqual(environment);
    const pip = machine.ran.find((line) => line.includes("pip install")) ?? "";
    expect(pip).toContain(`--constraint ${join(root, "constraints.txt")}`);
    expect(pip).toContain("--only-binary :all:");
    expect(pip).toContain("memlsp-0.1.0-py3-none-any.whl");
    expect(steps).toEqual(["environment /usr/bin/python3", "packages", "check"]);
  });

  test("with uv does not touch pip", async () => {
    machine.put("/usr/bin/uv", (args) => {
      machine.put(managed.pythonIn(String(args.at(-1))), (inner) => works(inner.join(" ")));
      return {};
    });
    await attempt(["/usr/bin/python3"], { uv: "/usr/bin/uv" });
    expect(machine.ran.filter((line) => line.includes(" -m pip"))).toEqual([]);
    expect(machine.ran[0]).toContain("/usr/bin/uv venv --no-project --allow-existing --python /usr/bin/python3");
  });

  test("falls back to venv and pip when uv cannot, which knows another index perhaps", async () => {
    machine.put("/usr/bin/uv", { code: 2, stderr: "error: Failed to fetch: https://index.test" });
    able("/usr/bin/python3");
    await attempt(["/usr/bin/python3"], { uv: "/usr/bin/uv" });
    expect((await managed.current())?.version).toBe("0.1.0");
  });

  test("takes the Python that uv brings when there is none", async () => {
    machine.put("/usr/bin/uv", (args) => {
      machine.put(managed.pythonIn(String(args.at(-1))), (inner) => works(inner.join(" ")));
      return {};
    });
    await attempt([], { uv: "/usr/bin/uv" });
    expect(machine.ran[0]).toContain("--python >=3.11");
  });

  test("takes other versions when the tested ones are not there for this Python", async () => {
    able("/usr/bin/python3", fails("--constraint", "ERROR: No matching distribution found for numpy==2.4.6"));
    await attempt(["/usr/bin/python3"]);
    expect(machine.ran.filter((line) => line.includes("pip install"))).toHaveLength(2);
  });

  test("is made with another Python when the first has no packages", async () => {
    able("/usr/bin/python3.14", fails("pip install", "ERROR: No matching distribution found for apsw>=3.46"));
    able("/usr/bin/python3.12");
    await attempt(["/usr/bin/python3.14", "/usr/bin/python3.12"]);
    expect(readdirSync(managed.root)).toHaveLength(1);
  });
});

describe("what fails", () => {
  const last = async (answer: (args: string) => Partial<Ended>): Promise<InstallError> => {
    able("/usr/bin/python3", answer);
    return failure(attempt(["/usr/bin/python3"]));
  };

  test("is said for what it is, and leaves nothing behind", async () => {
    expect((await failure(attempt([]))).reason).toBe("python");
    expect((await last(fails("pip install", "ERROR: No matching distribution found for apsw>=3.46"))).reason).toBe("wheel");
    expect((await last(fails("pip install", "OSError: [Errno 28] No space left on device"))).reason).toBe("disk");
    expect((await last(fails("import memlsp", "ImportError: libstdc++.so.6"))).reason).toBe("broken");
    expect((await last(fails("--version", "Segmentation fault"))).reason).toBe("broken");
    machine.put("/usr/bin/python3", { code: 1, stderr: "Error: ... returned non-zero exit status 1: '-m', 'ensurepip'" });
    expect((await failure(attempt(["/usr/bin/python3"]))).reason).toBe("venv");
    expect(readdirSync(managed.root)).toEqual([]);
  });

  test("comes with the line that says it", async () => {
    const output = "Collecting apsw\nERROR: Could not find a version\nERROR: No matching distribution found for apsw>=3.46\n\n";
    expect((await last(fails("pip install", output))).detail).toBe("No matching distribution found for apsw>=3.46");
  });

  test("is not tried again with other versions or another Python when the network is the reason", async () => {
    able("/usr/bin/python3", fails("pip install", "NewConnectionError: Failed to establish a new connection"));
    const { reason } = await failure(attempt(["/usr/bin/python3", "/usr/bin/python3.12"]));
    expect(reason).toBe("network");
    expect(machine.ran.filter((line) => line.includes("pip install"))).toHaveLength(1);
  });

  test("because somebody cancelled is no failure to tell, and leaves nothing behind", async () => {
    able("/usr/bin/python3", (args) => {
      if (!args.includes("pip")) return works(args);
      stop.abort();
      return { code: null, failure: "cancelled" };
    });
    expect((await failure(attempt(["/usr/bin/python3", "/usr/bin/python3.12"], { uv: "/usr/bin/uv" }))).reason).toBe("cancelled");
    expect(readdirSync(managed.root)).toEqual([]);
  });
});

test.each([
  ["apsw", "Collecting apsw>=3.46 (from memlsp==0.1.0)"],
  ["lsprotocol", "  Downloading lsprotocol-2025.0.0-py3-none-any.whl (76 kB)"],
  ["tree_sitter_c_sharp", "Downloading tree_sitter_c_sharp-0.23.5-cp310-abi3-manylinux_2_28_x86_64.whl (400 kB)"],
  ["numpy", "Downloading numpy (15.8MiB)"],
  ["diskcache", "Processing /var/wheels/diskcache-5.6.3-py3-none-any.whl (from memlsp==0.1.0)"],
  [undefined, "Installing collected packages: watchdog, urllib3"],
  [undefined, "Looking in indexes: https://index.test/simple"],
])("%s is the package that a line of the output speaks of", (name, line) => {
  expect(packageIn(line)).toBe(name);
});

test.each([
  ["network", "WARNING: Retrying ... Failed to establish a new connection: [Errno 111] Connection refused\nERROR: No matching distribution found for apsw"],
  ["network", "error: Request failed after 3 retries in 3.8s\n  cause: Failed to fetch: http://index.test/simple/tree-sitter-c/"],
  ["network", "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"],
  ["network", "socket.gaierror: [Errno -3] Temporary failure in name resolution"],
  ["wheel", "error: No solution found when resolving dependencies\n  cause: Because there is no version of apsw==0.0.1"],
  ["wheel", "ERROR: memlsp-0.1.0-py3-none-any.whl is not a supported wheel on this platform."],
  ["disk", "error: failed to write: No space left on device (os error 28)"],
  ["venv", "The virtual environment was not created successfully because ensurepip is not available."],
  [undefined, "Killed"],
])("%s is what these words mean", (reason, words) => {
  expect(reasonIn(words)).toBe(reason);
});
