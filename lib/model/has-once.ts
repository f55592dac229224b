import { EventEmitter } from 'node:events';

import type { OnceModel } from './model.js';

/**
 * Whether the model implements `once()`, which consumes single-use values. `EventEmitter.prototype.once` does not
 * count.
 */
export const hasOnce = <M extends Partial<OnceModel>>(model: M): model is M & OnceModel =>
  Boolean(model.once) && model.once !== (EventEmitter.prototype.once as unknown);
