/**
 * What the server is told, with its defaults: names and values of `memlsp/faces/lsp/server/settings.py`, and a test that
 * says so. It has three numbers more that nobody turns in this editor, and keeps its own for them.
 *
 * Every one of these is sent each time, since the server keeps what it was told last.
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
  "lens.enabled": true,
  "lens.holding": false,
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
  "onboarding.enabled": true,
};
