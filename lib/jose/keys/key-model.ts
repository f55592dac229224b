import type { Awaitable, Falsy } from '../../model/model.js';

/**
 * The model interface that stores the keys of a server, so that all its processes share them. The stored text is
 * encrypted.
 */
export interface KeyModel {
  /** Returns the text that `replaceSigningKeys` stored last, or a falsy value if nothing is stored. */
  getSigningKeys(): Awaitable<string | Falsy>;
  /**
   * Stores a new text if the stored text is still `old`. If `old` is `undefined`, stores it only if nothing is stored.
   * The comparison and the replacement must be one atomic step, even if several processes try at once.
   * @returns `true` if the new text was stored. A falsy value if the stored text is not `old`.
   */
  replaceSigningKeys(old: string | undefined, text: string): Awaitable<boolean | Falsy>;
}
