/**
 * The machine as far as a server is looked for on it: its platform, its variables, its files, and running programs.
 *
 * One value that tests replace, so that every branch of the search can be walked without a process.
 */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { type Run, run } from "./processes";

export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly run: Run;
  /** The path without links when there is a file that may be run, undefined otherwise. */
  program(path: string): Promise<string | undefined>;
  /** The path without links, or the path itself where there is nothing. */
  real(path: string): Promise<string>;
}

/** The machine that this runs on. */
export function thisMachine(): Surroundings {
  return {
    platform: process.platform,
    arch: process.arch,
    env: cleaned(process.env),
    home: homedir(),
    run,
    program: async (path) => {
      try {
        const target = await realpath(path);
        if (!(await stat(target)).isFile()) return undefined;
        await access(target, constants.X_OK);
        return target;
      } catch {
        return undefined;
      }
    },
    real: async (path) => realpath(path).catch(() => path),
  };
}

/**
 * Variables for the server and for the programs that install it: the user's, without those that would lead a Python to
 * code from elsewhere and without the editor's own. What pip and uv are configured with stays.
 */
export function cleaned(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !LEADS_ASTRAY.test(name)) kept[name] = value;
  }
  return kept;
}

const LEADS_ASTRAY = /^(PYTHON.*|__PYVENV_LAUNCHER__|VIRTUAL_ENV.*|CONDA_PREFIX|CONDA_DEFAULT_ENV|ELECTRON_.*|VSCODE_.*|NODE_OPTIONS)$/i;
