/** Pythons on this machine that are new enough, best first, each looked at once. */
import { lookUp, lookUpAll } from "./lookup";
import type { Surroundings } from "./surroundings";
import { OLDEST_PYTHON } from "./versions";

/** An interpreter, by its own word. */
export interface Python {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  /** Such as `cpython-311`. */
  readonly tag: string;
  /** Such as `x86_64`. */
  readonly machine: string;
}

/** A way to start a Python, and who named it. */
export interface PythonHint {
  readonly command: string;
  readonly args?: readonly string[];
  readonly from: "setting" | "interpreter" | "path" | "uv";
}

const ASK =
  "import json,platform,sys;print(json.dumps([sys.executable,list(sys.version_info[:3]),sys.implementation.cache_tag,platform.machine()]))";

/** Milliseconds that a Python may take to say who it is; the first start after an update is slow on some machines. */
const PATIENCE = 15_000;

export class Pythons {
  private readonly known = new Map<string, Promise<Python | undefined>>();

  constructor(
    private readonly surroundings: Surroundings,
    private readonly cwd: string,
  ) {}

  /** Every Python that is new enough: those that were named first, then the PATH's, then uv's. None inside `folders`
   * but those that were named. */
  async *all(named: readonly PythonHint[], folders: readonly string[]): AsyncGenerator<Python & { from: PythonHint["from"] }> {
    const given = new Set<string>();
    for await (const hint of this.hints(named, folders)) {
      const python = await this.look(hint.command, hint.args);
      if (!python || given.has(python.executable) || !isNewEnough(python)) continue;
      given.add(python.executable);
      yield { ...python, from: hint.from };
    }
  }

  /** What an interpreter says of itself, undefined when it is none. */
  look(command: string, args: readonly string[] = []): Promise<Python | undefined> {
    const key = [command, ...args].join("\0");
    let answer = this.known.get(key);
    if (!answer) this.known.set(key, (answer = this.ask(command, args)));
    return answer;
  }

  private async *hints(named: readonly PythonHint[], folders: readonly string[]): AsyncGenerator<PythonHint> {
    yield* named;
    const { platform } = this.surroundings;
    if (platform === "win32") {
      const launcher = await lookUp("py", this.surroundings, folders);
      if (launcher) yield { command: launcher, args: ["-3"], from: "path" };
    }
    for (const name of ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"]) {
      for await (const command of lookUpAll(name, this.surroundings, folders)) {
        // without the developer tools this one opens a box that asks for them, and with them it is too old
        if (platform === "darwin" && command.startsWith("/usr/bin/")) continue;
        yield { command, from: "path" };
      }
    }
    const uv = await lookUp("uv", this.surroundings, folders);
    if (!uv) return;
    const found = await this.run(uv, ["python", "find", "--no-project", `>=${OLDEST_PYTHON.join(".")}`]);
    const command = found?.trim();
    if (command) yield { command, from: "uv" };
  }

  private async ask(command: string, args: readonly string[]): Promise<Python | undefined> {
    const output = await this.run(command, [...args, "-I", "-c", ASK]);
    try {
      const said: unknown = JSON.parse(output ?? "");
      if (!Array.isArray(said)) return undefined;
      const [executable, version, tag, machine] = said as unknown[];
      if (typeof executable !== "string" || !executable || typeof tag !== "string" || typeof machine !== "string") return undefined;
      return isVersion(version) ? { executable, version, tag, machine } : undefined;
    } catch {
      return undefined;
    }
  }

  private async run(command: string, args: readonly string[]): Promise<string | undefined> {
    const { env } = this.surroundings;
    const ended = await this.surroundings.run(command, args, { cwd: this.cwd, env, timeout: PATIENCE });
    return ended.code === 0 ? ended.stdout : undefined;
  }
}

function isVersion(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number");
}

function isNewEnough({ version: [major, minor] }: Python): boolean {
  return major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]);
}
