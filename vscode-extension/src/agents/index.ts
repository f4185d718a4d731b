/**
 * Everything that agents in the editor get from here: the memory as an MCP server, for Copilot Chat and for Cursor. And
 * what the editor's terminals ran, which they and their people did alike.
 */
import type * as vscode from "vscode";
import { registerWithCursor } from "./cursor";
import { registerMcpServers } from "./mcp";
import type { Programs } from "./offer";
import { TerminalCommands } from "./terminal";

/** Something that can be told of what happened. */
interface Told {
  notify(method: string, params: unknown): Promise<void>;
}

export function registerAgents(
  context: vscode.ExtensionContext,
  programs: Programs & Told,
  log: Pick<vscode.LogOutputChannel, "warn">,
): void {
  context.subscriptions.push(
    new TerminalCommands((command) => programs.notify("memlsp/terminalCommand", command)),
  );
  // an agent that was given both would have every tool twice
  if (!registerWithCursor(context, programs, log)) registerMcpServers(context, programs);
}
