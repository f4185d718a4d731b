/**
 * Which server runs: the first that is there and new enough, in an order that is always the same.
 *
 * 1. `memlsp.path`, and then nothing else: who names a program wants that one or to hear why not.
 * 2. What came along for this platform.
 * 3. The interpreter that was selected for this folder, but none inside the workspace: the Python extension selects one
 *    that it finds there by itself, or that the folder's own settings name.
 * 4. The PATH, but no program inside the workspace.
 * 5. The extension's own environment.
 *
 * In a folder that is not trusted only what the extension itself brought runs: 2 and 5.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Bundle } from "./bundle";
import { liesWithin, lookUp } from "./lookup";
import { type ManagedEnvironments, programOf } from "./managed";
import type { Origin, ServerProgram } from "./program";
import type { PythonHint, Pythons } from "./pythons";
import type { Surroundings } from "./surroundings";
import { compareVersions, OLDEST, readVersion } from "./versions";

/** One place that was looked at, and what was there, as a sentence. */
export interface Looked {
  readonly origin: Origin;
  readonly said: string;
}

export interface Found {
  readonly program: ServerProgram | undefined;
  readonly looked: readonly Looked[];
  /** Why there is none although something was named or was there: too old, or not a server. */
  readonly problem: string | undefined;
}

/** What the user set and selected. */
export interface Wishes {
  readonly trusted: boolean;
  /** Open folders on this machine. */
  readonly folders: readonly string[];
  /** `memlsp.path`. */
  readonly path: string;
  /** `memlsp.server.python`. */
  readonly python: string;
  interpreter(): Promise<string | undefined>;
}

/** Milliseconds that a server may take to say its version. */
const PATIENCE = 20_000;

export class Finding {
  private readonly looked: Looked[] = [];
  private problem: string | undefined;

  constructor(
    private readonly surroundings: Surroundings,
    private readonly wishes: Wishes,
    private readonly bundle: Bundle,
    private readonly pythons: Pythons,
    private readonly managed: ManagedEnvironments,
    private readonly cwd: string,
  ) {}

  /** Looks everywhere in order. Starts programs to hear their version, and nothing else. */
  async find(): Promise<Found> {
    const program = await this.search();
    return { program, looked: this.looked, problem: program ? undefined : this.problem };
  }

  private async search(): Promise<ServerProgram | undefined> {
    const { trusted, path: named } = this.wishes;
    if (!trusted) return (await this.bundled()) ?? (await this.ours());
    if (named) return this.named(named);
    return (await this.bundled()) ?? (await this.selected()) ?? (await this.onPath()) ?? (await this.ours());
  }

  private async named(setting: string): Promise<ServerProgram | undefined> {
    const { home, platform } = this.surroundings;
    const paths = platform === "win32" ? path.win32 : path.posix;
    const wanted = /^~[\\/]/.test(setting) ? paths.join(home, setting.slice(2)) : setting;
    let command: string | undefined;
    if (paths.isAbsolute(wanted)) command = (await this.surroundings.program(wanted)) ? wanted : undefined;
    else if (!/[\\/]/.test(wanted)) command = await lookUp(wanted, this.surroundings, this.wishes.folders);
    else return this.refuse("setting", vscode.l10n.t("memlsp.path must be an absolute path or the name of a program, not {0}", setting));
    if (!command) return this.refuse("setting", vscode.l10n.t("memlsp.path names {0}, which is not there", setting));
    return this.checked({ command, args: [], env: {}, origin: "setting" });
  }

  private async bundled(): Promise<ServerProgram | undefined> {
    const { libraries, wheel } = this.bundle;
    if (!wheel || libraries.length === 0) return this.note("bundled", vscode.l10n.t("this package brings no server for this platform"));
    const hints: PythonHint[] = [];
    const { python, trusted } = this.wishes;
    if (python && path.isAbsolute(python)) hints.push({ command: python, from: "setting" });
    if (trusted) {
      const command = await this.wishes.interpreter();
      if (command && !(await liesWithin(command, this.surroundings, this.wishes.folders))) hints.push({ command, from: "interpreter" });
    }
    for await (const each of this.pythons.all(hints, this.wishes.folders)) {
      const args = this.bundle.argumentsFor(each, this.surroundings);
      if (!args) continue;
      const program: ServerProgram = { command: each.executable, args, env: {}, origin: "bundled", version: wheel.version };
      this.note("bundled", this.serves(program));
      return program;
    }
    return this.note("bundled", vscode.l10n.t("no Python on this machine fits what this package brings ({0})", libraries.join(", ")));
  }

  private async selected(): Promise<ServerProgram | undefined> {
    const command = await this.wishes.interpreter();
    if (!command) return this.note("interpreter", vscode.l10n.t("no Python interpreter is selected"));
    if (await liesWithin(command, this.surroundings, this.wishes.folders)) {
      return this.note("interpreter", vscode.l10n.t("{0} lies in the workspace, from which nothing is run", command));
    }
    return this.checked({ command, args: ["-I", "-m", "memlsp"], env: {}, origin: "interpreter" });
  }

  private async onPath(): Promise<ServerProgram | undefined> {
    const command = await lookUp("memlsp", this.surroundings, this.wishes.folders);
    if (!command) return this.note("path", vscode.l10n.t("no memlsp on the PATH"));
    return this.checked({ command, args: [], env: {}, origin: "path" });
  }

  private async ours(): Promise<ServerProgram | undefined> {
    const environment = await this.managed.current();
    if (!environment) return this.note("managed", vscode.l10n.t("nothing is installed by this extension"));
    const program = programOf(environment);
    if (compareVersions(program.version, OLDEST) < 0) return this.refuse("managed", this.tooOld(program));
    this.note("managed", this.serves(program));
    return program;
  }

  /** The program when it is a server that is new enough. */
  private async checked(candidate: Omit<ServerProgram, "version">): Promise<ServerProgram | undefined> {
    const { command, args, origin } = candidate;
    const { env } = this.surroundings;
    const ended = await this.surroundings.run(command, [...args, "--version"], { cwd: this.cwd, env, timeout: PATIENCE });
    const version = ended.code === 0 ? readVersion(ended.stdout) : undefined;
    if (!version) {
      if (origin === "interpreter") return this.note(origin, vscode.l10n.t("memlsp is not installed in {0}", command));
      const last = ended.stderr.trim().split("\n").at(-1) ?? "";
      const why = ended.failure === "timeout" ? vscode.l10n.t("it does not answer") : last;
      return this.refuse(origin, vscode.l10n.t("{0} is not a memlsp server: {1}", command, why || vscode.l10n.t("it names no version")));
    }
    const program: ServerProgram = { ...candidate, version };
    if (compareVersions(version, OLDEST) < 0) return this.refuse(origin, this.tooOld(program));
    this.note(origin, this.serves(program));
    return program;
  }

  private serves({ command, version }: ServerProgram): string {
    return vscode.l10n.t("{0}, version {1}", command, version);
  }

  private tooOld({ command, version }: ServerProgram): string {
    return vscode.l10n.t("{0} is version {1}, and this extension needs {2} or later", command, version, OLDEST);
  }

  private refuse(origin: Origin, said: string): ServerProgram | undefined {
    this.problem ??= said;
    return this.note(origin, said);
  }

  private note(origin: Origin, said: string): ServerProgram | undefined {
    this.looked.push({ origin, said });
    return undefined;
  }
}
