/** "Remember why" of a commit: which of the symbols that it changed, what is to be known about it, and of which kind. */
import * as vscode from "vscode";
import type { Memory } from "../memory";
import type { Belief, CommitAnswer, CommitSymbol, Kind, RememberParams } from "../wire";
import { report } from "./actions";
import { harmless, quoted, statementProblem } from "./asked";
import { kindChoices } from "./kinds";
import { isRecord } from "./named";
import { placeText } from "./places";
import type { Remembering } from "./remembering";
import { askChoice, askSeveral, askText, type Step, walk } from "./steps";

/** Which commit of which repository; the newest one of the folder when it is left out. */
export interface CommitName {
  readonly root: string;
  readonly commit?: string;
}

export class WhyCommit {
  /** What was typed about a commit and not used yet. */
  private readonly drafts = new Map<string, string>();

  constructor(
    private readonly memory: Memory,
    private readonly remembering: Remembering,
  ) {}

  /** `memlsp.rememberCommit`: {root, commit}, or nothing for the newest commit where the user is. */
  async ask(argument?: unknown): Promise<Belief | undefined> {
    const name = commitNamed(argument) ?? (await commitHere());
    if (!name) return undefined;
    let done: CommitAnswer;
    try {
      done = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Reading the commit…") },
        (_, token) =>
          this.memory.ask(
            "memlsp/commit",
            name.commit ? { uri: name.root, commit: name.commit } : { uri: name.root },
            token,
          ),
      );
    } catch (error) {
      report(error);
      return undefined;
    }
    const params = await this.askAbout(done, name);
    if (!params) return undefined;
    const belief = await this.remembering.keep(params);
    if (belief) this.drafts.delete(done.commit);
    return belief;
  }

  private async askAbout(done: CommitAnswer, name: CommitName): Promise<RememberParams | undefined> {
    const title = vscode.l10n.t("Why: {0}", quoted(done.subject, 80));
    let about: CommitSymbol[] = done.symbols.slice(0, 1);
    let text = this.drafts.get(done.commit) ?? "";
    let kind: Kind | undefined;
    const steps: Step[] = [];
    if (done.symbols.length > 0) {
      steps.push((place) =>
        askSeveral(
          {
            title,
            placeholder: vscode.l10n.t("About which code? It is told when that changes"),
            choices: done.symbols.map((symbol) => ({
              label: harmless(symbol.symbol || symbol.path),
              description: harmless(symbol.symbol ? symbol.path : ""),
              detail: quoted(symbol.sentence, 200),
              value: symbol,
            })),
            chosen: (values) => (about = values),
          },
          place,
          (value) => about.includes(value),
        ),
      );
    }
    steps.push(
      (place) =>
        askText(
          {
            title,
            prompt: vscode.l10n.t("Why was it done so? What should somebody know who comes here next?"),
            value: text,
            problem: statementProblem,
            typed: (typed) => {
              text = typed;
              this.drafts.set(done.commit, typed);
            },
          },
          place,
        ),
      (place) =>
        askChoice(
          {
            title,
            placeholder: vscode.l10n.t("What kind of statement is it?"),
            choices: kindChoices(),
            active: (value) => value === kind,
            chosen: (value) => (kind = value),
          },
          place,
        ),
    );
    if (!(await walk(steps))) return undefined;
    const [first, ...others] = about;
    const params: RememberParams = { text: text.trim(), uri: name.root };
    if (kind) params.kind = kind;
    if (!first) return { ...params, scope: "workspace" };
    params.uri = vscode.Uri.joinPath(vscode.Uri.parse(name.root), first.path).toString();
    if (first.symbol) params.symbol = first.symbol;
    if (others.length > 0) params.also = others.map((each) => placeText(each.path, each.symbol));
    return params;
  }
}

function commitNamed(argument: unknown): CommitName | undefined {
  if (!isRecord(argument)) return undefined;
  // the menu of source control hands over its repository
  const uri = argument["rootUri"];
  if (uri instanceof vscode.Uri) return { root: uri.toString() };
  const { root, commit } = argument;
  if (typeof root !== "string" || !root) return undefined;
  return typeof commit === "string" && commit ? { root, commit } : { root };
}

async function commitHere(): Promise<CommitName | undefined> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const folder = uri?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  if (folder) return { root: folder.uri.toString() };
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    const chosen = await vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("In which project?") });
    return chosen && { root: chosen.uri.toString() };
  }
  return folders[0] && { root: folders[0].uri.toString() };
}
