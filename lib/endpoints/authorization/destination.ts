import { grantNotAllowed } from '../../clients/grant-not-allowed.js';
import { isClientOf, OTHER_ISSUER } from '../../clients/client-issuer.js';
import { InvalidClientError, InvalidRequestError, UnauthorizedClientError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isNotEmpty, isRedirectUri, isVSCHAR } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import { NO_GRANTS, NO_ID, warnOfModelMistake } from '../../model/model-mistakes.js';
import type { Options } from '../../options/resolve-options.js';
import { MAX_SCOPE_LENGTH } from '../../tokens/scope.js';
import { resolveRedirectUri } from './redirect-uri.js';
import {
  type Destination,
  requiredGrantTypes,
  type ResponseType,
  responseTypeName,
  type ResponseTypes,
} from '../../contracts/response-type.js';

/** Finds the client and settles the redirect URI. What fails here is told to the user, never redirected. */
export async function findDestination(
  request: Request,
  { model }: Options,
  server: ServerContext,
): Promise<Destination> {
  const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
  const given = optional(request, 'redirect_uri', isNotEmpty, FORM_OR_URL);
  if (given !== undefined && !isRedirectUri(given)) {
    const detail = { reason: 'a redirect URI is absolute and has no fragment', given: shortText(given) };
    throw new InvalidRequestError('Invalid request: `redirect_uri` is not a valid URI').because(detail);
  }
  const client = await findClient(clientId, model, server, request);
  if (client.id === undefined || client.id === null) warnOfModelMistake(model, NO_ID);
  if (!client.grants || !Array.isArray(client.grants)) {
    warnOfModelMistake(model, NO_GRANTS);
    throw new InvalidClientError('Invalid client: missing client `grants`');
  }
  if (given === undefined) verifyOmittedRedirectUri(request, server);
  const redirectUri = await resolveRedirectUri(given, client, model);
  return { client, redirectUri, redirectUriSent: given !== undefined };
}

/**
 * Rejects a request without `redirect_uri` whose scope requires it. The browser shows the error, since the request names no redirect target.
 * OpenID Connect Core §3.1.2.1, RFC 6749 §4.1.2.1
 */
function verifyOmittedRedirectUri(request: Request, { installed }: ServerContext): void {
  const sent = FORM_OR_URL.flatMap((place) => {
    const scope: unknown = request[place]?.scope;
    // Any other value is rejected when the scope is read.
    return typeof scope === 'string' && scope.length <= MAX_SCOPE_LENGTH ? scope.split(' ') : [];
  });
  const scope = installed.flatMap(({ parts }) => parts.redirectUriScopes ?? []).find((one) => sent.includes(one));
  if (scope === undefined) return;
  const reason = `an authorization request with the scope \`${scope}\` has a \`redirect_uri\``;
  throw new InvalidRequestError('Missing parameter: `redirect_uri`').because({ reason });
}

/**
 * Finds a client by the id that a request names, without authentication.
 * @param request The request that names the client. If omitted, fetches for the client are not counted for a network.
 * @throws {InvalidClientError} If the client is unknown, or belongs to another issuer.
 */
export async function findClient(
  clientId: string,
  model: Options['model'],
  server: ServerContext,
  request?: Request,
): Promise<CoreClient> {
  let client = await model.getClient(clientId, null);
  const [find] = server.hooks.client.find;
  if (!client && find) client = await find(clientId, request);
  const isKnown = client && isClientOf(client, server.options.issuer, server);
  if (isKnown) return client as CoreClient;
  const detail = { reason: client ? OTHER_ISSUER : '`getClient()` finds the client' };
  throw new InvalidClientError('Invalid client: client credentials are invalid').because(detail);
}

/** Finds what the request asks for; undefined when it does not say, or says nonsense. */
export function findResponseType(request: Request, types: ResponseTypes): ResponseType | undefined {
  for (const place of FORM_OR_URL) {
    const name: unknown = request[place]?.response_type;
    if (typeof name === 'string' && name) return types.get(responseTypeName(name, types));
  }
  return undefined;
}

/** Returns the response type `code`, or another one of the server: for errors of requests that name none. */
export const defaultResponseType = (types: ResponseTypes): ResponseType => types.get('code') ?? [...types.values()][0]!;

/**
 * Checks that the client may ask for this; while it is not known what is asked for, that it may ask for anything here.
 * @throws UnauthorizedClientError when it may not. RFC 6749 §4.1.2.1
 */
export function verifyResponseTypeAllowed(
  responseType: ResponseType | undefined,
  client: CoreClient,
  types: ResponseTypes,
): void {
  const isAllowed = (type: ResponseType) => requiredGrantTypes(type).every((grant) => client.grants.includes(grant));
  if (responseType ? isAllowed(responseType) : [...types.values()].some(isAllowed)) return;
  // As it was always said of codes; no client that asks for a token here has ever heard of a `grant_type`.
  const parameter = responseType === types.get('token') ? 'response_type' : 'grant_type';
  const detail = grantNotAllowed(client, responseType && requiredGrantTypes(responseType).join(' '));
  throw new UnauthorizedClientError(`Unauthorized client: \`${parameter}\` is invalid`).because(detail);
}
