/** Days and times of day as the user's language writes them. */
import * as vscode from "vscode";

/** The day of a moment here, as year, month and day: equal for what happened on one day. */
export function dayKey(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.valueOf())) return "";
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "Today", "Yesterday", or the date. */
export function dayName(key: string, now = new Date()): string {
  if (!key) return vscode.l10n.t("Without a date");
  const date = new Date(`${key}T12:00:00`);
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (key === dayKey(now.toISOString())) return vscode.l10n.t("Today");
  if (key === dayKey(yesterday.toISOString())) return vscode.l10n.t("Yesterday");
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return date.toLocaleDateString(vscode.env.language, { weekday: "long", day: "numeric", month: "long", ...year });
}

export function timeName(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? "" : date.toLocaleTimeString(vscode.env.language, { timeStyle: "short" });
}

export function dateName(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? moment : date.toLocaleDateString(vscode.env.language, { dateStyle: "medium" });
}
