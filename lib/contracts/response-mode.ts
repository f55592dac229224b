import { InvalidRequestError } from '../errors/index.js';
import { FORM_OR_URL, optional } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, CoreClient } from '../model/model.js';

/** Where an answer travels whose request says nothing of it. OAuth 2.0 Multiple Response Types §2.1 */
export type DefaultResponseMode = 'query' | 'fragment';

/** An answer on its way to a client, errors too. RFC 6749 §4.1.2, §4.2.2 */
export interface OutgoingResponse {
  readonly client: CoreClient;
  /** Trusted, and with all that is registered of it. */
  readonly redirectUri: string;
  /** All of them, `state` and `iss` too. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where the answer would travel if its request had not said otherwise. */
  readonly defaultMode: DefaultResponseMode;
  readonly issuer: string | undefined;
}

/** One way for an answer to travel. OAuth 2.0 Multiple Response Types §2.1 */
export interface ResponseModeOf<Server> {
  /**
   * Does the answer stand where logs and Referer headers have it? Then no response type uses it whose answer usually travels
   * in the fragment: that holds tokens. OAuth 2.0 Multiple Response Types §5
   */
  readonly exposed?: boolean;
  /** Writes the answer: a redirect, or a page with status 200. What it throws is told to the browser, never to the client. */
  write(response: Response, outgoing: OutgoingResponse, server: Server): Awaitable<void>;
}

/** Those of a server, by `response_mode`. */
export type ResponseModes = ReadonlyMap<string, Pick<ResponseModeOf<never>, 'exposed'>>;

/** The mode of a response type. */
interface WithDefaultMode {
  readonly mode: DefaultResponseMode;
}

/** May what usually travels so travel by this mode? */
export const isModeAllowed = (
  { exposed }: Pick<ResponseModeOf<never>, 'exposed'>,
  defaultMode: DefaultResponseMode,
): boolean => !exposed || defaultMode === 'query';

/** Reads how the client wants its answer; left out, as the response type has it. */
export function readResponseMode(request: Request, { mode: usual }: WithDefaultMode, modes: ResponseModes): string {
  const isGood = (name: string) => modes.has(name) && isModeAllowed(modes.get(name)!, usual);
  return optional(request, 'response_mode', isGood, FORM_OR_URL) ?? usual;
}

/** The mode of an error answer: one that cannot be read is the error being reported. */
export function errorResponseMode(request: Request, responseType: WithDefaultMode, modes: ResponseModes): string {
  try {
    return readResponseMode(request, responseType, modes);
  } catch (error) {
    if (error instanceof InvalidRequestError) return responseType.mode;
    throw error;
  }
}
