/** Work that is asked for often and done seldom: after a pause, one at a time, once more if it was asked for since. */
import type { Disposable } from "vscode";

export class Debounce implements Disposable {
  private timer: NodeJS.Timeout | undefined;
  private working = false;
  private again = false;
  private ended = false;

  /** `pause` is in milliseconds. What fails is not tried again before it is asked for again. */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly pause: number,
  ) {}

  ask(): void {
    if (this.ended || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.begin();
    }, this.pause);
  }

  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private async begin(): Promise<void> {
    if (this.working) {
      this.again = true;
      return;
    }
    this.working = true;
    try {
      await this.work();
    } catch {
      // whoever does the work shows what went wrong where it belongs
    } finally {
      this.working = false;
      if (this.again) {
        this.again = false;
        this.ask();
      }
    }
  }
}
