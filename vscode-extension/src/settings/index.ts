import type * as vscode from "vscode";
import type { Memory } from "../memory";

export function registerSettings(_context: vscode.ExtensionContext, _memory: Memory): void {}
