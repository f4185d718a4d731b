/** What is started: a program with the arguments that come before `lsp`, `mcp` or `doctor`. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that are set beside the user's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly origin: Origin;
  readonly version: string;
}

/** Where a server came from, in the order in which it is looked for. */
export type Origin = "setting" | "bundled" | "interpreter" | "path" | "managed";

/** Whether two programs are the same one, so that nothing needs to be started anew. */
export function isSameProgram(a: ServerProgram | undefined, b: ServerProgram | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** As a person would type it; arguments with spaces in quotes. */
export function spoken(program: ServerProgram): string {
  return [program.command, ...program.args].map((part) => (/\s/.test(part) ? JSON.stringify(part) : part)).join(" ");
}
