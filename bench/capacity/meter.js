/** Measures the CPU time and the memory of this process. */
export class Meter {
  pids = [process.pid];
  #cpu;

  begin() {
    globalThis.gc?.({ type: 'minor' });
    this.#cpu = process.cpuUsage();
  }

  /** Returns the CPU microseconds since `begin()`, and the resident memory of each process in bytes. */
  end() {
    const { user, system } = process.cpuUsage(this.#cpu);
    return { microseconds: user + system, memory: [process.memoryUsage.rss()] };
  }
}
