/**
 * Between a quick fix or lens and the server: the protocol has no input box, so what a command of the server lacks is
 * asked for here before it is sent.
 */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import type { Memory } from "../memory";
import type { Belief } from "../wire";
import { ACTIONS, type Action, done, missing, report } from "./actions";
import { askConditions, noteDecision, tell } from "./asked";

const PREFIX = "memlsp.server.";

/** The actions that a quick fix can send without what they need, which would be the argument behind the id. */
const NEEDY: readonly Action[] = ["supersede", "scope", "reanchor", "rollback"];

export function askingMiddleware(memory: Memory): Partial<Middleware> {
  return {
    executeCommand: async (command, args: unknown[], next) => {
      const sent: unknown[] = [...args];
      const name = command.startsWith(PREFIX) ? command.slice(PREFIX.length) : "";
      if (name === "show") return vscode.commands.executeCommand("memlsp.peek", ...sent);
      if (name === "remember" && sent.length < 3) {
        const [uri, where] = sent;
        const place = typeof where === "number" ? { line: where } : typeof where === "string" ? { symbol: where } : {};
        return vscode.commands.executeCommand("memlsp.remember", { uri, ...place });
      }
      if (name === "settle" && sent[1] === "scoped" && isLeftOut(sent[3])) {
        const conditions = await askConditions(vscode.l10n.t("Under which condition does it apply?"));
        if (conditions === undefined) return undefined;
        return (await next(command, [...sent.slice(0, 3), conditions, ...sent.slice(4)])) as unknown;
      }
      const action = ACTIONS.find((each) => each === name);
      const id = sent[0];
      if (!action || typeof id !== "string") return next(command, sent) as unknown;
      if (action === "forget" || (NEEDY.includes(action) && isLeftOut(sent[1]))) {
        const belief = await beliefNamed(memory, id, sent[action === "forget" ? 1 : 2]);
        if (!belief) return undefined;
        const extra = await missing(memory, belief, action);
        if (!extra) return undefined;
        sent.splice(0, sent.length, ...argumentsOf(action, belief.id, extra, belief.root));
      }
      const answer: unknown = await next(command, sent);
      const text = textIn(answer);
      if (text !== undefined) {
        noteDecision();
        tell(done(action, text));
      }
      return answer;
    },
  };
}

/** The arguments of the server's command, the workspace's root last: another may have a belief with the same id. */
function argumentsOf(action: Action, id: string, extra: readonly string[], root: string): unknown[] {
  if (!root) return [id, ...extra];
  return action === "forget" ? [id, root] : [id, extra[0] ?? null, root];
}

/** JSON has no holes: an argument with another behind it is left out as null. */
function isLeftOut(argument: unknown): boolean {
  return argument === undefined || argument === null;
}

async function beliefNamed(memory: Memory, id: string, root: unknown): Promise<Belief | undefined> {
  try {
    return (await memory.ask("memlsp/belief", typeof root === "string" ? { id, uri: root } : { id })).belief;
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** The statement in the server's answer; undefined for an answer that says what went wrong. */
function textIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("ok" in answer) || answer.ok !== true) return undefined;
  const belief: unknown = "belief" in answer ? answer.belief : undefined;
  if (typeof belief !== "object" || belief === null || !("text" in belief)) return "";
  return typeof belief.text === "string" ? belief.text : "";
}
