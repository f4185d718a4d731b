/** The interpreter that the user selected in the Python extension, if there is one. */
import * as vscode from "vscode";

/** As much of the Python extension's interface as is used here. */
interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): unknown;
  resolveEnvironment(environment: unknown): Promise<unknown>;
  onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
}

const PYTHON = "ms-python.python";

/** Milliseconds that the Python extension may take: it looks for environments when it starts. */
const PATIENCE = 5_000;

/** The selected interpreter's executable for the first folder. Waits for the Python extension, but not for long. */
export async function selectedInterpreter(): Promise<string | undefined> {
  const environments = await within(PATIENCE, environmentsOf(vscode.extensions.getExtension(PYTHON)));
  if (!environments) return undefined;
  const selected = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const resolved = await within(PATIENCE, environments.resolveEnvironment(selected).catch(() => undefined));
  const uri = property(property(resolved, "executable"), "uri");
  const path = property(uri, "fsPath");
  return typeof path === "string" ? path : undefined;
}

/** Tells when another interpreter is selected, from the moment on at which the Python extension runs. */
export function watchInterpreter(changed: () => void): vscode.Disposable {
  let listening: vscode.Disposable | undefined;
  let ended = false;
  void environmentsOf(vscode.extensions.getExtension(PYTHON)).then((environments) => {
    if (!ended) listening = environments?.onDidChangeActiveEnvironmentPath?.(() => changed());
  });
  return new vscode.Disposable(() => {
    ended = true;
    listening?.dispose();
  });
}

async function environmentsOf(extension: vscode.Extension<unknown> | undefined): Promise<Environments | undefined> {
  if (!extension) return undefined;
  try {
    const environments = property(await extension.activate(), "environments");
    return isEnvironments(environments) ? environments : undefined;
  } catch {
    return undefined;
  }
}

function isEnvironments(value: unknown): value is Environments {
  return (
    typeof property(value, "getActiveEnvironmentPath") === "function" &&
    typeof property(value, "resolveEnvironment") === "function"
  );
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
