/** How often a server that ended by itself is started again, and how soon. */

const MOST = 4;
const WITHIN = 3 * 60_000;

/** Milliseconds before each new start; the first one is at once, for a server that somebody ended. */
const PAUSES = [0, 1_000, 3_000] as const;

export class Restarts {
  private ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** Notes an end. The pause in milliseconds before the next start, undefined when it ends too often. */
  next(): number | undefined {
    const moment = this.now();
    this.ends = [...this.ends.filter((end) => moment - end < WITHIN), moment];
    if (this.ends.length >= MOST) return undefined;
    return PAUSES[this.ends.length - 1];
  }

  /** Somebody asked for a start: what was before does not count. */
  forget(): void {
    this.ends = [];
  }
}
