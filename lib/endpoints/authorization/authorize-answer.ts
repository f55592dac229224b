import { errorResponse } from '../../http/error-response.js';
import { type OAuthError, toOAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Resolved } from '../../contracts/resolved.js';
import { CodeResponseType } from '../../features/authorization-code/code-response.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { Client, User } from '../../model/model.js';
import { answerError } from '../operation.js';
import type { Options } from '../../options/settle.js';
import { readState } from './authorization-request.js';
import { findResponseType } from './destination.js';
import { errorMode, type UsualMode } from '../../contracts/response-mode.js';
import type { AuthorizationRequest, Destination } from '../../contracts/response-type.js';
import { type Asked, reportAuthorizationRefusal } from './authorize-events.js';

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
  /** Whether all parameters were read and found valid. */
  isValid = false;
  /** Was it found out what must happen before it is decided? */
  isPrompted = false;
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
  reportAuthorizationRefusal(events, request, error, asked);
  return answerError(response, error);
}

/** Tells the client, as it wants its answer. RFC 6749 §4.1.2.1 */
export async function tellClient(
  options: Options,
  server: ServerContext,
  { error, course, response }: { error: OAuthError; course: Course; response: Response },
): Promise<OAuthError> {
  const { request } = course;
  reportAuthorizationRefusal(options.events, request, error, course);
  const ResponseType = findResponseType(request, server.responseTypes) ?? CodeResponseType;
  const mode = errorMode(request, ResponseType, server.responseModes);
  const { mode: usual } = ResponseType;
  const answer = { mode, usual, state: stateOf(request), parameters: errorResponse(error) };
  try {
    await send(response, course, answer, server);
    return error;
  } catch (failure) {
    // In another mode than the one that it wants, the client would believe less than it is told.
    const { client, user, issuer } = course;
    return tellBrowser(options, { error: toOAuthError(failure), request, response, client, user, issuer });
  }
}

/** Sends what was granted, as the client wants it. */
export async function sendGranted(
  response: Response,
  course: Course,
  parameters: Record<string, string>,
  server: ServerContext,
): Promise<void> {
  const { responseMode: mode, responseType, state } = course.asked!;
  const { mode: usual } = server.responseTypes.get(responseType)!;
  await send(response, course, { mode, usual, state, parameters }, server);
}

/** An answer as it is to be sent. */
interface Sent {
  /** By which mode. */
  mode: string;
  usual: UsualMode;
  state?: string | undefined;
  parameters: Record<string, string>;
}

/** Sends the answer where it may go, with what tells the client whose answer it is. RFC 9207 §2 */
async function send(
  response: Response,
  { client, redirectUri, issuer }: Course,
  { mode, usual, state, parameters }: Sent,
  server: ServerContext,
): Promise<void> {
  if (state !== undefined) parameters['state'] = state;
  if (issuer !== undefined) parameters['iss'] = issuer;
  response.headers['cache-control'] = 'no-store';
  const answer = { client, redirectUri, parameters, usual, issuer };
  await server.responseModes.get(mode)!.write(response, answer, server);
}

function stateOf(request: Request): string | undefined {
  try {
    return readState(request);
  } catch {
    // A state that cannot be read is the error being reported.
    return undefined;
  }
}
