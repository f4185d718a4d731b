/**
 * Programs by name, as the PATH of the user finds them and nothing else: never one inside the workspace, never one that
 * is only there because of the current folder, never a script that would need a shell.
 */
import * as path from "node:path";
import type { Surroundings } from "./surroundings";

/** The program's absolute path as the PATH has it, undefined when there is none outside of `folders`. */
export async function lookUp(
  name: string,
  surroundings: Surroundings,
  folders: readonly string[],
): Promise<string | undefined> {
  for await (const found of lookUpAll(name, surroundings, folders)) return found;
  return undefined;
}

/** Every such program, in the order of the PATH. */
export async function* lookUpAll(
  name: string,
  surroundings: Surroundings,
  folders: readonly string[],
): AsyncGenerator<string> {
  const windows = surroundings.platform === "win32";
  const paths = windows ? path.win32 : path.posix;
  const file = windows && !/\.(exe|com)$/i.test(name) ? `${name}.exe` : name;
  const seen = new Set<string>();
  for (const entry of pathOf(surroundings).split(paths.delimiter)) {
    const folder = entry.replace(/^"(.*)"$/, "$1");
    if (!paths.isAbsolute(folder) || seen.has(folder)) continue;
    seen.add(folder);
    const candidate = paths.join(folder, file);
    const target = await surroundings.program(candidate);
    if (target === undefined) continue;
    if (await liesWithin(candidate, surroundings, folders)) continue;
    if (await liesWithin(target, surroundings, folders)) continue;
    yield candidate;
  }
}

/** Whether a path lies in one of the folders, with and without links. */
export async function liesWithin(
  candidate: string,
  surroundings: Surroundings,
  folders: readonly string[],
): Promise<boolean> {
  const paths = surroundings.platform === "win32" ? path.win32 : path.posix;
  const within = (inner: string, outer: string): boolean => {
    const way = paths.relative(outer, inner);
    return way === "" || (way !== ".." && !/^\.\.[\\/]/.test(way) && !paths.isAbsolute(way));
  };
  // the folder's links are followed, not the file's own: a link in the workspace is a thing of the workspace
  const real = paths.join(await surroundings.real(paths.dirname(candidate)), paths.basename(candidate));
  for (const folder of folders) {
    const outer = await surroundings.real(folder);
    if (within(candidate, folder) || within(real, outer)) return true;
  }
  return false;
}

function pathOf({ env, platform }: Surroundings): string {
  if (platform !== "win32") return env["PATH"] ?? "";
  return Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
}
