/** The search for the server in this window: made once, and again when something that decides it changed. */
import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import type { Bundle } from "./bundle";
import { Finding, type Found, type Wishes } from "./finding";
import { watchInterpreter } from "./interpreter";
import type { ManagedEnvironments } from "./managed";
import { Pythons } from "./pythons";
import type { Surroundings } from "./surroundings";

/** Where it is looked and what is told of it. */
export interface Ground {
  readonly surroundings: Surroundings;
  readonly storage: string;
  readonly managed: ManagedEnvironments;
  readonly log: vscode.LogOutputChannel;
}

export class Search implements vscode.Disposable {
  private found: Promise<Found> | undefined;
  private watching: vscode.Disposable | undefined;
  /** What was found last; what a search found that was forgotten meanwhile does not count. */
  last: Found | undefined;

  constructor(
    private readonly ground: Ground,
    private readonly bundle: () => Promise<Bundle>,
    private readonly interpreter: () => Promise<string | undefined>,
    /** Another interpreter was selected. Only called when the search depended on it. */
    private readonly selected: () => void,
  ) {}

  /** The answer for these folders; the one that is known as long as nothing was forgotten. */
  find(folders: readonly string[]): Promise<Found> {
    if (this.found) return this.found;
    const found = this.look(folders);
    this.found = found;
    found.then(
      (each) => {
        if (this.found === found) this.last = each;
      },
      () => {
        if (this.found === found) this.found = undefined; // what failed once, as a full disk does, is tried again
      },
    );
    return found;
  }

  /** The next search looks at everything again. */
  forget(): void {
    this.found = undefined;
  }

  dispose(): void {
    this.watching?.dispose();
  }

  private async look(folders: readonly string[]): Promise<Found> {
    const { surroundings, storage, managed, log } = this.ground;
    await mkdir(storage, { recursive: true });
    const pythons = new Pythons(surroundings, storage);
    const bundle = await this.bundle();
    const found = await new Finding(surroundings, this.wishes(folders), bundle, pythons, managed, storage).find();
    for (const { origin, said } of found.looked) log.info(`looked for a server (${origin}): ${said}`);
    return found;
  }

  private wishes(folders: readonly string[]): Wishes {
    const settings = vscode.workspace.getConfiguration("memlsp");
    let interpreter: Promise<string | undefined> | undefined;
    return {
      trusted: vscode.workspace.isTrusted,
      folders,
      path: settings.get<string>("path")?.trim() ?? "",
      python: settings.get<string>("server.python")?.trim() ?? "",
      interpreter: () => {
        this.watching ??= watchInterpreter(this.selected);
        return (interpreter ??= this.interpreter());
      },
    };
  }
}
