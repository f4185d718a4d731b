/** Where everything is put together. Nothing here takes long: the server is looked for after activation has returned. */
import * as vscode from "vscode";
import { registerAgents } from "./agents";
import { registerBeliefPage } from "./page";
import { registerRemember } from "./remember";
import { askingMiddleware } from "./remember/asking";
import { Session } from "./server/session";
import { registerServerCommands } from "./server/commands";
import { registerSettings } from "./settings";
import { registerViews } from "./views";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("memlsp", { log: true });
  const session = new Session(context, log);
  context.subscriptions.push(log, session);
  session.use(askingMiddleware(session));
  registerSettings(context, session);
  registerServerCommands(context, session, log);
  const views = registerViews(context, session);
  registerRemember(context, session, views);
  registerBeliefPage(context, session, views.meant);
  registerAgents(context, session, log);
  void session.begin();
}

export async function deactivate(): Promise<void> {
  await Session.endAll();
}
