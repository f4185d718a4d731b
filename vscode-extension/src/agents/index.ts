/** Everything that agents in the editor get from here: the memory as an MCP server, for Copilot Chat and for Cursor. */
import type * as vscode from "vscode";
import { registerWithCursor } from "./cursor";
import { registerMcpServers } from "./mcp";
import type { Programs } from "./offer";

export function registerAgents(
  context: vscode.ExtensionContext,
  programs: Programs,
  log: Pick<vscode.LogOutputChannel, "warn">,
): void {
  // an agent that was given both would have every tool twice
  if (!registerWithCursor(context, programs, log)) registerMcpServers(context, programs);
}
