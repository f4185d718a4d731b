/** The context that the editor hands to `activate`, with what is kept in it in plain maps. */
import { tmpdir } from "node:os";
import * as path from "node:path";
import type * as vscode from "vscode";
import { EventEmitter, Uri } from "./vscode";

function memento(): vscode.Memento & { setKeysForSync(keys: readonly string[]): void } {
  const kept = new Map<string, unknown>();
  return {
    keys: () => [...kept.keys()],
    get: <T>(key: string, otherwise?: T) => (kept.has(key) ? (kept.get(key) as T) : (otherwise as T)),
    update: (key: string, value: unknown) => {
      kept.set(key, value);
      return Promise.resolve();
    },
    setKeysForSync: () => undefined,
  };
}

/** `root` is the folder of the extension. */
export function extensionContext(root: string): vscode.ExtensionContext {
  const storage = path.join(tmpdir(), "memlsp-no-such-storage");
  const context = {
    subscriptions: [],
    extensionUri: Uri.file(root),
    extensionPath: root,
    asAbsolutePath: (name: string) => path.join(root, name),
    extension: { id: "memlsp.memlsp", packageJSON: { version: "0.0.0" }, extensionUri: Uri.file(root) },
    globalStorageUri: Uri.file(storage),
    storageUri: undefined,
    logUri: Uri.file(path.join(storage, "log")),
    extensionMode: 3,
    globalState: memento(),
    workspaceState: memento(),
    secrets: { onDidChange: new EventEmitter<never>().event },
    environmentVariableCollection: {},
  };
  return context as unknown as vscode.ExtensionContext; // a test's context holds what is read here, and no more
}
