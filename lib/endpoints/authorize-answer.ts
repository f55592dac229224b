import { errorResponse } from '../error-response.js';
import type { OAuthError } from '../errors.js';
import type { Resolved } from '../response-types/resolved.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Client, User } from '../model/model.js';
import { answerError } from '../operation.js';
import type { Options } from '../options/settle.js';
import { readState } from '../response-types/authorization-request.js';
import { findResponseType } from '../response-types/destination.js';
import { errorMode, type ResponseMode } from '../response-types/response-mode.js';
import type { AuthorizationRequest, Destination, ResponseTypes } from '../response-types/response-type.js';
import { type Asked, reportRefused } from './authorize-events.js';

/** An authorization request on its way: who asks is known, and where the answer may go. */
export class Course implements Destination {
  readonly client: Client;
  readonly redirectUri: string;
  readonly redirectUriSent: boolean;
  /** Where its parameters come from elsewhere. */
  resolved: Resolved | undefined = undefined;
  /** Who is signed in, where that is known. */
  user: User | undefined = undefined;
  /** Did the user say no? */
  denied = false;
  /** What is asked, once that was read. */
  asked: AuthorizationRequest | undefined = undefined;
  /** The scope that was asked for. */
  scope: string | undefined = undefined;
  /** What a user would be granted of it. */
  grantable: { user: User; scope: string | undefined } | undefined = undefined;

  constructor(
    /** With all parameters: the one that was sent, or the one it stands for. */
    readonly request: Request,
    { client, redirectUri, redirectUriSent }: Destination,
    readonly issuer: string | undefined,
  ) {
    this.client = client;
    this.redirectUri = redirectUri;
    this.redirectUriSent = redirectUriSent;
  }
}

/** Tells the browser alone: there is nobody else to be told, or it is not theirs to hear. RFC 6749 §4.1.2.1 */
export function tellBrowser(
  { events }: Options,
  { error, request, response, ...asked }: Asked & { error: OAuthError; request: Request; response: Response },
): OAuthError {
  reportRefused(events, request, error, asked);
  return answerError(response, error);
}

/** Tells the client, by a redirect. RFC 6749 §4.1.2.1 */
export function tellClient(
  { events }: Options,
  types: ResponseTypes,
  { error, course, response }: { error: OAuthError; course: Course; response: Response },
): OAuthError {
  const { request } = course;
  reportRefused(events, request, error, course);
  const mode = errorMode(request, findResponseType(request, types) ?? CodeResponseType);
  redirect(response, course, { mode, state: stateOf(request), parameters: errorResponse(error) });
  return error;
}

/** Sends the answer where it may go, with what tells the client whose answer it is. RFC 9207 §2 */
export function redirect(
  response: Response,
  { redirectUri, issuer }: Course,
  { mode, state, parameters }: { mode: ResponseMode; state?: string | undefined; parameters: Record<string, string> },
): void {
  if (state !== undefined) parameters['state'] = state;
  if (issuer !== undefined) parameters['iss'] = issuer;
  response.headers['cache-control'] = 'no-store';
  response.redirect(answerUri(redirectUri, mode, parameters));
}

function stateOf(request: Request): string | undefined {
  try {
    return readState(request);
  } catch {
    // A state that cannot be read is the error being reported.
    return undefined;
  }
}

/** `uri` with the parameters of an answer added to its query, or as its fragment. RFC 6749 §4.1.2, §4.2.2 */
function answerUri(uri: string, mode: ResponseMode, parameters: Record<string, string>): string {
  // What was compared is what is answered to, to the letter, save that a path must be there to have a query.
  let answer = PATHLESS.test(uri) ? uri.replace(PATHLESS, '$&/') : uri;
  let separator = mode === 'fragment' ? '#' : querySeparator(answer);
  for (const name in parameters) {
    answer += `${separator}${name}=${encoded(parameters[name]!)}`;
    separator = '&';
  }
  return answer;
}

const PATHLESS = /^https?:\/\/[^/?]+(?=\?|$)/i;

function querySeparator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return uri.endsWith('?') ? '' : '&';
}

/** Codes and most states need no encoding, and to see that costs a tenth of doing it. */
const encoded = (value: string) => (/^[\w.~-]*$/.test(value) ? value : encodeURIComponent(value));
