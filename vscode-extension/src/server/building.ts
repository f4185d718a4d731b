/**
 * Makes the extension's own environment: with uv where it is, else with Python's venv and pip, from the wheel that came
 * along. Dependencies come from whatever index the user's pip or uv is set to. What fails leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { readFile, statfs } from "node:fs/promises";
import type { Wheel } from "./bundle";
import type { Environment, ManagedEnvironments } from "./managed";
import type { Ended } from "./processes";
import type { Python } from "./pythons";
import type { Surroundings } from "./surroundings";
import { readVersion } from "./versions";

/** Why nothing could be installed. `python`: there is none. `venv`: it cannot make environments. `wheel`: a package is not
 * there for this Python on this machine. `broken`: all was installed, and it does not start. */
export type Reason = "python" | "venv" | "network" | "wheel" | "disk" | "broken" | "cancelled" | "unknown";

export class InstallError extends Error {
  constructor(
    readonly reason: Reason,
    /** The line of the output that says it, or a name. */
    readonly detail = "",
  ) {
    super(`${reason}: ${detail}`);
    this.name = "InstallError";
  }
}

export type Step = "environment" | "packages" | "check";

export interface Plan {
  readonly wheel: Wheel;
  readonly constraints: string | undefined;
  /** Pythons to try, best first. */
  readonly pythons: AsyncIterable<Python>;
  readonly uv: string | undefined;
  readonly signal: AbortSignal;
  readonly step: (step: Step, detail: string) => void;
  readonly log: (line: string) => void;
}

/** Bytes that an environment takes, and a little more for what is unpacked meanwhile. */
const ROOM = 400_000_000;

/** Milliseconds for one program; slow lines and slow disks included. */
const PATIENCE = 20 * 60_000;

/** How many Pythons are tried when packages are missing for the first. */
const MOST_TRIED = 3;

/** The finished environment. Rejects with an InstallError. */
export async function build(plan: Plan, managed: ManagedEnvironments, surroundings: Surroundings): Promise<Environment> {
  let problem = new InstallError("python");
  let tried = 0;
  for await (const python of plan.pythons) {
    for (const uv of plan.uv ? [plan.uv, undefined] : [undefined]) {
      try {
        return await new Building(plan, managed, surroundings, python, uv).run();
      } catch (error) {
        if (!(error instanceof InstallError)) throw error;
        plan.log(`${python.executable}${uv ? " with uv" : ""}: ${error.message}`);
        problem = error;
        if (FINAL.has(error.reason)) throw error;
      }
    }
    tried += 1;
    if (tried === MOST_TRIED || !WORTH_ANOTHER.has(problem.reason)) break;
  }
  if (tried === 0 && plan.uv && !plan.signal.aborted) {
    return new Building(plan, managed, surroundings, undefined, plan.uv).run(); // uv brings a Python of its own
  }
  throw plan.signal.aborted ? new InstallError("cancelled") : problem;
}

/** Neither uv nor pip nor another Python would help. */
const FINAL: ReadonlySet<Reason> = new Set<Reason>(["cancelled", "disk"]);

/** Another Python may do. */
const WORTH_ANOTHER: ReadonlySet<Reason> = new Set<Reason>(["venv", "wheel", "broken"]);

class Building {
  private folder = "";

  constructor(
    private readonly plan: Plan,
    private readonly managed: ManagedEnvironments,
    private readonly surroundings: Surroundings,
    private readonly python: Python | undefined,
    private readonly uv: string | undefined,
  ) {}

  async run(): Promise<Environment> {
    const { wheel } = this.plan;
    const digest = await digestOf(wheel);
    this.folder = await this.managed.prepare(wheel.version);
    try {
      await this.checkRoom();
      this.plan.step("environment", this.python?.executable ?? "uv");
      await this.makeEnvironment();
      this.plan.step("packages", "");
      await this.addPackages();
      this.plan.step("check", "");
      const version = await this.check();
      return await this.managed.finish(this.folder, version, digest);
    } catch (error) {
      await this.managed.remove(this.folder);
      throw asInstallError(error);
    }
  }

  private async checkRoom(): Promise<void> {
    const room = await statfs(this.folder).then(({ bavail, bsize }) => bavail * bsize, () => ROOM);
    if (room < ROOM) throw new InstallError("disk", `${Math.round(room / 1e6)} MB`);
  }

