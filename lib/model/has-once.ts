import { EventEmitter } from 'node:events';

import type { OnceModel } from './model.js';

/** Does the model remember what may happen only once? The `once` of an event emitter is another. */
export const hasOnce = <M extends Partial<OnceModel>>(model: M): model is M & OnceModel =>
  Boolean(model.once) && model.once !== (EventEmitter.prototype.once as unknown);
