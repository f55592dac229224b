import type { Awaitable } from './model.js';

/** The state of a counter. */
export interface Count {
  /** The sum of the additions of the current window. `0` if no window is open. */
  count: number;
  /** Milliseconds until the window ends and the counter starts again. `0` if no window is open. */
  expiresIn: number;
}

/**
 * A model method for limits that all processes share. Its name is distinct from `count()`, which repositories of
 * databases have.
 */
export interface CountModel {
  /**
   * Adds to a counter and returns its new state. The first addition opens a window, which ends `seconds` later. Later
   * additions do not extend it. After its end, the next addition opens a new window.
   * @param key the name of the counter, a text of any length
   * @param seconds the length of a window that this call opens
   * @param by A positive number is added. A negative number is taken back, and the count never falls below 0. `0` only
   * reads. Default: `1`.
   */
  countWithin(key: string, seconds: number, by?: number): Awaitable<Count>;
}

/** Whether the model implements `countWithin()`. */
export const hasCounts = <M extends object>(model: M): model is M & CountModel =>
  typeof (model as Partial<CountModel>).countWithin === 'function';
