/**
 * Between a quick fix or lens and the server: the protocol has no input box, so what a command of the server lacks is
 * asked for here before it is sent.
 */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import type { Memory } from "../memory";
import type { Belief } from "../wire";
import { ACTIONS, type Action, done, missing, report } from "./actions";
import { askConditions, tell } from "./asked";

const PREFIX = "memlsp.server.";

/** The actions that a quick fix can send without all that they need, with the arguments that make them complete. */
const COMPLETE: Partial<Record<Action, number>> = { supersede: 2, scope: 2, reanchor: 2, rollback: 2 };

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
      if (name === "settle" && sent[1] === "scoped" && sent.length < 4) {
        const conditions = await askConditions(vscode.l10n.t("Under which condition does it apply?"));
        return conditions === undefined ? undefined : ((await next(command, [...sent, conditions])) as unknown);
      }
      const action = ACTIONS.find((each) => each === name);
      const id = sent[0];
      if (!action || typeof id !== "string") return next(command, sent) as unknown;
      if (action === "forget" || sent.length < (COMPLETE[action] ?? 1)) {
        const belief = await beliefNamed(memory, id);
        if (!belief) return undefined;
        const extra = await missing(memory, belief, action);
        if (!extra) return undefined;
        sent.splice(1, sent.length, ...extra);
      }
      const answer: unknown = await next(command, sent);
      const text = textIn(answer);
      if (text !== undefined) tell(done(action, text));
      return answer;
    },
  };
}

async function beliefNamed(memory: Memory, id: string): Promise<Belief | undefined> {
  try {
    return (await memory.ask("memlsp/belief", { id })).belief;
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
