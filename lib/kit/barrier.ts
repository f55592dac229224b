/** Holds everybody back until all have come, so that a race starts at one moment. */
export class Barrier {
  private readonly waiting: (() => void)[] = [];
  private timer?: NodeJS.Timeout;

  /**
   * @param missing how many will come
   * @param patience milliseconds to wait for those who do not
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
