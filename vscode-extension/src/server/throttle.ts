/** Tells at once, and then at most once in so many milliseconds; the last is never lost. */
export class Throttle {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private waiting = false;

  constructor(
    private readonly milliseconds: number,
    private readonly tell: () => void,
  ) {}

  ask(): void {
    if (this.timer !== undefined) {
      this.waiting = true;
      return;
    }
    this.timer = setTimeout(() => this.elapsed(), this.milliseconds);
    this.tell();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = false;
  }

  private elapsed(): void {
    this.timer = undefined;
    if (!this.waiting) return;
    this.waiting = false;
    this.ask();
  }
}
