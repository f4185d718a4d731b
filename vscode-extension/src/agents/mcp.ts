/**
 * The memory for Copilot Chat and every other agent that takes its MCP servers from the editor: nobody has to write a
 * configuration file. What is offered costs nothing; the program is looked for when an agent wants to start it.
 */
import * as vscode from "vscode";
import { mcpArguments, type Offered, offers, onDidChangeOffers, type Programs, unwanted } from "./offer";

/** As in package.json. */
export const PROVIDER = "memlsp.mcp";

/** Answers which servers there are, and how one is started. */
export class McpServers implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly heard: vscode.Disposable;
  readonly onDidChangeMcpServerDefinitions = this.changed.event;

  constructor(private readonly programs: Programs) {
    this.heard = onDidChangeOffers(programs, () => this.changed.fire());
  }

  /** One definition for each folder. The editor asks early and often, so nothing is looked for here. */
  provideMcpServerDefinitions(): vscode.McpStdioServerDefinition[] {
    return offers().map((offered) => this.complete(new vscode.McpStdioServerDefinition(offered.label, "memlsp", [], {}), offered));
  }

  /** How it is started now. Offers to install the server where there is none; rejects when there is still none. */
  async resolveMcpServerDefinition(
    definition: vscode.McpStdioServerDefinition,
    token: vscode.CancellationToken,
  ): Promise<vscode.McpStdioServerDefinition | undefined> {
    const offered = offers().find(({ label }) => label === definition.label);
    if (!offered) return undefined;
    if (!(await this.programs.find())) {
      if (token.isCancellationRequested) return undefined;
      await vscode.commands.executeCommand("memlsp.install");
      if (!(await this.programs.find())) throw new Error(vscode.l10n.t("No memlsp server was found, and none was installed."));
    }
    return this.complete(definition, offered);
  }

  private complete(definition: vscode.McpStdioServerDefinition, { folder }: Offered): vscode.McpStdioServerDefinition {
    const { program, storage } = this.programs;
    definition.cwd = vscode.Uri.file(storage); // the folder is named with --root: in it, a Python could be led astray
    if (!program) return definition;
    definition.command = program.command;
    definition.args = mcpArguments(program, folder);
    definition.env = { ...Object.fromEntries(unwanted().map((name) => [name, null])), ...program.env };
    definition.version = program.version;
    return definition;
  }

  dispose(): void {
    this.heard.dispose();
    this.changed.dispose();
  }
}

/** Offers the servers where the editor can take them: what is built on an older Code cannot. */
export function registerMcpServers(context: vscode.ExtensionContext, programs: Programs): void {
  const models: Partial<typeof vscode.lm> = vscode.lm;
  if (!models.registerMcpServerDefinitionProvider) return;
  const servers = new McpServers(programs);
  context.subscriptions.push(servers, models.registerMcpServerDefinitionProvider(PROVIDER, servers));
}
