/**
 * Installing the server into the extension's own environment, and saying what went wrong with a way out.
 *
 * Asked once, when a folder is open, trusted, and no server was found; `memlsp.server.install` may say never, or always.
 */
import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { harmless } from "../remember/asked";
import { build, digestOf, InstallError, type Reason, type Step } from "./building";
import { selectedInterpreter } from "./interpreter";
import { liesWithin, lookUp } from "./lookup";
import { originText } from "./origins";
import { type PythonHint, Pythons } from "./pythons";
import type { Session } from "./session";
import { compareVersions } from "./versions";

/** In the global state: the version of the wheel to whose offer the answer was no. */
const DECLINED = "memlsp.install.declined";

export class Installing implements vscode.Disposable {
  private readonly listening: vscode.Disposable[];
  private underWay: Promise<boolean> | undefined;
  private asking = false;

  constructor(
    private readonly session: Session,
    private readonly showLog: () => void,
  ) {
    this.listening = [
      session.onDidChangeState((state) => {
        if (state === "missing") void this.offer();
        if (state === "running") void this.offerUpdate();
      }),
      // another window may have installed it meanwhile
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && session.state === "missing") void this.look();
      }),
    ];
  }

  dispose(): void {
    for (const each of this.listening) each.dispose();
  }

  /** Installs, and starts what was installed. False when it was not. Calls that come meanwhile are one. */
  install(): Promise<boolean> {
    this.underWay ??= this.installOnce().finally(() => (this.underWay = undefined));
    return this.underWay;
  }

  /** Installs when there is nothing that serves; else says what does. */
  async installOrUpdate(): Promise<boolean> {
    const { state } = this.session;
    const program = state === "running" ? await this.session.find() : undefined;
    return program?.origin === "managed" ? this.update() : this.installOrSay();
  }

  async installOrSay(): Promise<boolean> {
    const { session } = this;
    const program = session.state === "failed" ? undefined : await session.find();
    if (!program) return this.install();
    if (session.state !== "running") await session.restart();
    const said = vscode.l10n.t("memlsp {0} is there already, from {1}.", program.version, originText(program.origin));
    void vscode.window.showInformationMessage(said);
    return true;
  }

  /** Makes a new environment from what this version of the extension brings, or says that there is nothing to do. */
  async update(): Promise<boolean> {
    const program = await this.session.find();
    if (program && program.origin !== "managed") {
      const where = originText(program.origin);
      const way = vscode.l10n.t("The server comes from {0} ({1}). Update it there.", where, program.command);
      void vscode.window.showInformationMessage(way);
      return false;
    }
    if (program && !(await this.isBehind())) {
      void vscode.window.showInformationMessage(vscode.l10n.t("The server is up to date: version {0}.", program.version));
      return false;
    }
    return this.install();
  }

  /** Lets the user name a program. */
  async chooseProgram(): Promise<void> {
    await this.choose("path", vscode.l10n.t("Choose the memlsp program"));
  }

  private async offer(): Promise<void> {
    if (this.underWay) return; // it says itself what went wrong
    const problem = this.session.lastFound?.problem;
    if (problem) return this.explain(problem);
    const wish = installWish();
    if (wish === "automatic") {
      await this.install();
      return;
    }
    const wheel = await this.wheel();
    if (wish === "never" || !wheel || this.asking || this.state.get(DECLINED) !== undefined) return;
    this.asking = true;
    const { t } = vscode.l10n;
    const [install, choose, notNow] = [t("Install"), t("Choose a program…"), t("Not now")];
    const question = t(
      "memlsp needs its server, and none was found. Install it for this extension alone? It takes about 250 MB, and its packages come from your Python package index.",
    );
    const answer = await vscode.window.showInformationMessage(question, install, choose, notNow);
    if (answer === notNow) await this.state.update(DECLINED, wheel.version); // first, as below
    this.asking = false;
    if (answer === install) await this.install();
    else if (answer === choose) await this.chooseProgram();
  }

  /** A program was named or found that cannot be used. */
  private async explain(problem: string): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const { t } = vscode.l10n;
    const [install, choose, settings] = [t("Install"), t("Choose a program…"), t("Open settings")];
    const named = vscode.workspace.getConfiguration("memlsp").get<string>("path");
    const ways = named ? [choose, settings] : installWish() === "never" ? [choose] : [install, choose];
    const answer = await vscode.window.showWarningMessage(`memlsp: ${harmless(problem)}.`, ...ways);
    this.asking = false;
    if (answer === install) await this.install();
    else if (answer === choose) await this.chooseProgram();
    else if (answer === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "memlsp.path");
  }

  private async offerUpdate(): Promise<void> {
    const { program } = this.session;
    if (program?.origin !== "managed" || !vscode.workspace.isTrusted || !(await this.isBehind())) return;
    const wish = installWish();
    const wheel = await this.wheel();
    if (wish === "automatic") {
      await this.install();
      return;
    }
    if (wish === "never" || !wheel || this.asking || this.state.get(DECLINED) === wheel.version) return;
    this.asking = true;
    const { t } = vscode.l10n;
    const [update, notNow] = [t("Update"), t("Not now")];
    const question =
      wheel.version === program.version
        ? t("This extension brings another build of memlsp {0} than the one that is installed.", wheel.version)
        : t("This extension brings memlsp {0}; installed is {1}.", wheel.version, program.version);
    const answer = await vscode.window.showInformationMessage(question, update, notNow);
    if (answer === notNow) await this.state.update(DECLINED, wheel.version); // first, else a start meanwhile asks again
    this.asking = false;
    if (answer === update) await this.install();
  }

  /** Whether the environment was made from another wheel than the one that came along, and that is not an older one. */
  private async isBehind(): Promise<boolean> {
    const [environment, wheel] = await Promise.all([this.session.managed.current(), this.wheel()]);
    if (!environment || !wheel || compareVersions(wheel.version, environment.version) < 0) return false;
    return environment.wheel !== (await digestOf(wheel));
  }

  private async installOnce(): Promise<boolean> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showInformationMessage(vscode.l10n.t("Nothing is installed from a folder that is not trusted."));
      return false;
    }
    for (;;) {
      try {
        await this.session.during(() => this.withProgress());
        await this.state.update(DECLINED, undefined);
        await this.session.restart();
        await this.session.managed.tidy(await this.session.managed.current());
        return true;
      } catch (error) {
        const problem = error instanceof InstallError ? error : new InstallError("unknown", String(error));
        if (problem.reason === "cancelled" || !(await this.mayTryAgain(problem))) return false;
      }
    }
  }

  private async withProgress(): Promise<void> {
    const { t } = vscode.l10n;
    const options = { location: vscode.ProgressLocation.Notification, title: t("Installing memlsp"), cancellable: true };
    await vscode.window.withProgress(options, async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      await this.build(stop.signal, (step, detail) => progress.report({ message: stepText(step, detail) }));
    });
  }

  private async build(signal: AbortSignal, step: (step: Step, detail: string) => void): Promise<void> {
    const { session } = this;
    const { surroundings, managed, log } = session;
    const bundle = await session.bundle();
    if (!bundle.wheel) throw new InstallError("unknown", vscode.l10n.t("this package of the extension brings no server"));
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    await mkdir(managed.root, { recursive: true });
    await managed.othersDone(signal);
    const there = await managed.current();
    if (there?.wheel === (await digestOf(bundle.wheel))) return; // another window has made it
    await managed.tidy(there);
    const pythons = new Pythons(surroundings, session.storage).all(await this.named(folders), folders);
    const uv = await lookUp("uv", surroundings, folders);
    const { wheel, constraints } = bundle;
    await build({ wheel, constraints, pythons, uv, signal, step, log: (line) => log.info(line) }, managed, surroundings);
  }

  /** Pythons that the user named: in the settings, and in the Python extension unless it lies in the workspace. */
  private async named(folders: readonly string[]): Promise<PythonHint[]> {
    const hints: PythonHint[] = [];
    const setting = vscode.workspace.getConfiguration("memlsp").get<string>("server.python")?.trim();
    if (setting) hints.push({ command: setting, from: "setting" });
    const selected = await selectedInterpreter();
    if (selected && !(await liesWithin(selected, this.session.surroundings, folders))) {
      hints.push({ command: selected, from: "interpreter" });
    }
    return hints;
  }

  /** Says what failed; true when it is to be tried again. */
  private async mayTryAgain({ reason, detail }: InstallError): Promise<boolean> {
    this.session.log.error(`the server could not be installed: ${reason}: ${detail}`);
    const { t } = vscode.l10n;
    const [again, python, program, log] = [t("Try again"), t("Choose a Python…"), t("Choose a program…"), t("Show log")];
    const lacksPython = reason === "python" || reason === "venv" || reason === "wheel";
    const ways = [again, lacksPython ? python : program, log];
    const answer = await vscode.window.showErrorMessage(reasonText(reason, harmless(detail)), ...ways);
    if (answer === again) return true;
    if (answer === python) return this.choose("server.python", vscode.l10n.t("Choose a Python, 3.11 or later"));
    if (answer === program) await this.chooseProgram();
    if (answer === log) this.showLog();
    return false;
  }

  private async choose(setting: "path" | "server.python", title: string): Promise<boolean> {
    const [chosen] = (await vscode.window.showOpenDialog({ title, canSelectMany: false })) ?? [];
    if (!chosen) return false;
    const target = vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration("memlsp").update(setting, chosen.fsPath, target);
    return true;
  }

  private async look(): Promise<void> {
    if (await this.session.managed.current()) await this.session.restart();
  }

  private async wheel() {
    return (await this.session.bundle()).wheel;
  }

  private get state(): vscode.Memento {
    return this.session.context.globalState;
  }
}

