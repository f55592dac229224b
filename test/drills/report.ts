import type { Load, Loss } from './load.js';

/** Prints the figures of a drill on one line. */
export function report(drill: string, load: Load, figures: Readonly<Record<string, string | number>>): void {
  const statuses = [...load.statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`);
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stderr.write(`DRILL ${drill}: ${[...texts, `responses ${statuses.join(', ')}`].join('; ')}\n`);
}

/** Formats a number of seconds. */
export const seconds = (value: number) => `${value.toFixed(2)} s`;

/** Returns the figures of the recovery after a moment. */
export function recoveryFigures(load: Load, since: number): Record<string, string> {
  const { firstWrite, allWorkers, lastUnavailable } = load.recovery(since);
  return {
    'first write after': seconds(firstWrite),
    'every client writes after': seconds(allWorkers),
    'last 503 after': seconds(lastUnavailable),
  };
}

/** Returns the figures of the acknowledged writes that a database lost. */
export const lossFigures = (acknowledged: number, { accessTokens, reusable }: Loss) => ({
  'acknowledged tokens': acknowledged,
  'lost tokens': accessTokens.length,
  'reusable codes and refresh tokens': reusable.length,
});
