import { hasOnce } from '../../../lib/internal.js';
import type { OnceModel } from '../../../lib/index.js';
import { sha256 } from './jwt.js';

/** Seconds for which a store remembers a run. */
const REMEMBERED = 7 * 86_400;
/** Maximum number of runs that are looked up, for a store whose `once()` always returns `false`. */
const MAX_RUNS = 1000;

/** The number of runs of this process, by model and seed. */
const started = new WeakMap<object, Map<number, number>>();

/**
 * Returns the number of earlier runs with this seed at the same store, also of other processes. The first run gets `0`.
 * Values of the first run are used up afterwards, such as the `jti` of a client assertion.
 */
export async function countRun(model: Partial<OnceModel>, seed: number): Promise<number> {
  const known = started.get(model) ?? new Map<number, number>();
  started.set(model, known);
  const first = known.get(seed) ?? 0;
  for (let run = first; ; run += 1) {
    known.set(seed, run + 1);
    const isNew = !hasOnce(model) || (await model.once(sha256(JSON.stringify(['attack-lab', seed, run])), REMEMBERED));
    if (isNew || run - first >= MAX_RUNS) return run;
  }
}
