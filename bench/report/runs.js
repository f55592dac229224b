import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../results/', import.meta.url);
const parts = ['inProcess', 'http', 'scaling', 'leak', 'startup'];

/** Keeps what a run measured, under the time it ended. */
export function keepRun(results) {
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(new URL(name, folder), JSON.stringify(results, null, 2));
}

/** The latest runs that measured everything on a machine like this one's, the newest last. */
export function latestWholeRuns(count, machine) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .filter((run) => !run.brief && parts.every((part) => run[part]) && sameMachine(run.machine, machine))
    .slice(-count);
}

const sameMachine = (a, b) => JSON.stringify(a) === JSON.stringify(b);
