/**
 * What the server can be told, with its defaults: the same names and values as `memlsp/faces/lsp/server/settings.py`, and a
 * test that says so.
 *
 * Every one of them is sent each time, since the server keeps what it was told last.
 */

/** How a belief that does not hold shows in the text. */
export type Level = "warning" | "information" | "hint" | "off";

/** A level for each standing that can be shown. */
export type Levels = Readonly<Record<string, Level>>;

export type OptionValue = boolean | number | string | Levels;

/** Names below `memlsp.`. */
export type Options = Readonly<Record<string, OptionValue>>;

export const DEFAULTS: Options = {
  "hover.enabled": true,
  "hover.history": true,
  "hover.work": true,
  "hover.historyWait": 150,
  "lens.enabled": true,
  "lens.threads": true,
  "diagnostics.enabled": true,
  "diagnostics.levels": {
    contradicted: "warning",
    changed: "information",
    orphaned: "information",
    expired: "information",
  },
  "diagnostics.threads": "hint",
  "diagnostics.conflicts": "warning",
  "capture.terminal": false,
  debounce: 150,
  "onboarding.enabled": true,
  "onboarding.commits": 2000,
};
