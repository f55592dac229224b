import type { Awaitable, Falsy } from '../../model/model.js';

/**
 * The model interface that stores the keys of a server, so that all its processes share them. The stored text is
 * encrypted.
 */
export interface KeyModel {
  /** Returns the text that `replaceSigningKeys` stored last, or a falsy value if nothing is stored. */
  getSigningKeys(): Awaitable<string | Falsy>;
  /**
   * Stores a new text if the stored text is still `old` (`undefined`: if nothing is stored). The comparison and the
   * replacement must be atomic, even if several processes try at once.
   * @returns A falsy value if the stored text was no longer `old`.
   */
  replaceSigningKeys(old: string | undefined, text: string): Awaitable<boolean | Falsy>;
}
