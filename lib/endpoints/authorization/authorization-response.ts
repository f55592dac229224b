import { errorResponseMode, type DefaultResponseMode } from '../../contracts/response-mode.js';
import type { AuthorizationRequest, Destination } from '../../contracts/response-type.js';
import { type OAuthError, toOAuthError } from '../../errors/index.js';
import { errorResponse } from '../../http/error-response.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { Awaitable, User } from '../../model/model.js';
import { respondWithError } from '../operation.js';
import type { AuthorizationContext } from './authorization-context.js';
import { type RefusedAuthorization, reportAuthorizationRefusal } from './authorization-events.js';
import { readState } from './authorization-request.js';
import { mayRedirectError } from './deferred-error.js';
import { defaultResponseType, findResponseType } from './destination.js';

/** The properties of an authorization transaction that its response depends on. */
export interface RespondingTransaction extends Destination {
  readonly effectiveRequest: Request;
  readonly issuer: string | undefined;
  readonly user: User | undefined;
  readonly denied: boolean;
  readonly isValid: boolean;
  readonly request: AuthorizationRequest | undefined;
}

/**
 * Renders an error page in the browser, because the client is unknown or the error must not be redirected to it.
 * Returns the error. RFC 6749 §4.1.2.1
 */
export function renderError(
  { options }: AuthorizationContext,
  {
    error,
    effectiveRequest,
    response,
    ...details
  }: RefusedAuthorization & { error: OAuthError; effectiveRequest: Request; response: Response },
): OAuthError {
  reportAuthorizationRefusal(options.events, effectiveRequest, error, details);
  return respondWithError(response, error);
}

/**
 * Returns an error to the client, or renders it as an error page if a redirect to the client is not allowed yet. For a
 * dry run, it writes nothing.
 */
export async function sendError(
  context: AuthorizationContext,
  transaction: RespondingTransaction,
  thrown: unknown,
  response: Response,
): Promise<OAuthError> {
  const error = toOAuthError(thrown);
  if (context.isDryRun) return error;
  if (mayRedirectError(transaction, context.server)) return await redirectError(context, transaction, error, response);
  const { client, effectiveRequest, issuer } = transaction;
  // The authenticate handler may already have redirected the browser to its login page.
  delete response.headers['location'];
  return renderError(context, { error, effectiveRequest, response, client, issuer });
}

/** Sends the error to the client in the response mode of the request. RFC 6749 §4.1.2.1 */
async function redirectError(
  context: AuthorizationContext,
  transaction: RespondingTransaction,
  error: OAuthError,
  response: Response,
): Promise<OAuthError> {
  const { options, server } = context;
  const { client, effectiveRequest, user, issuer } = transaction;
  reportAuthorizationRefusal(options.events, effectiveRequest, error, transaction);
  const type = findResponseType(effectiveRequest, server.responseTypes) ?? defaultResponseType(server.responseTypes);
  const mode = errorResponseMode(effectiveRequest, type, server.responseModes);
  const { mode: defaultMode } = type;
  try {
    const parameters = errorResponse(error);
    await sendResponse(
      context,
      transaction,
      { mode, defaultMode, state: stateOf(effectiveRequest), parameters },
      response,
    );
    return error;
  } catch (failure) {
    // Never use another response mode: the client only trusts the requested one.
    return renderError(context, { error: toOAuthError(failure), effectiveRequest, response, client, user, issuer });
  }
}

/**
 * Sends a successful response, with the parameters that features add, in the response mode of the request. The result
 * is a promise only if a feature adds parameters, or if the response mode returns one.
 */
export function sendGranted(
  context: AuthorizationContext,
  transaction: RespondingTransaction,
  parameters: Record<string, string>,
  response: Response,
): Awaitable<void> {
  const { hooks, responseTypes } = context.server;
  const { responseMode: mode, responseType, state } = transaction.request!;
  const { mode: defaultMode } = responseTypes.get(responseType)!;
  const toSend = { mode, defaultMode, state, parameters };
  if (hooks.authorization.respond.length > 0) return sendExtended(context, transaction, toSend, response);
  return sendResponse(context, transaction, toSend, response);
}

async function sendExtended(
  context: AuthorizationContext,
  transaction: RespondingTransaction,
  toSend: ResponseToSend,
  response: Response,
): Promise<void> {
  for (const hook of context.server.hooks.authorization.respond)
    await hook(transaction.request!, transaction.user!, toSend.parameters);
  await sendResponse(context, transaction, toSend, response);
}

interface ResponseToSend {
  /** The response mode. */
  mode: string;
  defaultMode: DefaultResponseMode;
  state?: string | undefined;
  parameters: Record<string, string>;
}

/** Writes the authorization response, with `state` and the issuer (`iss`). RFC 9207 §2 */
function sendResponse(
  { server }: AuthorizationContext,
  { client, redirectUri, issuer }: RespondingTransaction,
  { mode, defaultMode, state, parameters }: ResponseToSend,
  response: Response,
): Awaitable<void> {
  if (state !== undefined) parameters['state'] = state;
  if (issuer !== undefined) parameters['iss'] = issuer;
  response.headers['cache-control'] = 'no-store';
  const outgoing = { client, redirectUri, parameters, defaultMode, issuer };
  return server.responseModes.get(mode)!.write(response, outgoing, server);
}

function stateOf(request: Request): string | undefined {
  try {
    return readState(request);
  } catch {
    // The invalid `state` is the error that is being returned.
    return undefined;
  }
}
