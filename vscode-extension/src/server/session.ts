/** The server's life in this window: found, started, restarted, ended. The only place that knows the language client. */
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State as ClientState } from "vscode-languageclient/node";
import { type Memory, MemoryError, type Method, type State } from "../memory";
import type { Requests } from "../wire";
import type { ServerProgram } from "./program";

export class Session implements Memory, vscode.Disposable {
  private static readonly open = new Set<Session>();
  private readonly stateMoved = new vscode.EventEmitter<State>();
  private readonly moved = new vscode.EventEmitter<void>();
  private client: LanguageClient | undefined;
  readonly onDidChangeState = this.stateMoved.event;
  readonly onDidChange = this.moved.event;
  state: State = "idle";
  program: ServerProgram | undefined;

  constructor(
    readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    Session.open.add(this);
  }

  async begin(): Promise<void> {
    if (!vscode.workspace.workspaceFolders?.length) return;
    const command = vscode.workspace.getConfiguration("memlsp").get<string>("path")?.trim() || "memlsp";
    this.program = { command, args: [], env: {}, origin: "setting", version: "" };
    this.client = new LanguageClient(
      "memlsp",
      "memlsp",
      { command, args: ["lsp"] },
      {
        documentSelector: [{ scheme: "file" }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
      },
    );
    this.client.onDidChangeState((event) => this.become(event.newState === ClientState.Running ? "running" : "stopped"));
    this.client.onNotification("memlsp/changed", () => this.moved.fire());
    await this.client.start();
  }

  private become(state: State): void {
    this.state = state;
    this.stateMoved.fire(state);
    if (state === "running") this.moved.fire();
  }

  async ask<M extends Method>(method: M, params: Requests[M]["params"]): Promise<Requests[M]["answer"]> {
    if (!this.client) throw new MemoryError("the server is not running");
    return this.client.sendRequest<Requests[M]["answer"]>(method, params);
  }

  async run(name: string, ...args: unknown[]): Promise<Record<string, unknown>> {
    if (!this.client) throw new MemoryError("the server is not running");
    return this.client.sendRequest("workspace/executeCommand", { command: `memlsp.server.${name}`, arguments: args });
  }

  async restart(): Promise<void> {
    await this.client?.restart();
  }

  static async endAll(): Promise<void> {
    await Promise.all([...Session.open].map(async (session) => session.client?.stop()));
  }

  dispose(): void {
    Session.open.delete(this);
    void this.client?.stop();
  }
}
