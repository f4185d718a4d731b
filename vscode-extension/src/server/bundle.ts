/**
 * What comes along in the package: the server as a wheel with the versions of its dependencies that it was tested with,
 * and, in a package for one platform, all of them unpacked.
 */
import { readdir } from "node:fs/promises";
import * as path from "node:path";
import type { Python } from "./pythons";
import type { Surroundings } from "./surroundings";

export interface Wheel {
  readonly path: string;
  readonly version: string;
}

export class Bundle {
  private constructor(
    private readonly folder: string,
    readonly wheel: Wheel | undefined,
    /** The file for pip's `--constraint`. */
    readonly constraints: string | undefined,
    /** The names of folders with libraries, such as `cpython-311-linux-x64`. */
    readonly libraries: readonly string[],
  ) {}

  /** Looks into a folder; one that is not there holds nothing. */
  static async read(folder: string): Promise<Bundle> {
    const names = await namesIn(folder);
    const libraries = await namesIn(path.join(folder, "libs"));
    let wheel: Wheel | undefined;
    for (const name of names) {
      const version = /^memlsp-([^-]+)-py3-none-any\.whl$/.exec(name)?.[1];
      if (version) wheel = { path: path.join(folder, name), version };
    }
    const constraints = names.includes("constraints.txt") ? path.join(folder, "constraints.txt") : undefined;
    return new Bundle(folder, wheel, constraints, names.includes("run.py") ? libraries : []);
  }

  /** The arguments with which this Python runs the unpacked server, undefined when none is here for it. */
  argumentsFor(python: Python, { platform, arch }: Surroundings): readonly string[] | undefined {
    const name = `${python.tag}-${platform}-${arch}`;
    if (!this.libraries.includes(name) || !MACHINES[arch]?.test(python.machine)) return undefined;
    return ["-I", path.join(this.folder, "run.py"), path.join(this.folder, "libs", name)];
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}

/** The machine's names in Python by its name in Node: an interpreter for another one cannot load the libraries. */
const MACHINES: Readonly<Record<string, RegExp>> = {
  x64: /^(x86_64|amd64)$/i,
  arm64: /^(aarch64|arm64)$/i,
};
