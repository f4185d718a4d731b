/**
 * After a commit it is still known why. What is seen is the head that moved by one commit of the user's own, made just
 * now: by the editor or in a terminal, but not by a pull, a checkout or a rebase.
 */
import * as vscode from "vscode";
import type { Git, GitCommit, GitRepository } from "./git";

/** How long ago a commit may have been made to count as made now, in milliseconds. */
const JUST_NOW = 60_000;

export interface Made {
  readonly root: vscode.Uri;
  readonly commit: string;
  readonly subject: string;
}

export class Commits implements vscode.Disposable {
  private readonly made = new vscode.EventEmitter<Made>();
  private readonly heads = new Map<string, string | undefined>();
  private readonly watched = new Map<string, vscode.Disposable>();
  private readonly ends: vscode.Disposable[] = [];
  readonly onDidMake = this.made.event;

  constructor(
    git: Git,
    private readonly now: () => number = Date.now,
  ) {
    for (const repository of git.repositories) this.watch(repository);
    this.ends.push(
      git.onDidOpenRepository((repository) => this.watch(repository)),
      git.onDidCloseRepository((repository) => this.leave(repository)),
    );
  }

  private watch(repository: GitRepository): void {
    const key = repository.rootUri.toString();
    if (this.watched.has(key)) return;
    this.heads.set(key, repository.state.HEAD?.commit);
    this.watched.set(
      key,
      repository.state.onDidChange(() => void this.look(key, repository)),
    );
  }

  private leave(repository: GitRepository): void {
    const key = repository.rootUri.toString();
    this.watched.get(key)?.dispose();
    this.watched.delete(key);
    this.heads.delete(key);
  }

  private async look(key: string, repository: GitRepository): Promise<void> {
    const head = repository.state.HEAD?.commit;
    const before = this.heads.get(key);
    if (head === before) return;
    this.heads.set(key, head);
    // a repository that was just opened has no head yet: what comes then was there before
    if (!head || !before) return;
    const commit = await found(repository, head);
    if (commit?.parents.length !== 1 || commit.parents[0] !== before) return;
    const age = this.now() - (commit.commitDate?.valueOf() ?? 0);
    if (age > JUST_NOW || !(await isMine(repository, commit))) return;
    const [subject = ""] = commit.message.split("\n", 1);
    this.made.fire({ root: repository.rootUri, commit: head, subject: subject.trim() });
  }

  dispose(): void {
    for (const end of [...this.ends, ...this.watched.values()]) end.dispose();
    this.made.dispose();
  }
}

async function found(repository: GitRepository, head: string): Promise<GitCommit | undefined> {
  try {
    return await repository.getCommit(head);
  } catch {
    return undefined;
  }
}

/** Whose address cannot be told counts as the user: a commit of this minute on top of the head mostly is theirs. */
async function isMine(repository: GitRepository, commit: GitCommit): Promise<boolean> {
  if (!commit.authorEmail) return true;
  try {
    const mine = await repository.getConfig("user.email");
    return !mine.trim() || mine.trim().toLowerCase() === commit.authorEmail.toLowerCase();
  } catch {
    return true;
  }
}
