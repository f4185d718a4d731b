/** The server's life in this window: found, started, started again, ended. One server serves all folders. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import type { Memory, Method, State } from "../memory";
import { effective } from "../settings/effective";
import type { Requests } from "../wire";
import { Bundle } from "./bundle";
import type { Connect, Connection } from "./connection";
import type { Found } from "./finding";
import { selectedInterpreter } from "./interpreter";
import { ManagedEnvironments } from "./managed";
import { Throttle } from "./throttle";
import { isSameProgram, type ServerProgram, spoken } from "./program";
import { Questions } from "./questions";
import { Restarts } from "./restarts";
import { Search } from "./search";
import { levelFor } from "./server-log";
import { type Surroundings, thisMachine } from "./surroundings";
import { Turns } from "./turns";

/** What tests replace. */
export interface SessionParts {
  readonly surroundings: Surroundings;
  readonly connect: Connect;
  readonly interpreter: () => Promise<string | undefined>;
}

/** Milliseconds in which a server has to be gone when the window closes: the editor allows little more. */
const PARTING = 1_500;

/** Milliseconds between two tellings that something moved. */
const PACE = 300;

/** Settings that decide what runs. */
const DECIDING = ["memlsp.path", "memlsp.server.python"];

export class Session implements Memory, vscode.Disposable {
  private static readonly open = new Set<Session>();
  private readonly stateMoved = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.stateMoved.event;
  private readonly moved = new vscode.EventEmitter<void>();
  private readonly programMoved = new vscode.EventEmitter<void>();
  private readonly busyMoved = new vscode.EventEmitter<void>();
  private readonly pace = new Throttle(PACE, () => this.moved.fire());
  private readonly restarts = new Restarts();
  private readonly questions = new Questions(this.onDidChangeState, () => ({
    connection: this.connection,
    state: this.state,
    over: this.ended,
  }));
  private readonly middleware: Partial<Middleware>[] = [];
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly parts: SessionParts;
  private connection: Connection | undefined;
  private readonly turns = new Turns((abandoned) => this.turnOver(abandoned));
  /** What the server that runs, or is starting, was started with; "" while there is none. */
  private begunWith = "";
  /** How often something that decides it may have changed. */
  private looks = 0;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private readonly search: Search;
  private ended = false;

  readonly managed: ManagedEnvironments;
  readonly onDidChange = this.moved.event;
  readonly onDidChangeProgram = this.programMoved.event;
  readonly onDidChangeBusy = this.busyMoved.event;
  state: State = "idle";
  /** The server that was found last. */
  program: ServerProgram | undefined;
  /** Why the state is `failed`. */
  failure = "";
  /** Why the server was started again; "" unless it hung. */
  mishap = "";
  /** What the server is busy with. */
  busy: readonly string[] = [];

  constructor(
    readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
    parts: Partial<SessionParts> = {},
  ) {
    this.parts = {
      surroundings: thisMachine(),
      connect: async (options) => (await import("./client")).connect(options),
      interpreter: selectedInterpreter,
      ...parts,
    };
    this.managed = new ManagedEnvironments(path.join(this.storage, "environments"), this.surroundings);
    this.search = new Search(
      { surroundings: this.surroundings, storage: this.storage, managed: this.managed, log },
      () => this.bundle(),
      this.parts.interpreter,
      () => void this.lookAgain(),
    );
    Session.open.add(this);
  }

  get surroundings(): Surroundings {
    return this.parts.surroundings;
  }

  /** The extension's own folder on this machine. Programs run in it, so that no folder of the user's is theirs. */
  get storage(): string {
    return this.context.globalStorageUri.fsPath;
  }

  /** Where the server was looked for last, and what was there. */
  get lastFound(): Found | undefined {
    return this.search.last;
  }

  /** What came along with the extension. */
  bundle(): Promise<Bundle> {
    return Bundle.read(vscode.Uri.joinPath(this.context.extensionUri, "bundled").fsPath);
  }

  /** Has a say in what passes between editor and server, from the next start on. */
  use(middleware: Partial<Middleware>): void {
    this.middleware.push(middleware);
  }

