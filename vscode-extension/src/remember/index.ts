/** Remembering, and what is done about what is remembered: the commands of this room. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import { act, type Action, report } from "./actions";
import { AfterCommit } from "./after-commit";
import { beliefOf, isBelief, isRecord } from "./named";
import { Notice } from "./notice";
import { Peek } from "./peek";
import { Recall } from "./recall";
import { Remembering } from "./remembering";
import { WhyCommit } from "./why-commit";

/** What the views know of the argument of a command. */
export interface Rows {
  /** The row that a key binding means; anything else as it is. */
  readonly meant: (argument: unknown) => Promise<unknown>;
  /** Gives the answer to what waits for review; false where the argument is no row of it. */
  readonly decide: (argument: unknown, selected: unknown, choice: string) => Promise<boolean>;
}

const NO_ROWS: Rows = { meant: (argument) => Promise.resolve(argument), decide: () => Promise.resolve(false) };

/** The actions with a command of their own. A lock is opened by the same one. */
const COMMANDS: readonly Action[] = [
  "confirm",
  "supersede",
  "retire",
  "admit",
  "reject",
  "lock",
  "reanchor",
  "scope",
  "rollback",
  "forget",
];

export function registerRemember(context: vscode.ExtensionContext, memory: Memory, rows: Rows = NO_ROWS): void {
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
  for (const action of COMMANDS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(
        `memlsp.belief.${action}`,
        async (argument?: unknown, selected?: unknown): Promise<boolean> => {
          const first = await rows.meant(argument);
          if (await rows.decide(first, selected, action)) return true;
          let did = false;
          for (const argument of chosen(first, selected)) {
            try {
              const belief = await beliefOf(memory, argument);
              if (!belief || !(await act(memory, belief, action === "lock" && belief.locked ? "unlock" : action))) return did;
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
