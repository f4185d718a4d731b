/** Remembering, and what is done about what is remembered: the commands of this room. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { act, ACTIONS, report } from "./actions";
import { AfterCommit } from "./after-commit";
import { beliefOf, isBelief, isRecord } from "./named";
import { Notice } from "./notice";
import { Peek } from "./peek";
import { Recall } from "./recall";
import { Remembering } from "./remembering";
import { WhyCommit } from "./why-commit";

export function registerRemember(context: vscode.ExtensionContext, memory: Memory): void {
  const notice = new Notice();
  const remembering = new Remembering(memory, notice);
  const whyCommit = new WhyCommit(memory, remembering);
  const afterCommit = new AfterCommit(memory);
  const peek = new Peek(memory);
  const recall = new Recall(memory);
  context.subscriptions.push(
    notice,
    afterCommit,
    vscode.commands.registerCommand("memlsp.remember", (argument?: unknown, selected?: unknown) =>
      // the explorer hands over what is selected in it, and means the file
      remembering.begin(Array.isArray(selected) ? { uri: argument, whole: true } : argument),
    ),
    vscode.commands.registerCommand("memlsp.rememberCommit", async (argument?: unknown) => {
      const belief = await whyCommit.ask(argument);
      if (belief) afterCommit.hide();
      return belief;
    }),
    vscode.commands.registerCommand("memlsp.peek", (first?: unknown, second?: unknown) => peek.at(first, second)),
    vscode.commands.registerCommand("memlsp.recall", (question?: unknown) => recall.ask(question)),
  );
  for (const action of ACTIONS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(
        `memlsp.belief.${action}`,
        async (first: unknown, selected?: unknown): Promise<boolean> => {
          let did = false;
          for (const argument of chosen(first, selected)) {
            try {
              const belief = await beliefOf(memory, argument);
              if (!belief || !(await act(memory, belief, action))) return did;
              did = true;
            } catch (error) {
              report(error);
              return did;
            }
          }
          return did;
        },
      ),
    );
  }
}

/**
 * What an action is about: a menu of a tree hands over the node and, behind it, everything that is selected. Only nodes
 * count in a selection, and the very same node: a link, which is read from text, can bring ids, and acts on one of them.
 */
function chosen(first: unknown, selected: unknown): readonly unknown[] {
  if (!Array.isArray(selected) || !isNode(first) || !selected.includes(first)) return [first];
  return selected.filter(isNode);
}

function isNode(value: unknown): boolean {
  return isRecord(value) && isBelief(value["belief"]);
}