  /** Starts the server if a folder is open, and from now on whenever one is. Resolves when that was tried once. */
  async begin(): Promise<void> {
    this.become("idle");
    this.subscriptions.push(
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.lookAgain()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.lookAgain()),
      this.log.onDidChangeLogLevel(() => void this.lookAgain()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (DECIDING.some((name) => event.affectsConfiguration(name))) void this.lookAgain();
      }),
    );
    await this.turn();
  }

  /** The server for this window without starting it. Looks once, and again when something that decides it changed. */
  async find(): Promise<ServerProgram | undefined> {
    return (await this.look()).program;
  }

  /** Ends the server and starts it again; calls that come meanwhile are one. */
  async restart(): Promise<void> {
    this.restarts.forget();
    this.search.forget();
    this.mishap = "";
    await this.turn();
  }

  /** Shows that something is installed while `work` goes on, and then starts what is there. */
  async during(work: () => Promise<void>): Promise<void> {
    const before = this.state;
    if (!this.connection) this.become("installing");
    try {
      await work();
    } finally {
      if (this.state === "installing") this.become(before);
    }
  }

  ask<M extends Method>(
    method: M,
    params: Requests[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["answer"]> {
    return this.questions.ask(method, params, token);
  }

  /** Tells the server something that it does not answer; while none is running it is not told. */
  async notify(method: string, params: unknown): Promise<void> {
    await this.connection?.notify(method, params);
  }


  static async endAll(): Promise<void> {
    await Promise.all([...Session.open].map((session) => session.end()));
  }

  dispose(): void {
    void this.end();
  }

  private async end(): Promise<void> {
    this.ended = true;
    Session.open.delete(this);
    for (const each of this.subscriptions.splice(0)) each.dispose();
    clearTimeout(this.soon);
    this.pace.dispose();
    this.search.dispose();
    this.turns.abandon();
    await this.disconnect();
    this.become("stopped");
  }

  private get folders(): readonly vscode.WorkspaceFolder[] {
    return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  }

  private async look(): Promise<Found> {
    const found = await this.search.find(this.folders.map(({ uri }) => uri.fsPath));
    if (!isSameProgram(this.program, found.program)) {
      this.program = found.program;
      this.programMoved.fire();
    }
    return found;
  }

  /** Something that decides what runs, or how, may have changed: starts anew only if it did. */
  private async lookAgain(): Promise<void> {
    this.looks += 1;
    this.search.forget();
    const found = await this.look().catch(() => undefined); // the restart says what is wrong
    if (this.state === "looking") return; // the start that is under way takes what was found now
    if (this.begunWith !== this.wanted(found?.program)) this.restartSoon();
  }

  /** All that a server is started with and that it cannot be told later; equal texts need no new start. */
  private wanted(program: ServerProgram | undefined): string {
    const folders = this.folders.map(({ uri }) => uri.toString());
    return JSON.stringify([program, folders, vscode.workspace.isTrusted, levelFor(this.log.logLevel)]);
  }

  private restartSoon(): void {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => {
      this.restarts.forget();
      void this.turn();
    }, 100);
  }

  private turn(): Promise<void> {
    clearTimeout(this.soon);
    return this.turns.take();
  }

  private async turnOver(abandoned: AbortSignal): Promise<void> {
    this.begunWith = "";
    await this.disconnect();
    if (!this.ended) await this.start(abandoned);
  }

  private async start(abandoned: AbortSignal): Promise<void> {
    if (this.folders.length === 0) {
      this.become("idle");
      return;
    }
    this.become("looking");
    let program: ServerProgram | undefined;
    try {
      let before: number;
      do {
        before = this.looks;
        program = await this.find();
      } while (before !== this.looks); // what decides it changed meanwhile: the newer search counts
    } catch (error) {
      this.search.forget();
      this.fail(vscode.l10n.t("memlsp could not look for its server: {0}", error instanceof Error ? error.message : String(error)));
      return;
    }
    const isAbandoned = (): boolean => abandoned.aborted;
    if (isAbandoned()) return;
    if (!program) {
      this.become(vscode.workspace.isTrusted ? "missing" : "untrusted");
      return;
    }
    this.begunWith = this.wanted(program);
    this.become("starting");
    await this.managed.hold(program.origin === "managed" ? program.command : undefined);
    let connection: Connection;
    try {
      connection = await this.parts.connect({
        program,
        env: this.surroundings.env,
        cwd: this.storage,
        log: this.log,
        folders: this.folders,
        trusted: vscode.workspace.isTrusted,
        settings: () => effective(),
        middleware: this.middleware,
        changed: () => this.pace.ask(),
        closed: (silence) => this.crashed(silence),
        busy: (titles) => this.occupied(titles),
        abandoned,
      });
    } catch (error) {
      if (isAbandoned()) return;
      this.log.error(`${spoken(program)} did not start: ${error instanceof Error ? error.message : String(error)}`);
      this.crashed();
      return;
    }
    if (isAbandoned()) return connection.stop(PARTING);
    this.connection = connection;
    this.become("running");
    this.pace.ask();
  }

  /** The server ended by itself, did not start, or was ended because it hung. */
  private crashed(silence?: number): void {
    this.connection = undefined;
    this.begunWith = "";
    this.occupied([]);
    if (this.ended) return;
    if (silence !== undefined) {
      const when = new Date().toLocaleTimeString(vscode.env.language, { timeStyle: "short" });
      this.mishap = vscode.l10n.t("started again at {0}: it had not answered for {1} seconds", when, silence);
    }
    const pause = this.restarts.next();
    if (pause === undefined) {
      this.fail(vscode.l10n.t("The memlsp server ended several times within a few minutes."));
      return;
    }
    this.become("starting");
    this.search.forget(); // it may have gone away
    clearTimeout(this.soon);
    this.soon = setTimeout(() => void this.turn(), pause);
  }

  private async disconnect(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    this.occupied([]);
    if (!connection) return;
    this.become("stopped");
    await connection.stop(PARTING);
  }

  private fail(why: string): void {
    this.log.error(why);
    this.failure = why;
    this.become("failed");
  }

  private become(state: State): void {
    if (state !== "failed") this.failure = "";
    this.state = state;
    void vscode.commands.executeCommand("setContext", "memlsp.state", state);
    void vscode.commands.executeCommand("setContext", "memlsp.running", state === "running");
    this.stateMoved.fire(state);
  }

  private occupied(titles: readonly string[]): void {
    if (titles.length === 0 && this.busy.length === 0) return;
    this.busy = titles;
    this.busyMoved.fire();
  }
}
