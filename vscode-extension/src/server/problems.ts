/** What the server refuses, as errors that the rest of the extension knows. */
import * as vscode from "vscode";
import { MemoryError, type State } from "../memory";

/** An error of a request: with the server's hint when it sent one. */
export function asMemoryError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  const code = property(error, "code");
  if (code === CANCELLED || code === CANCELLED_BY_SERVER) return new MemoryError(vscode.l10n.t("Cancelled."), "", true);
  const data = property(error, "data");
  const message = error instanceof Error ? error.message : String(error);
  if (typeof code === "number" && GONE.has(code)) {
    return new MemoryError(vscode.l10n.t("The memlsp server went away."), vscode.l10n.t("Try again in a moment."));
  }
  const hint = property(data, "hint");
  return new MemoryError(message, typeof hint === "string" ? hint : "", false, property(data, "missing") === true);
}

/** Why there is no server to ask, in a state in which none is on its way. */
export function absenceIn(state: State): MemoryError {
  const { t } = vscode.l10n;
  switch (state) {
    case "idle":
      return new MemoryError(t("No folder is open."), t("Open a folder first."));
    case "missing":
      return new MemoryError(t("No memlsp server was found."), t("Install it, or name a program in the settings."));
    case "untrusted":
      return new MemoryError(t("This folder is not trusted."), t("Trust it, and memlsp starts."));
    default:
      return new MemoryError(t("The memlsp server is not running."), t("Restart it, or read its log."));
  }
}

/** Codes of JSON-RPC as the language client has them. */
const CANCELLED = -32800;
const CANCELLED_BY_SERVER = -32802;

/** The connection is disposed, or writing to it failed. */
const GONE: ReadonlySet<number> = new Set([-32096, -32097, -32098, -32099]);

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
