import { callMethod } from '../model/adapt-model.js';
import { hasOnce } from '../model/has-once.js';
import type { OnceModel } from '../model/model.js';

/**
 * Consumes a single-use value by the model's `once()`, which may return a promise, be a generator or expect a callback.
 * @param digest The hash of the value.
 * @param seconds How long the model must remember the value.
 * @returns `false` if the value was used before. Always `true` for a model without `once()`.
 */
export async function consumeOnce(model: Partial<OnceModel>, digest: string, seconds: number): Promise<boolean> {
  return !hasOnce(model) || Boolean(await callMethod(model, 'once', [digest, seconds]));
}
