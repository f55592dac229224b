/**
 * Repeats a step with the given concurrency for `duration` milliseconds. Returns steps per second and the CPU time of
 * this process.
 */
export async function rate(step, { concurrency, duration }) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  let count = 0;
  const lane = async () => {
    while (performance.now() - start < duration) {
      if (!(await step())) throw new Error('A token was not found, not saved or not issued');
      count++;
      // Steps without a server would otherwise never leave the microtask queue.
      if (count % 64 === 0) await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (count / (performance.now() - start)) * 1000, microseconds: (user + system) / count };
}
