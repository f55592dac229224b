import { grantNotAllowed } from '../../clients/grant-not-allowed.js';
import { isClientOf, OTHER_ISSUER } from '../../clients/client-issuer.js';
import { InvalidClientError, InvalidRequestError, UnauthorizedClientError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isNotEmpty, isRedirectUri, isVSCHAR } from '../../http/syntax.js';
import type { Awaitable, CoreClient, Falsy } from '../../model/model.js';
import { NO_GRANTS, NO_ID, warnOfModelMistake } from '../../model/model-mistakes.js';
import type { Options } from '../../options/resolve-options.js';
import { MAX_SCOPE_LENGTH } from '../../tokens/scope.js';
import { resolveRedirectUri } from './redirect-uri.js';
import {
  requiredGrantTypes,
  type ResponseType,
  responseTypeName,
  type ResponseTypes,
} from '../../contracts/response-type.js';

/**
 * Reads the parameters that name the client and the redirect URI of an authorization request. The caller renders errors
 * in the browser, and never redirects them.
 * @throws {InvalidRequestError} If a parameter is missing or malformed.
 */
export function readDestination(request: Request): { clientId: string; requestedUri: string | undefined } {
  const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
  const requestedUri = optional(request, 'redirect_uri', isNotEmpty, FORM_OR_URL);
  if (requestedUri !== undefined && !isRedirectUri(requestedUri)) {
    const detail = {
      reason: '`redirect_uri` is not an absolute URI, or has a fragment',
      given: shortText(requestedUri),
    };
    throw new InvalidRequestError('Invalid request: `redirect_uri` is not a valid URI').because(detail);
  }
  return { clientId, requestedUri };
}

/**
 * Returns the redirect URI of an authorization request, as a promise only if the model validates redirect URIs.
 * @throws {InvalidClientError} If the client is invalid, or the redirect URI is not registered.
 * @throws {InvalidRequestError} If `redirect_uri` is missing, and the scope or the client requires it.
 */
export function findRedirectUri(
  requestedUri: string | undefined,
  client: CoreClient,
  { request, model, server }: { request: Request; model: Options['model']; server: ServerContext },
): Awaitable<string> {
  if (client.id === undefined || client.id === null) warnOfModelMistake(model, NO_ID);
  if (!client.grants || !Array.isArray(client.grants)) {
    warnOfModelMistake(model, NO_GRANTS);
    throw new InvalidClientError('Invalid client: missing client `grants`');
  }
  if (requestedUri === undefined) verifyOmittedRedirectUri(request, server);
  return resolveRedirectUri(requestedUri, client, model);
}

/**
 * Rejects a request without `redirect_uri` whose scope requires one. The error is rendered in the browser, since the
 * request has no redirect URI. OpenID Connect Core 1.0 §3.1.2.1, RFC 6749 §4.1.2.1
 */
function verifyOmittedRedirectUri(request: Request, { installed }: ServerContext): void {
  const requestedValues = FORM_OR_URL.flatMap((location) => {
    const scope: unknown = request[location]?.scope;
    // Invalid values are rejected later, when the scope is read.
    return typeof scope === 'string' && scope.length <= MAX_SCOPE_LENGTH ? scope.split(' ') : [];
  });
  const scope = installed
    .flatMap(({ parts }) => parts.redirectUriScopes ?? [])
    .find((one) => requestedValues.includes(one));
  if (scope === undefined) return;
  const reason = `a request with the scope \`${scope}\` must contain \`redirect_uri\``;
  throw new InvalidRequestError('Missing parameter: `redirect_uri`').because({ reason });
}

/**
 * Finds a client by its ID in a request, without authentication.
 * @param request The request that contains the client ID. If omitted, fetches of client metadata are not limited by the
 * network of the requester.
 * @throws {InvalidClientError} If the client is unknown, or belongs to another issuer.
 */
export async function findClient(
  clientId: string,
  model: Options['model'],
  server: ServerContext,
  request?: Request,
): Promise<CoreClient> {
  const known = await model.getClient(clientId, null);
  return verifyClient(known || (await findUnknown(clientId, server, request)), clientId, server);
}

/** Asks a feature for a client that the model does not know, such as the client of a client ID metadata document. */
export const findUnknown = (clientId: string, server: ServerContext, request?: Request) =>
  server.hooks.client.find[0]?.(clientId, request);

/**
 * Returns the client that was found by its ID in a request.
 * @throws {InvalidClientError} If no client was found, or if it belongs to another issuer.
 */
export function verifyClient(client: CoreClient | Falsy, clientId: string, server: ServerContext): CoreClient {
  if (client && isClientOf(client, server.options.issuer, server)) return client;
  const detail = {
    reason: client ? OTHER_ISSUER : '`getClient()` returned no client',
    given: shortText(clientId),
    remedy: 'compare `client_id` with the `id` of the client in the store, and its `issuer` with that of this server',
  };
  throw new InvalidClientError(
    'Invalid client: the `client_id` is unknown: send the ID of a client that this server has registered',
  ).because(detail);
}

/**
 * Returns the response type in the parameter `response_type`. `undefined` if the parameter is missing, or if the server
 * does not support its value.
 */
export function findResponseType(request: Request, types: ResponseTypes): ResponseType | undefined {
  for (const location of FORM_OR_URL) {
    const name: unknown = request[location]?.response_type;
    if (typeof name === 'string' && name) return types.get(responseTypeName(name, types));
  }
  return undefined;
}

/**
 * Returns the response type `code`, or another supported one if the server does not support `code`. Used for errors of
 * requests without a supported `response_type`.
 */
export const defaultResponseType = (types: ResponseTypes): ResponseType => types.get('code') ?? [...types.values()][0]!;

/**
 * Verifies that the client may use the response type. If `responseType` is `undefined`, the client must be allowed to
 * use at least one.
 * @throws {UnauthorizedClientError} If the client is not allowed to. RFC 6749 §4.1.2.1
 */
export function verifyResponseTypeAllowed(
  responseType: ResponseType | undefined,
  client: CoreClient,
  types: ResponseTypes,
): void {
  const isAllowed = (type: ResponseType) => requiredGrantTypes(type).every((grant) => client.grants.includes(grant));
  if (responseType ? isAllowed(responseType) : [...types.values()].some(isAllowed)) return;
  // The legacy `oauth2-server` interface promises `grant_type` for codes. Clients of `response_type=token` do not know
  // that parameter.
  const parameter = responseType === types.get('token') ? 'response_type' : 'grant_type';
  const detail = grantNotAllowed(client, responseType && requiredGrantTypes(responseType).join(' '));
  throw new UnauthorizedClientError(
    `Unauthorized client: this client is not allowed to use this \`${parameter}\`: register the grant for it`,
  ).because(detail);
}
