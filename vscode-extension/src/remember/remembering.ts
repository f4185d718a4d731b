/** Remember: what is true, of which kind, and how far it applies; three questions at the most, none that was answered. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Belief, Kind, PlaceAnswer, RememberParams } from "../wire";
import { report } from "./actions";
import { harmless, quoted, statementProblem } from "./asked";
import { isKind, kindChoices } from "./kinds";
import { type BeliefName, isRecord } from "./named";
import type { Notice } from "./notice";
import { isScope, patternProblem, type ScopeChoice, scopeChoices, type Whereabouts } from "./scopes";
import { askChoice, askText, type Step, walk } from "./steps";

/** What a caller knows already. */
export interface Known {
  readonly uri?: vscode.Uri;
  readonly line?: number;
  readonly symbol?: string;
  readonly text?: string;
  readonly kind?: Kind;
  readonly scope?: ScopeChoice;
  /** It is about the file, wherever the cursor is in it. */
  readonly whole?: boolean;
}

export class Remembering {
  /** What was typed and not used yet. Not on a disk: forgetting could not reach it there. */
  private draft = "";

  constructor(
    private readonly memory: Memory,
    private readonly notice: Notice,
  ) {}

  /** Asks what is missing and keeps it; undefined when the user left, or when it could not be kept. */
  async begin(argument?: unknown): Promise<Belief | undefined> {
    const known = withCursor(knownIn(argument));
    const uri = known.uri ?? (await chosenFolder());
    if (!uri) return undefined;
    const where = known.uri ? this.whereabouts(known) : Promise.resolve(undefined);
    let text = known.text ?? this.draft;
    let kind = known.kind;
    let scope = known.scope;
    let title = vscode.l10n.t("Remember");
    const titleLater = where.then((found) => (title = titleOf(found) ?? title));
    const steps: Step[] = [];
    if (known.text === undefined) {
      steps.push((place) =>
        askText(
          {
            title,
            titleLater,
            prompt: vscode.l10n.t("What is true here, and why? One statement, as somebody else will read it"),
            placeholder: vscode.l10n.t("Retries three times, because the API drops one call in ten."),
            value: text,
            problem: statementProblem,
            typed: (typed) => {
              text = typed;
              this.draft = typed;
            },
          },
          place,
        ),
      );
    }
    if (known.kind === undefined) {
      steps.push((place) =>
        askChoice(
          {
            title,
            titleLater,
            placeholder: vscode.l10n.t("What kind of statement is it?"),
            choices: kindChoices(),
            active: (value) => value === kind,
            chosen: (value) => (kind = value),
          },
          place,
        ),
      );
    }
    if (known.scope === undefined) {
      steps.push((place) =>
        askChoice(
          {
            title,
            titleLater,
            placeholder: vscode.l10n.t("How far does it apply?"),
            choices: where.then((found) => scopeChoices(found, kind)),
            active: (value) => value.scope === scope?.scope && value.glob === scope.glob,
            chosen: (value) => (scope = value),
          },
          place,
        ),
      );
    }
    if (!(await walk(steps))) return undefined;
    const pattern = scope?.scope === "glob" && !scope.glob ? await askPattern(await where) : scope?.glob;
    if (scope?.scope === "glob" && !pattern) return undefined;
    const params: RememberParams = { text: text.trim(), uri: uri.toString() };
    if (kind) params.kind = kind;
    if (scope) params.scope = scope.scope;
    if (pattern) params.glob = pattern;
    if (!scope || scope.scope === "symbol") Object.assign(params, spotOf(known, await where));
    return this.keep(params);
  }

