/** A belief to be changed by tests, and a memory that answers from a table and keeps what it was asked. */
import { EventEmitter } from "vscode";
import { type Memory, MemoryError, type State } from "../../src/memory";
import type { Belief, BeliefPage, Revision } from "../../src/wire";
import { belief as sample } from "../sample";

export function belief(change: Partial<Belief> = {}): Belief {
  return sample({
    id: "fj8egz2k",
    text: "Retries three times, the API drops one call in ten.",
    kind: "fact",
    authority: "said by a person",
    confidence: 0.95,
    anchors: [{ path: "client.py", symbol: "fetch", line: 4 }],
    author: { name: "Ann Ode", kind: "person" },
    created_at: "2026-11-18T10:00:00Z",
    updated_at: "2026-11-18T10:00:00Z",
    root: "file:///repo",
    ...change,
  });
}

export function page(about: Belief, revisions: Partial<Revision>[] = []): BeliefPage {
  return {
    belief: about,
    changes: [],
    revisions: revisions.map((each, index) => ({
      number: index + 1,
      action: "remember",
      author: about.author,
      source: "cli",
      at: about.created_at,
      note: "",
      undoes: null,
      session: null,
      confidence_before: null,
      confidence: about.confidence,
      how: "",
      ...each,
    })),
    served: [],
    served_total: 0,
    nodes: [],
    links: [],
    actions: [],
  };
}

export class FakeMemory {
  state: State = "running";
  readonly asked: { method: string; params: unknown }[] = [];
  /** Answers by method; an Error is thrown, a function is called with what was asked. */
  readonly answers = new Map<string, unknown>();
  readonly stateMoved = new EventEmitter<State>();
  readonly moved = new EventEmitter<void>();
  readonly onDidChangeState = this.stateMoved.event;
  readonly onDidChange = this.moved.event;

  ask(method: string, params: unknown): Promise<never> {
    this.asked.push({ method, params });
    return this.answer(method, params);
  }

  /** What was asked by a method, without the method's name. */
  params(method: string): unknown[] {
    return this.asked.filter((each) => each.method === method).map((each) => each.params);
  }

  /** As what the rooms take. */
  get memory(): Memory {
    return this;
  }

  private answer(name: string, given: unknown): Promise<never> {
    if (!this.answers.has(name)) return Promise.reject(new MemoryError(`no answer to ${name}`));
    const answer = this.answers.get(name);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve((typeof answer === "function" ? (answer as (given: unknown) => never)(given) : answer) as never);
  }
}
