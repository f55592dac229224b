import type { Awaitable } from '../../model/model.js';

/**
 * Reads introspection responses that are not plain JSON, such as `signedResponses()` of `nest-oauth2/jose`. RFC 9701
 */
export interface IntrospectionResponseReader {
  /** The media type of the responses, which the request accepts. A response of another type is rejected. */
  readonly type: string;
  /**
   * Returns the content of a response, with the members of RFC 7662 §2.2.
   * @param expected `audience`: the id of the client that sent the request
   * @throws {TemporarilyUnavailableError} If the response cannot be trusted.
   */
  read(text: string, expected: { audience: string }): Awaitable<unknown>;
}
