import type * as vscode from "vscode";
import type { Memory } from "../memory";

export function registerRemember(_context: vscode.ExtensionContext, _memory: Memory): void {}
