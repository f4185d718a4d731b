import type * as vscode from "vscode";
import type { Memory } from "../memory";

export function registerBeliefPage(_context: vscode.ExtensionContext, _memory: Memory): void {}
