/**
 * Holds callers of `arrive()` back until the expected number of them has arrived, then lets all of them continue at the
 * same moment. After a timeout, it no longer waits for missing callers.
 */
export class Barrier {
  private readonly waiting: (() => void)[] = [];
  private timer?: NodeJS.Timeout;

  /**
   * @param missing number of callers to wait for
   * @param patience Maximum milliseconds to wait for the remaining callers after the first one. Default: `2000`.
   */
  constructor(
    private missing: number,
    private readonly patience = 2000,
  ) {}

  async arrive(): Promise<void> {
    this.missing -= 1;
    if (this.missing <= 0) return this.open();
    this.timer ??= setTimeout(() => this.open(), this.patience);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private open(): void {
    clearTimeout(this.timer);
    this.missing = 0;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
