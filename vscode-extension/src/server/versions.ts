/** Versions of the server: which are read, which are enough. */

/** The oldest server that answers what this extension asks. */
export const OLDEST = "0.1.0";

/** Of Python, for the server. */
export const OLDEST_PYTHON: readonly [number, number] = [3, 11];

/** The version in what `memlsp --version` prints, undefined when it prints something else. */
export function readVersion(output: string): string | undefined {
  return /^memlsp,? (?:version )?v?(\d+(?:\.\d+)+[0-9a-z.+-]*)\s*$/im.exec(output)?.[1];
}

/** Less than 0 when `a` is older than `b`. A pre-release is older than its release; local parts do not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parsed(a), parsed(b)];
  for (let place = 0; place < Math.max(left.numbers.length, right.numbers.length); place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference) return difference;
  }
  if (left.tail === right.tail) return 0;
  if (!left.tail || !right.tail) return left.tail ? -1 : 1;
  return left.tail < right.tail ? -1 : 1;
}

function parsed(version: string): { numbers: number[]; tail: string } {
  const [, numbers = "0", tail = ""] = /^v?(\d+(?:\.\d+)*)[.-]?([^+]*)/.exec(version) ?? [];
  return { numbers: numbers.split(".").map(Number), tail };
}
