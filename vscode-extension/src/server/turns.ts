/** Work that is done one after the other, never beside itself: asked for again meanwhile, it is abandoned and done anew. */
export class Turns {
  private current: Promise<void> | undefined;
  private again = false;
  private attempt = new AbortController();

  constructor(
    /** Heeds the signal: nobody waits for what it does any more. */
    private readonly work: (abandoned: AbortSignal) => Promise<void>,
  ) {}

  /** Resolves when the work was done to its end after this. */
  take(): Promise<void> {
    if (this.current) {
      this.again = true;
      this.attempt.abort();
    } else {
      this.current = this.untilDone().finally(() => (this.current = undefined));
    }
    return this.current;
  }

  /** Abandons what is done now. */
  abandon(): void {
    this.again = false;
    this.attempt.abort();
  }

  private async untilDone(): Promise<void> {
    do {
      this.again = false;
      this.attempt = new AbortController();
      await this.work(this.attempt.signal);
    } while (this.isWanted());
  }

  private isWanted(): boolean {
    return this.again;
  }
}