  /** Keeps a statement, and says so quietly; what it contradicts, and what was taken out of it, aloud. */
  async keep(params: RememberParams): Promise<Belief | undefined> {
    let answer;
    try {
      answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Remembering…") },
        (_, token) => this.memory.ask("memlsp/remember", params, token),
      );
    } catch (error) {
      this.draft = params.text; // it can be sent again
      report(error);
      return undefined;
    }
    if (this.draft.trim() === params.text) this.draft = ""; // not one about something else
    const { belief, conflicts, notices } = answer;
    const named = { id: belief.id, root: belief.root };
    this.notice.show(vscode.l10n.t("Remembered: {0}", quoted(belief.text)), vscode.l10n.t("Open its page"), {
      command: "memlsp.openBelief",
      title: vscode.l10n.t("Open"),
      arguments: [named],
    });
    if (conflicts.length > 0) void offerToSettle(conflicts, named);
    else if (notices.length > 0) void vscode.window.showInformationMessage(harmless(notices.join(" ")));
    return belief;
  }

  private async whereabouts(known: Known): Promise<Whereabouts | undefined> {
    if (!known.uri) return undefined;
    try {
      const found: PlaceAnswer = await this.memory.ask("memlsp/place", { uri: known.uri.toString(), line: known.line ?? 1 });
      if (known.symbol) return { path: found.path, symbol: known.symbol };
      return { path: found.path, symbol: known.line === undefined ? "" : found.symbol };
    } catch {
      // a file of no workspace: the server says so when it is to be kept, and a wide scope may do
      return known.symbol ? { path: vscode.workspace.asRelativePath(known.uri, false), symbol: known.symbol } : undefined;
    }
  }
}

async function offerToSettle(conflicts: readonly string[], named: BeliefName): Promise<void> {
  const [settle, page] = [vscode.l10n.t("Settle…"), vscode.l10n.t("Open")];
  const said = harmless(conflicts.join(" "));
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Remembered, but it contradicts what is believed: {0}", said),
    settle,
    page,
  );
  if (chosen === settle) await vscode.commands.executeCommand("memlsp.settle", named);
  if (chosen === page) await vscode.commands.executeCommand("memlsp.openBelief", named);
}

/** What an argument says: our own object, what the menu of line numbers hands over, or nothing that we know. */
export function knownIn(argument: unknown): Known {
  if (argument instanceof vscode.Uri) return { uri: argument };
  if (!isRecord(argument)) return {};
  const known: { -readonly [key in keyof Known]: Known[key] } = {};
  const { uri, symbol, text, kind, scope, glob, whole } = argument;
  const line = argument["line"] ?? argument["lineNumber"];
  if (uri instanceof vscode.Uri) known.uri = uri;
  else if (typeof uri === "string" && uri) known.uri = vscode.Uri.parse(uri);
  if (typeof line === "number" && line >= 1) known.line = Math.floor(line);
  if (typeof symbol === "string" && symbol) known.symbol = symbol;
  if (typeof text === "string" && text.trim()) known.text = text;
  if (isKind(kind)) known.kind = kind;
  if (whole === true) known.whole = true;
  if (isScope(scope)) known.scope = typeof glob === "string" ? { scope, glob } : { scope };
  return known;
}

/** Where the user is, for what the caller left out. */
function withCursor(known: Known): Known {
  const editor = vscode.window.activeTextEditor;
  if (known.whole || known.line !== undefined || known.symbol !== undefined || editor?.document.uri.scheme !== "file") return known;
  if (known.uri && known.uri.toString() !== editor.document.uri.toString()) return known;
  return { ...known, uri: editor.document.uri, line: editor.selection.start.line + 1 };
}

/** The folder that a statement without a file belongs to. */
async function chosenFolder(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    const chosen = await vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("In which project?") });
    return chosen?.uri;
  }
  if (folders[0]) return folders[0].uri;
  void vscode.window.showInformationMessage(vscode.l10n.t("Open a folder first: memlsp remembers by project."));
  return undefined;
}

async function askPattern(where: Whereabouts | undefined): Promise<string | undefined> {
  const folder = where?.path.includes("/") ? where.path.slice(0, where.path.lastIndexOf("/") + 1) : "";
  const extension = /\.[^./]+$/.exec(where?.path ?? "")?.[0] ?? "";
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Remember"),
    prompt: vscode.l10n.t("For which files? A pattern from the folder's root"),
    value: `${folder}**/*${extension}`,
    ignoreFocusOut: true,
    validateInput: patternProblem,
  });
  return text === undefined || patternProblem(text) ? undefined : text.trim();
}

function titleOf(where: Whereabouts | undefined): string | undefined {
  if (!where) return undefined;
  const name = where.symbol || where.path;
  return vscode.l10n.t("Remember about {0}", harmless(name));
}

function spotOf(known: Known, where: Whereabouts | undefined): Pick<RememberParams, "line" | "symbol"> {
  if (where?.symbol) return { symbol: where.symbol }; // lines may have moved while it was written
  if (known.symbol) return { symbol: known.symbol };
  return known.line === undefined ? {} : { line: known.line };
}
