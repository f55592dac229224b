import type { Awaitable, Falsy } from '../../model/model.js';

/** Keeps the signing keys of a server, so that all its processes have the same. The text is sealed: nothing of a key can be read. */
export interface KeyModel {
  /** What `replaceSigningKeys` kept last; falsy: nothing yet. */
  getSigningKeys(): Awaitable<string | Falsy>;
  /**
   * Keeps other text, if what is kept still is `old`; undefined: if nothing is. In one step, however many processes try.
   * @returns falsy where it is not any more
   */
  replaceSigningKeys(old: string | undefined, text: string): Awaitable<boolean | Falsy>;
}
