import type { Awaitable } from '../../model/model.js';

/** Reads answers of introspection that are no plain JSON. `signedResponses()` of `nest-oauth2/jose` is one. RFC 9701 */
export interface IntrospectionResponseReader {
  /** The media type that is asked for; another one is no answer. */
  readonly type: string;
  /**
   * What an answer says, in the members of RFC 7662 §2.2.
   * @param expected `audience`: the client that has asked
   * @throws TemporarilyUnavailableError for an answer that is not to be believed
   */
  read(text: string, expected: { audience: string }): Awaitable<unknown>;
}
