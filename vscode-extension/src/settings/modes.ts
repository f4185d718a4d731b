/**
 * Three ways to have memlsp in the editor. A mode is nothing but other defaults: what somebody set wins over it, and
 * the server never hears of it.
 */
import * as vscode from "vscode";
import type { Options } from "./options";

export const MODES = ["quiet", "normal", "review"] as const;

export type Mode = (typeof MODES)[number];

/** What a mode says about the options; those that it does not name keep their defaults. */
export const MODE_OPTIONS: Readonly<Record<Mode, Options>> = {
  quiet: {
    "hover.history": false,
    "hover.work": false,
    "lens.enabled": false,
    "diagnostics.levels": { contradicted: "information", changed: "off", orphaned: "off", expired: "off" },
    "diagnostics.threads": "off",
    "diagnostics.conflicts": "information",
  },
  normal: {},
  review: {
    "diagnostics.levels": { contradicted: "warning", changed: "warning", orphaned: "warning", expired: "warning" },
    "diagnostics.threads": "information",
    "diagnostics.conflicts": "warning",
  },
};

/** The mode that is set; a value that is none counts as `normal`. */
export function currentMode(scope?: vscode.ConfigurationScope): Mode {
  return modeNamed(vscode.workspace.getConfiguration("memlsp", scope).get<unknown>("mode"));
}

export function modeNamed(value: unknown): Mode {
  return MODES.find((mode) => mode === value) ?? "normal";
}

/** A mode's name as users read it, and what it does. */
export function describeMode(mode: Mode): { name: string; about: string } {
  switch (mode) {
    case "quiet":
      return {
        name: vscode.l10n.t("Quiet"),
        about: vscode.l10n.t("Memory on hover and in the views; in the text only what the code contradicts, softly"),
      };
    case "normal":
      return {
        name: vscode.l10n.t("Normal"),
        about: vscode.l10n.t("Lenses above what is remembered, a warning where the code contradicts it"),
      };
    case "review":
      return {
        name: vscode.l10n.t("Review"),
        about: vscode.l10n.t("Everything that no longer holds is a warning, and open threads are listed as problems"),
      };
  }
}
