/**
 * Why something was not fetched: what is wrong with its URL, the address behind it, the answer, or what the answer says; or
 * that nobody answered in time, or only that there is trouble (5xx, 429); or too much is fetched already.
 */
export type FetchErrorKind = 'url' | 'address' | 'answer' | 'content' | 'network' | 'busy';

/** Something could not be fetched. The text is for the operator: whoever named the URL must not read it. */
export class FetchError extends Error {
  override readonly name = 'FetchError';

  constructor(
    readonly kind: FetchErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** May it be otherwise in a moment? */
  get isTemporary(): boolean {
    return this.kind === 'network' || this.kind === 'busy';
  }
}