  private async makeEnvironment(): Promise<void> {
    if (this.uv) {
      const python = this.python?.executable ?? ">=3.11";
      await this.must(this.uv, ["venv", "--no-project", "--allow-existing", "--python", python, this.folder], "venv");
    } else if (this.python) {
      await this.must(this.python.executable, ["-I", "-m", "venv", this.folder], "venv");
    }
  }

  private async addPackages(): Promise<void> {
    const { wheel, constraints } = this.plan;
    const python = this.managed.pythonIn(this.folder);
    // what is not there as a wheel would be built, which takes a compiler and runs what the package brings for that
    const wanted = ["--only-binary", ":all:", wheel.path];
    const [command, start] = this.uv
      ? [this.uv, ["pip", "install", "--python", python]]
      : [python, ["-I", "-m", "pip", "install", "--no-input", "--no-compile", "--progress-bar", "off", "--disable-pip-version-check"]];
    const tested = constraints ? ["--constraint", constraints] : [];
    try {
      await this.must(command, [...start, ...tested, ...wanted], "wheel");
    } catch (error) {
      if (tested.length === 0 || !(error instanceof InstallError) || error.reason !== "wheel") throw error;
      this.plan.log("the tested versions cannot be had here: others are taken");
      await this.must(command, [...start, ...wanted], "wheel");
    }
  }

  /** Starts what was installed far enough to load every library. */
  private async check(): Promise<string> {
    const python = this.managed.pythonIn(this.folder);
    await this.must(python, ["-I", "-c", "import memlsp.faces.lsp.server.server, memlsp.faces.mcp"], "broken");
    const version = readVersion((await this.must(python, ["-I", "-m", "memlsp", "--version"], "broken")).stdout);
    if (!version) throw new InstallError("broken", "no version");
    return version;
  }

  private async must(command: string, args: readonly string[], otherwise: Reason): Promise<Ended> {
    const { signal, log, step } = this.plan;
    log(`$ ${command} ${args.join(" ")}`);
    const { env } = this.surroundings;
    const onLine = (line: string): void => {
      log(line);
      const name = packageIn(line);
      if (name) step("packages", name);
    };
    const ended = await this.surroundings.run(command, args, { cwd: this.managed.root, env, timeout: PATIENCE, signal, onLine });
    if (ended.code === 0) return ended;
    if (ended.failure === "cancelled" || signal.aborted) throw new InstallError("cancelled");
    const output = `${ended.stdout}\n${ended.stderr}`;
    throw new InstallError(ended.failure === "timeout" ? "network" : (reasonIn(output) ?? otherwise), lastError(output));
  }
}

/** The package that a line of pip's or uv's speaks of while it fetches. */
export function packageIn(line: string): string | undefined {
  return (
    /^\s*(?:Collecting|Downloading|Downloaded) ([\w.-]+?)(?:[-=<>!~ ]+\d.*)?(?: \(.*\))?$/.exec(line)?.[1] ??
    /^\s*Processing .*?([A-Za-z][\w.]*)-\d[^\\/]*\.whl\b/.exec(line)?.[1]
  );
}

/** What the words of pip, uv and the system mean. The order counts: without a network pip finds no versions either. */
const SIGNS: readonly (readonly [Reason, RegExp])[] = [
  ["disk", /no space left on device|not enough space|disk quota exceeded|errno 28\b|os error 112\b/i],
  ["venv", /ensurepip|No module named venv|No module named pip/i],
  [
    "network",
    /connection (?:refused|reset|broken|aborted)|failed to establish a new connection|name resolution|name or service not known|dns error|getaddrinfo|timed? ?out|network is unreachable|error sending request|proxyerror|407 proxy|ssl(?:error|: )|certificate verify failed|invalid peer certificate|failed to fetch/i,
  ],
  ["wheel", /no matching distribution found|could not find a version|no solution found|has no wheels|resolutionimpossible|is not a supported wheel/i],
];

export function reasonIn(output: string): Reason | undefined {
  return SIGNS.find(([, sign]) => sign.test(output))?.[0];
}

function lastError(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  const said = lines.findLast((line) => /^(error|fatal)\b|error:/i.test(line)) ?? lines.at(-1) ?? "";
  return said.replace(/^error:\s*/i, "").slice(0, 300);
}

function asInstallError(error: unknown): InstallError {
  if (error instanceof InstallError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new InstallError(reasonIn(message) ?? "unknown", message);
}

/** The digest of a wheel, by which an environment knows what it was made from. */
export async function digestOf(wheel: Wheel): Promise<string> {
  return createHash("sha256").update(await readFile(wheel.path)).digest("hex");
}
