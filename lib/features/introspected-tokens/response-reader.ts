import type { Awaitable } from '../../model/model.js';

/**
 * A reader of introspection responses that are not plain JSON, such as `signedResponses()` of `nest-oauth2/jose`.
 * RFC 9701
 */
export interface IntrospectionResponseReader {
  /** The media type of the responses, sent in the header `Accept`. A response of another type is rejected. */
  readonly type: string;
  /**
   * Validates a response and returns its content, with the members of RFC 7662 §2.2.
   * @param expected `audience` is the ID of the client that sent the request.
   * @throws {TemporarilyUnavailableError} If the response cannot be trusted.
   */
  read(text: string, expected: { audience: string }): Awaitable<unknown>;
}
