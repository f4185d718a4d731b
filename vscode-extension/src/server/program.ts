/** What is started: a program with the arguments that come before `lsp`, `mcp` or `doctor`. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly origin: "bundled" | "setting" | "interpreter" | "path" | "managed";
  readonly version: string;
}
