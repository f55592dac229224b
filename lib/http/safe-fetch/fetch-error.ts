/**
 * Why a fetch failed. `url`: the URL is not allowed. `address`: the host has no public address. `response`: the
 * response has a wrong status, type or size. `content`: the content is not valid. `network`: there was no response in
 * time, or its status was 429 or 5xx. `busy`: too many fetches are in progress.
 */
export type FetchErrorKind = 'url' | 'address' | 'response' | 'content' | 'network' | 'busy';

/** A failed fetch of a URL. The message is for the log only: the party that provided the URL must not read it. */
export class FetchError extends Error {
  override readonly name = 'FetchError';

  constructor(
    readonly kind: FetchErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the same fetch may succeed later: the kind is `network` or `busy`. */
  get isTemporary(): boolean {
    return this.kind === 'network' || this.kind === 'busy';
  }
}
