/** A window in which a test says which program was found. */
import { EventEmitter } from "vscode";
import type { Programs } from "../../src/agents/offer";
import type { ServerProgram } from "../../src/server/program";

export const PROGRAM: ServerProgram = {
  command: "/opt/memlsp/bin/python",
  args: ["-I", "-m", "memlsp"],
  env: { MEMLSP_TEST: "1" },
  origin: "managed",
  version: "1.2.3",
};

export class FakePrograms implements Programs {
  private readonly moved = new EventEmitter<void>();
  readonly onDidChangeProgram = this.moved.event;
  readonly storage = "/storage";
  looked = 0;

  constructor(public program: ServerProgram | undefined) {}

  find(): Promise<ServerProgram | undefined> {
    this.looked += 1;
    return Promise.resolve(this.program);
  }

  become(program: ServerProgram | undefined): void {
    this.program = program;
    this.moved.fire();
  }
}
