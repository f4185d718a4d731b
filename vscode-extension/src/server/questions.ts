/** Requests to the server: they wait for one that is on its way, and fail in plain words. */
import * as vscode from "vscode";
import { MemoryError, type Method, type State } from "../memory";
import type { Requests } from "../wire";
import type { Connection } from "./connection";
import { absenceIn, asMemoryError } from "./problems";

/** How things are at a moment. */
export interface Presence {
  readonly connection: Connection | undefined;
  readonly state: State;
  /** No server will come any more. */
  readonly over: boolean;
}

export class Questions {
  constructor(
    private readonly moved: vscode.Event<State>,
    private readonly now: () => Presence,
  ) {}

  async ask<M extends Method>(
    method: M,
    params: Requests[M]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[M]["answer"]> {
    const connection = await this.connected(token);
    try {
      return (await connection.request(method, params, token)) as Requests[M]["answer"];
    } catch (error) {
      throw asMemoryError(error);
    }
  }

  /** The running server; waits while one is on its way. Rejects with a MemoryError. */
  private async connected(token?: vscode.CancellationToken): Promise<Connection> {
    for (;;) {
      const { connection, state, over } = this.now();
      if (connection) return connection;
      if (over || !ON_ITS_WAY.has(state)) throw absenceIn(state);
      await this.nextState(token);
    }
  }

  private nextState(token?: vscode.CancellationToken): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelled = (): void => reject(new MemoryError(vscode.l10n.t("Cancelled."), "", true));
      const listeners = [
        this.moved(() => finish(resolve)),
        token?.onCancellationRequested(() => finish(cancelled)),
      ];
      const finish = (then: () => void): void => {
        for (const each of listeners) each?.dispose();
        then();
      };
    });
  }
}

/** A server that stopped is started again, unless the window ends. */
const ON_ITS_WAY: ReadonlySet<State> = new Set<State>(["looking", "installing", "starting", "stopped"]);
