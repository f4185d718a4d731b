/**
 * The environment of the extension's own, in its storage: made from the wheel that came along, and counted only when it
 * is complete. Each is a folder of its own, so a window can go on with the old one while a new one is made.
 */
import { mkdir, readdir, readFile, rm, watch, writeFile } from "node:fs/promises";
import * as path from "node:path";
import type { ServerProgram } from "./program";
import type { Surroundings } from "./surroundings";

/** Written last: an environment without it was never finished. */
const MARK = "memlsp.json";

/** Milliseconds after which a maker that ended without a trace is noticed. */
const LONG = 10_000;

/** What is known of a finished environment. */
export interface Environment {
  readonly folder: string;
  readonly python: string;
  readonly version: string;
  /** The digest of the wheel that it was made from. */
  readonly wheel: string;
  /** When it was finished, in milliseconds. */
  readonly made: number;
}

export class ManagedEnvironments {
  /** `root` is the folder of all of them. */
  constructor(
    readonly root: string,
    private readonly surroundings: Surroundings,
  ) {}

  /** The newest that is complete and whose Python is still there. */
  async current(): Promise<Environment | undefined> {
    const complete = (await this.all()).flatMap(({ environment }) => environment ?? []);
    complete.sort((a, b) => b.made - a.made);
    for (const environment of complete) {
      if (await this.surroundings.program(environment.python)) return environment;
    }
    return undefined;
  }

  /** The folder of an environment that is about to be made. Its name says which process makes it. */
  async prepare(version: string): Promise<string> {
    const folder = path.join(this.root, `${version}-${process.pid}-${Date.now().toString(36)}`);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** The Python in an environment's folder. */
  pythonIn(folder: string): string {
    return this.surroundings.platform === "win32"
      ? path.join(folder, "Scripts", "python.exe")
      : path.join(folder, "bin", "python");
  }

  /** From here on it counts. */
  async finish(folder: string, version: string, wheel: string): Promise<Environment> {
    const mark = { version, wheel, made: Date.now() };
    await writeFile(path.join(folder, MARK), `${JSON.stringify(mark)}\n`);
    return { folder, python: this.pythonIn(folder), ...mark };
  }

  async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** Says that this window runs the server of the environment with this Python, and of no other, so that no window
   * removes it meanwhile. */
  async hold(python: string | undefined): Promise<void> {
    for (const { folder, environment } of await this.all()) {
      const mark = path.join(folder, `${HELD}${process.pid}`);
      if (environment && environment.python === python) await writeFile(mark, "").catch(() => undefined);
      else await rm(mark, { force: true }).catch(() => undefined); // it is only held longer than need be
    }
  }

  /** Resolves when no other window is making an environment any more: at once, mostly. */
  async othersDone(signal: AbortSignal): Promise<void> {
    for (;;) {
      const folder = signal.aborted ? undefined : await this.madeElsewhere();
      if (folder === undefined) return;
      await markedOrGone(folder, signal);
    }
  }

  /** The folder in which a process that still lives makes an environment. */
  private async madeElsewhere(): Promise<string | undefined> {
    const others = (await this.all()).filter(({ folder, environment }) => !environment && makerOf(folder) !== process.pid);
    return others.find(({ folder }) => isAlive(makerOf(folder)))?.folder;
  }

  /** Removes what is of no use: half-made ones whose maker is gone, and old ones that no window runs. */
  async tidy(keep: Environment | undefined): Promise<void> {
    for (const { folder, environment } of await this.all()) {
      if (folder === keep?.folder) continue;
      const held = environment ? await holders(folder) : [makerOf(folder)];
      if (!held.some(isAlive)) await this.remove(folder);
    }
  }

  private async all(): Promise<{ folder: string; environment: Environment | undefined }[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(this.root, entry.name));
    return Promise.all(folders.map(async (folder) => ({ folder, environment: await this.read(folder) })));
  }

  private async read(folder: string): Promise<Environment | undefined> {
    try {
      const mark: unknown = JSON.parse(await readFile(path.join(folder, MARK), "utf8"));
      if (typeof mark !== "object" || mark === null) return undefined;
      const { version, wheel, made } = mark as Partial<Record<string, unknown>>;
      if (typeof version !== "string" || typeof wheel !== "string" || typeof made !== "number") return undefined;
      return { folder, python: this.pythonIn(folder), version, wheel, made };
    } catch {
      return undefined;
    }
  }
}

/** The server of an environment. */
export function programOf(environment: Environment): ServerProgram {
  const { python, version } = environment;
  return { command: python, args: ["-I", "-m", "memlsp"], env: {}, origin: "managed", version };
}

/** Waits until an environment is finished or removed; not for ever, because its maker may end without a trace. */
async function markedOrGone(folder: string, signal: AbortSignal): Promise<void> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(LONG)]);
  try {
    for await (const { filename } of watch(folder, { signal: until })) {
      if (filename === MARK || filename === path.basename(folder)) return;
    }
  } catch {
    // cancelled, waited long enough, or gone before it was looked at
  }
}

const HELD = "held-by-";

async function holders(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(HELD)).map((name) => Number(name.slice(HELD.length)));
}

function makerOf(folder: string): number {
  return Number(path.basename(folder).split("-").at(-2));
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
