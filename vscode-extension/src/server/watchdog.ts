/**
 * Notices a server that hangs: stopped, deadlocked, or in an endless loop.
 *
 * Nothing is asked while nothing happens. When something was sent and nothing came back, one cheap request asks for a sign
 * of life, and any byte counts as one: a server that is busy but says something is left alone.
 */

/** Milliseconds between two looks. */
const LOOK = 5_000;

/** How many looks in a row may find silence: 45 seconds. Looks are counted, so that a machine that slept is no silence. */
const PATIENCE = 9;

/** Bytes that went to and came from the server, ever. */
export interface Traffic {
  readonly sent: number;
  readonly heard: number;
}

export interface Watched {
  readonly traffic: () => Traffic;
  /** A request that costs nothing; it may be refused. */
  readonly ask: () => Promise<unknown>;
  /** Called once, with the seconds of silence. */
  readonly hangs: (seconds: number) => void;
}

export class Watchdog {
  private readonly timer: ReturnType<typeof setInterval>;
  private silent = 0;
  private heard = 0;
  /** What had been sent when the server last answered for all of it. */
  private answered = 0;

  constructor(private readonly watched: Watched) {
    this.settle();
    this.timer = setInterval(() => this.look(), LOOK);
  }

  dispose(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { sent, heard } = this.watched.traffic();
    if (heard !== this.heard) this.silent = 0;
    else if (this.silent > 0 || sent !== this.answered) this.silent += 1;
    this.heard = heard;
    if (this.silent === 1) this.ask();
    if (this.silent <= PATIENCE) return;
    this.dispose();
    this.watched.hangs((PATIENCE * LOOK) / 1000);
  }

  private ask(): void {
    const settle = (): void => this.settle();
    this.watched.ask().then(settle, settle);
  }

  private settle(): void {
    const { sent, heard } = this.watched.traffic();
    this.answered = sent;
    this.heard = heard;
    this.silent = 0;
  }
}
