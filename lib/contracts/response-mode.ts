import { InvalidRequestError } from '../errors/index.js';
import { FORM_OR_URL, optional } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, CoreClient } from '../model/model.js';

/**
 * The response mode that a response type uses if the authorization request contains no `response_mode`. OAuth 2.0
 * Multiple Response Types §2.1
 */
export type DefaultResponseMode = 'query' | 'fragment';

/** A successful or failed authorization response that is to be sent to the client. RFC 6749 §4.1.2, §4.2.2 */
export interface OutgoingResponse {
  readonly client: CoreClient;
  /** The verified redirect URI, including its registered query. */
  readonly redirectUri: string;
  /** All parameters of the response, including `state` and `iss`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The response mode that applies if the request contains no `response_mode`. */
  readonly defaultMode: DefaultResponseMode;
  readonly issuer: string | undefined;
}

/** A way to send an authorization response to the client. OAuth 2.0 Multiple Response Types §2.1 */
export interface ResponseModeOf<Server> {
  /**
   * Whether the response may appear in server logs and `Referer` headers, as a query does. Responses whose default mode
   * is `fragment` contain tokens and cannot use such a mode. OAuth 2.0 Multiple Response Types §5
   */
  readonly exposed?: boolean;
  /**
   * Writes the response: a redirect, or a page with status 200. If it throws, an error page is rendered, and the error
   * is not returned to the client.
   */
  write(response: Response, outgoing: OutgoingResponse, server: Server): Awaitable<void>;
}

/** The response modes of a server, by `response_mode`. */
export type ResponseModes = ReadonlyMap<string, Pick<ResponseModeOf<never>, 'exposed'>>;

/** The part of a response type that determines its default response mode. */
interface WithDefaultMode {
  readonly mode: DefaultResponseMode;
}

/**
 * Whether a response with this default mode may be sent with the given mode. A mode that exposes the response cannot
 * replace `fragment`.
 */
export const isModeAllowed = (
  { exposed }: Pick<ResponseModeOf<never>, 'exposed'>,
  defaultMode: DefaultResponseMode,
): boolean => !exposed || defaultMode === 'query';

/**
 * Reads the parameter `response_mode`. If it is missing, the default mode of the response type is returned.
 * @throws {InvalidRequestError} If the mode is unknown, or not allowed for the response type.
 */
export function readResponseMode(
  request: Request,
  { mode: defaultMode }: WithDefaultMode,
  modes: ResponseModes,
): string {
  const isAllowed = (name: string) => modes.has(name) && isModeAllowed(modes.get(name)!, defaultMode);
  return optional(request, 'response_mode', isAllowed, FORM_OR_URL) ?? defaultMode;
}

/**
 * Returns the response mode for an error response. If `response_mode` is invalid, the default mode of the response type
 * is used.
 */
export function errorResponseMode(request: Request, responseType: WithDefaultMode, modes: ResponseModes): string {
  try {
    return readResponseMode(request, responseType, modes);
  } catch (error) {
    if (error instanceof InvalidRequestError) return responseType.mode;
    throw error;
  }
}
