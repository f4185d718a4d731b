/**
 * The memory for the agent of Cursor, which has an interface of its own beside the editor's:
 * `vscode.cursor.mcp.registerServer` and `unregisterServer`, known by name, without a way to resolve a server when it is
 * started. So a server is registered once its program is known, and again when that changes.
 *
 * Where the interface is not there, or not as it is documented, nothing happens.
 */
import * as vscode from "vscode";
import { mcpArguments, type Offered, offers, onDidChangeOffers, type Programs, unwanted } from "./offer";

/** A server as Cursor's documentation describes it. */
export interface CursorServer {
  readonly name: string;
  readonly server: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

interface CursorServers {
  registerServer(server: CursorServer): unknown;
  unregisterServer(name: string): unknown;
}

/** Keeps what is registered the same as what is offered. */
export class CursorRegistration implements vscode.Disposable {
  private readonly heard: vscode.Disposable;
  private registered = new Map<string, string>();

  constructor(
    private readonly cursor: CursorServers,
    private readonly programs: Programs,
    private readonly log: Pick<vscode.LogOutputChannel, "warn">,
  ) {
    this.heard = onDidChangeOffers(programs, () => this.register());
    this.register();
  }

  private register(): void {
    const wanted = new Map(this.servers().map((server) => [server.name, server]));
    for (const [name, known] of this.registered) {
      const server = wanted.get(name);
      if (server && JSON.stringify(server) === known) wanted.delete(name);
      else this.attempt(() => this.cursor.unregisterServer(name)).registered.delete(name);
    }
    for (const [name, server] of wanted) {
      this.attempt(() => this.cursor.registerServer(server)).registered.set(name, JSON.stringify(server));
    }
  }

  private servers(): CursorServer[] {
    const { program } = this.programs;
    if (!program) return [];
    const env = { ...Object.fromEntries(unwanted().map((name) => [name, ""])), ...program.env };
    const server = ({ label, folder }: Offered): CursorServer => ({
      name: label,
      server: { command: program.command, args: mcpArguments(program, folder), env },
    });
    return offers().map(server);
  }

  /** The interface is not the editor's own: its faults are logged and stop nothing. */
  private attempt(work: () => unknown): this {
    const failed = (error: unknown): void => this.log.warn(`Cursor's MCP servers: ${error instanceof Error ? error.message : String(error)}`);
    try {
      Promise.resolve(work()).catch(failed);
    } catch (error) {
      failed(error);
    }
    return this;
  }

  dispose(): void {
    this.heard.dispose();
    for (const name of this.registered.keys()) this.attempt(() => this.cursor.unregisterServer(name));
    this.registered = new Map();
  }
}

/** Registers the servers with Cursor, where this is Cursor; says whether it is. */
export function registerWithCursor(
  context: vscode.ExtensionContext,
  programs: Programs,
  log: Pick<vscode.LogOutputChannel, "warn">,
  editor: object = vscode,
): boolean {
  const cursor = cursorServers(editor);
  if (cursor) context.subscriptions.push(new CursorRegistration(cursor, programs, log));
  return cursor !== undefined;
}

/** The interface if it is there. */
export function cursorServers(editor: object): CursorServers | undefined {
  const mcp = inside(inside(editor, "cursor"), "mcp");
  return isCursorServers(mcp) ? mcp : undefined;
}

function inside(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isCursorServers(value: unknown): value is CursorServers {
  return isObject(value) && typeof value["registerServer"] === "function" && typeof value["unregisterServer"] === "function";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
