import { type AsyncHook, createHook } from 'node:async_hooks';

/** Counts the scrypt calls of this process, in total and at the same time. */
export class ScryptCount {
  total = 0;
  atOnce = 0;
  private readonly running = new Set<number>();
  private readonly hook: AsyncHook = createHook({
    init: (id, type) => {
      if (type !== 'SCRYPTREQUEST') return;
      this.running.add(id);
      this.total++;
      this.atOnce = Math.max(this.atOnce, this.running.size);
    },
    before: (id) => this.running.delete(id),
  }).enable();

  /** Returns the number of calls during this work. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const before = this.total;
    await work();
    return this.total - before;
  }

  stop(): void {
    this.hook.disable();
  }
}