type Wish = "ask" | "automatic" | "never";

function installWish(): Wish {
  const set = vscode.workspace.getConfiguration("memlsp").get<string>("server.install");
  return set === "automatic" || set === "never" ? set : "ask";
}

function stepText(step: Step, detail: string): string {
  const { t } = vscode.l10n;
  if (step === "environment") return t("making an environment ({0})", detail);
  if (step === "check") return t("starting it once");
  return detail ? t("fetching {0}", detail) : t("fetching packages");
}

function reasonText(reason: Reason, detail: string): string {
  const { t } = vscode.l10n;
  switch (reason) {
    case "python":
      return t("memlsp needs Python 3.11 or later, and none was found.");
    case "venv":
      return t("This Python cannot make an environment. On Debian and Ubuntu the package python3-venv is missing. ({0})", detail);
    case "network":
      return t("The packages of memlsp could not be fetched: the package index was not reached. ({0})", detail);
    case "wheel":
      return t("A package of memlsp is not available for this Python on this machine. ({0})", detail);
    case "disk":
      return t("There is not enough room on the disk for memlsp. ({0})", detail);
    case "broken":
      return t("memlsp was installed but does not start, and was removed again. ({0})", detail);
    default:
      return t("memlsp could not be installed. ({0})", detail);
  }
}
