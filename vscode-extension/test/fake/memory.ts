/** A server that answers what a test says, and records what it was asked. */
import { type CancellationToken, EventEmitter } from "vscode";
import type { Memory, Method, State } from "../../src/memory";
import type { Requests } from "../../src/wire";

type Answers = { [M in Method]?: (params: Requests[M]["params"]) => Requests[M]["answer"] };

export class FakeMemory implements Memory {
  private readonly stateMoved = new EventEmitter<State>();
  private readonly moved = new EventEmitter<void>();
  private readonly answers = new Map<string, (params: never) => unknown>();
  readonly asked: { method: string; params: unknown }[] = [];
  readonly onDidChangeState = this.stateMoved.event;
  readonly onDidChange = this.moved.event;
  state: State = "running";

  constructor(answers: Answers = {}) {
    for (const [method, work] of Object.entries(answers)) this.answers.set(method, work);
  }

  answer<M extends Method>(method: M, work: (params: Requests[M]["params"]) => Requests[M]["answer"]): void {
    this.answers.set(method, work);
  }

  async ask<M extends Method>(
    method: M,
    params: Requests[M]["params"],
    _token?: CancellationToken,
  ): Promise<Requests[M]["answer"]> {
    this.asked.push({ method, params });
    const work = this.answers.get(method) as ((params: Requests[M]["params"]) => Requests[M]["answer"]) | undefined;
    if (!work) throw new Error(`no answer to ${method}`);
    return Promise.resolve(work(params));
  }

  become(state: State): void {
    this.state = state;
    this.stateMoved.fire(state);
  }

  move(): void {
    this.moved.fire();
  }
}
