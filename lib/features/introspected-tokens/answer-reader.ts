import type { Awaitable } from '../../model/model.js';

/** Reads answers of introspection that are no plain JSON. `signedAnswers()` of `nest-oauth2/jose` is one. RFC 9701 */
export interface AnswerReader {
  /** The media type that is asked for; another one is no answer. */
  readonly type: string;
  /**
   * What an answer says, in the members of RFC 7662 §2.2.
   * @param by `audience`: the client that has asked
   * @throws TemporarilyUnavailableError for an answer that is not to be believed
   */
  read(text: string, by: { audience: string }): Awaitable<unknown>;
}
