import { readdirSync, readFileSync } from 'node:fs';

// The scheduler counts the CPU time of a thread in nanoseconds. The ticks of `/proc/PID/stat` are too coarse: many
// backends that run for less than ten milliseconds each add up to almost nothing.

/**
 * Returns the CPU microseconds of a process with one thread, such as a PostgreSQL backend.
 * @throws {Error} If the process does not run on this machine, or the kernel has no `schedstat`.
 */
export const threadTime = (pid) => readSchedstat(`/proc/${pid}/schedstat`);

/**
 * Returns the CPU microseconds of each thread of these processes, by the IDs of the threads.
 * @throws {Error} If a process does not run on this machine, or the kernel has no `schedstat`.
 */
export function threadTimes(pids) {
  return new Map(pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).flatMap((thread) => timeOf(pid, thread))));
}

/** Returns the CPU microseconds between two results of `threadTimes()`. The time of ended threads is not included. */
export function timeBetween(before, after) {
  return Array.from(after, ([thread, time]) => time - (before.get(thread) ?? 0)).reduce((sum, time) => sum + time, 0);
}

function timeOf(pid, thread) {
  try {
    return [[thread, readSchedstat(`/proc/${pid}/task/${thread}/schedstat`)]];
  } catch (error) {
    // The thread ended after the folder was read.
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return [];
    throw error;
  }
}

/** The first field is the time on a CPU in nanoseconds. */
const readSchedstat = (path) => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1000;
