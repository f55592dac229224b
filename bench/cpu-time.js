import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the CPU microseconds of a process with one thread, such as a PostgreSQL backend, as the scheduler counts them
 * in nanoseconds. The ticks of `/proc/PID/stat` are too coarse: many backends that run for less than ten milliseconds
 * each add up to almost nothing.
 * @throws {Error} If the process does not run on this machine, or the kernel has no `schedstat`.
 */
export const threadTime = (pid) => readSchedstat(`/proc/${pid}/schedstat`);

/**
 * Returns the CPU microseconds of all threads that a process has now.
 * @throws {Error} If the process does not run on this machine, or the kernel has no `schedstat`.
 */
export function processTime(pid) {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readSchedstat(`/proc/${pid}/task/${thread}/schedstat`),
  );
  return times.reduce((sum, time) => sum + time, 0);
}

/** The first field is the time on a CPU in nanoseconds. */
const readSchedstat = (path) => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1000;
