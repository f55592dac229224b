import { type AsyncHook, createHook } from 'node:async_hooks';

/** Counts what scrypt is asked on the threads of this process, and how much of it at a time. */
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

  /** How often it was asked while this went on. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const before = this.total;
    await work();
    return this.total - before;
  }

  stop(): void {
    this.hook.disable();
  }
}
