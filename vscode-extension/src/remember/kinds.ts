/** The kinds of statement, as choices. */
import * as vscode from "vscode";
import type { Kind } from "../wire";
import type { Choice } from "./steps";

export const KINDS: readonly Kind[] = ["decision", "rule", "gotcha", "fact", "preference", "procedure"];

export function isKind(value: unknown): value is Kind {
  return KINDS.some((kind) => kind === value);
}

/** Every kind with what it is; first that memlsp reads it from the wording. */
export function kindChoices(): Choice<Kind | undefined>[] {
  return [
    {
      label: vscode.l10n.t("Let memlsp choose"),
      detail: vscode.l10n.t("It reads the kind from the wording"),
      value: undefined,
    },
    ...KINDS.map((kind) => ({ ...described(kind), value: kind })),
  ];
}

function described(kind: Kind): { label: string; detail: string } {
  switch (kind) {
    case "decision":
      return { label: vscode.l10n.t("Decision"), detail: vscode.l10n.t("What was chosen, and why") };
    case "rule":
      return { label: vscode.l10n.t("Rule"), detail: vscode.l10n.t("What must always or never be done here") };
    case "gotcha":
      return { label: vscode.l10n.t("Gotcha"), detail: vscode.l10n.t("What surprises those who do not know it") };
    case "fact":
      return { label: vscode.l10n.t("Fact"), detail: vscode.l10n.t("How something is, here or outside of the code") };
    case "preference":
      return { label: vscode.l10n.t("Preference"), detail: vscode.l10n.t("How you like it; seen by you alone") };
    case "procedure":
      return { label: vscode.l10n.t("Procedure"), detail: vscode.l10n.t("How something is done, step by step") };
  }
}
