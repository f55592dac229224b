import { callMethod } from '../model/adapt-model.js';
import { hasOnce } from '../model/has-once.js';
import type { OnceModel } from '../model/model.js';

/**
 * Records that a single-use value was used, by the model's `once()`, whatever style its methods have.
 * @param digest the hash of the value
 * @param seconds how long the model must remember the value
 * @returns whether the value may be used: `false` if it was used before. Always `true` for a model without `once()`.
 */
export async function consumeOnce(model: Partial<OnceModel>, digest: string, seconds: number): Promise<boolean> {
  return !hasOnce(model) || Boolean(await callMethod(model, 'once', [digest, seconds]));
}
