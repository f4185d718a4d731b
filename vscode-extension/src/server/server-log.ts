/** What the server writes to its standard error, in the editor's log at its own level. */
import * as vscode from "vscode";

/** The server's `--log-level` for a level of the editor's log. */
export function levelFor(level: vscode.LogLevel): "debug" | "info" | "warning" | "error" {
  switch (level) {
    case vscode.LogLevel.Trace:
    case vscode.LogLevel.Debug:
      return "debug";
    case vscode.LogLevel.Info:
      return "info";
    case vscode.LogLevel.Warning:
      return "warning";
    default:
      return "error";
  }
}

/** `2026-11-22 00:18:14,123 WARNING memlsp.store: ...`; what does not look so belongs to the line before. */
const LINE = /^[\d-]+ [\d:,.]+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/;

/** Writes one line of the server's into the log. The editor adds the time. */
export function passOn(line: string, log: vscode.LogOutputChannel): void {
  const [, level, rest] = LINE.exec(line) ?? [];
  const text = `server: ${rest ?? line}`;
  if (level === "DEBUG") log.debug(text);
  else if (level === "WARNING") log.warn(text);
  else if (level === "ERROR" || level === "CRITICAL") log.error(text);
  else log.info(text);
}
