/** Where servers come from, in words. */
import * as vscode from "vscode";
import type { Origin } from "./program";

export function originText(origin: Origin): string {
  const { t } = vscode.l10n;
  switch (origin) {
    case "setting":
      return t("the setting memlsp.path");
    case "bundled":
      return t("this extension's package");
    case "interpreter":
      return t("the selected Python interpreter");
    case "path":
      return t("the PATH");
    case "managed":
      return t("this extension's own environment");
  }
}
