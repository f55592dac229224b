import { isPublic } from '../clients/none.js';
import {
  InvalidClientError,
  InvalidRequestError,
  UnauthorizedClientError,
  UnsupportedResponseTypeError,
} from '../errors.js';
import { shortText } from '../events.js';
import { FORM_OR_URL, optional, required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isRedirectUri, isVSCHAR } from '../http/syntax.js';
import type { Client } from '../model/model.js';
import { NO_GRANTS, NO_ID, warnOfModel } from '../model/model-mistakes.js';
import type { Options } from '../options/settle.js';
import { isChallenged, readChallenge } from '../pkce.js';
import { requestedScope } from '../tokens/scope.js';
import { trustRedirectUri } from './redirect-uri.js';
import { readResponseMode } from './response-mode.js';
import type { AuthorizationRequest, Destination, ResponseTypeClass, ResponseTypes } from './response-type.js';

/** Finds the client and settles the redirect URI. What fails here is told to the user, never redirected. */
export async function findDestination(request: Request, { model }: Options): Promise<Destination> {
  const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
  const given = optional(request, 'redirect_uri', isNotEmpty, FORM_OR_URL);
  if (given !== undefined && !isRedirectUri(given)) {
    const detail = { rule: 'a redirect URI is absolute and has no fragment', given: shortText(given) };
    throw new InvalidRequestError('Invalid request: `redirect_uri` is not a valid URI').because(detail);
  }
  const client = await model.getClient(clientId, null);
  if (!client) {
    const detail = { rule: '`getClient()` finds the client' };
    throw new InvalidClientError('Invalid client: client credentials are invalid').because(detail);
  }
  if (client.id === undefined || client.id === null) warnOfModel(model, NO_ID);
  if (!client.grants || !Array.isArray(client.grants)) {
    warnOfModel(model, NO_GRANTS);
    throw new InvalidClientError('Invalid client: missing client `grants`');
  }
  const redirectUri = await trustRedirectUri(given, client, model);
  return { client, redirectUri, redirectUriSent: given !== undefined };
}

const isNotEmpty = (value: string) => value.length > 0;

/** Reads `state` as far as an error answer may carry it. */
export function readState(request: Request): string | undefined {
  return optional(request, 'state', isVSCHAR, FORM_OR_URL);
}

/** Finds what the request asks for; undefined when it does not say, or says nonsense. */
export function findResponseType(request: Request, types: ResponseTypes): ResponseTypeClass | undefined {
  for (const place of FORM_OR_URL) {
    const name: unknown = request[place]?.response_type;
    if (typeof name === 'string' && name) return types.get(name);
  }
  return undefined;
}

/**
 * Checks that the client may ask for this; while it is not known what is asked for, that it may ask for anything here.
 * @throws UnauthorizedClientError when it may not. RFC 6749 §4.1.2.1
 */
export function verifyAllowed(request: Request, client: Client, types: ResponseTypes): void {
  const wanted = findResponseType(request, types);
  if ((wanted ? [wanted] : [...types.values()]).some(({ grant }) => client.grants.includes(grant))) return;
  // As it was always said of codes; no client that asks for a token here has ever heard of a `grant_type`.
  const parameter = wanted === types.get('token') ? 'response_type' : 'grant_type';
  const detail = { rule: 'the client may use the grant', wanted: client.grants, given: wanted?.grant };
  throw new UnauthorizedClientError(`Unauthorized client: \`${parameter}\` is invalid`).because(detail);
}

/** Reads and checks the rest of the request. What fails here is told to the client, by redirect. */
export function readAuthorizationRequest(
  { request, issuer, client, redirectUri, redirectUriSent }: Destination & { request: Request; issuer?: string },
  { options, types }: { options: Options; types: ResponseTypes },
): AuthorizationRequest {
  const state = readState(request);
  if (state === undefined && !mayLackState(request, { options, types })) {
    const rule = 'a request without PKCE challenge has a `state`, unless `allowEmptyState` says otherwise';
    throw new InvalidRequestError('Missing parameter: `state`').because({ rule });
  }
  const scope = requestedScope(request, FORM_OR_URL);
  const responseType = required(request, 'response_type', isNotEmpty, FORM_OR_URL);
  const ResponseType = findResponseType(request, types);
  if (!ResponseType) {
    const detail = { rule: 'the response type is served', wanted: [...types.keys()], given: responseType };
    throw new UnsupportedResponseTypeError('Unsupported response type: `response_type` is not supported').because(
      detail,
    );
  }
  const responseMode = readResponseMode(request, ResponseType);
  const challenge = readChallenge(request, options.enablePlainPKCE);
  if (!challenge && ResponseType.provable && requiresChallenge(client, options)) {
    const detail = { rule: 'a client that `requirePKCE` names sends a challenge', wanted: options.requirePKCE };
    throw new InvalidRequestError('Missing parameter: `code_challenge`').because(detail);
  }
  const { codeChallenge, codeChallengeMethod } = challenge ?? {};
  const asked = {
    client,
    redirectUri,
    redirectUriSent,
    responseType,
    responseMode,
    scope,
    state,
    codeChallenge,
    codeChallengeMethod,
    issuer,
    data: {},
  };
  return Object.defineProperty(asked, 'request', { value: request }) as AuthorizationRequest;
}

/** A challenge keeps forged answers out as `state` does; a host that says how it wants it is obeyed. OAuth 2.1 §4.1.1 */
function mayLackState(request: Request, { options, types }: { options: Options; types: ResponseTypes }): boolean {
  const { allowEmptyState } = options;
  if (allowEmptyState !== undefined) return Boolean(allowEmptyState);
  return isChallenged(request) && findResponseType(request, types)?.provable !== false;
}

function requiresChallenge(client: Client, { requirePKCE }: Options): boolean {
  return requirePKCE === 'all' || (requirePKCE === 'public' && isPublic(client));
}
