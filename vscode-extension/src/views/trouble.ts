/** What a view shows in the place of what it could not get: the sentence, what to do, and the ways out. */
import * as vscode from "vscode";
import { MemoryError } from "../memory";
import { plain } from "./plain";
import type { Row } from "./row";

/** A row that says what failed; a click tries again, and it has buttons for that and for the log. */
export function troubleRow(error: unknown, above: string): Row {
  const message =
    plain(error instanceof Error ? error.message : String(error)) || vscode.l10n.t("The server did not answer");
  const hint = error instanceof MemoryError ? plain(error.hint) : "";
  return {
    id: `${above}/trouble`,
    label: message,
    description: hint,
    icon: { id: "error", color: "problemsErrorIcon.foreground" },
    tip: { text: message, ...(hint ? { foot: hint } : {}) },
    spoken: vscode.l10n.t("Error: {0}. {1} Press Enter to try again.", message, hint),
    context: "trouble",
    command: "memlsp.views.refresh",
  };
}
