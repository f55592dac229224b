import { isPublic } from '../clients/none.js';
import { InvalidClientError, InvalidRequestError, UnsupportedResponseTypeError } from '../errors.js';
import { optional, type Place, required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isRedirectUri, isVSCHAR } from '../http/syntax.js';
import type { Client } from '../model/model.js';
import type { Options } from '../options.js';
import { type Challenge, readChallenge } from '../pkce.js';
import { requestedScope } from '../tokens/scope.js';
import { RESPONSE_TYPES } from './index.js';
import { trustRedirectUri } from './redirect-uri.js';
import type { ResponseTypeClass } from './response-type.js';

const PLACES: readonly Place[] = ['body', 'query'];

/** Who asks, and where the answer may go: settled before anything is redirected. */
export interface Destination<C extends Client = Client> {
  client: C;
  redirectUri: string;
  /** Did the request name the redirect URI? Then the token request must name it too. RFC 6749 §4.1.3 */
  redirectUriSent: boolean;
}

/** A whole authorization request, read and checked, not yet decided. RFC 6749 §4.1.1 */
export interface AuthorizationRequest<C extends Client = Client> extends Destination<C>, Partial<Challenge> {
  responseType: string;
  /** Requested scope values, separated by spaces. */
  scope?: string;
  state?: string;
}

/** Finds the client and settles the redirect URI. What fails here is told to the user, never redirected. */
export async function findDestination(request: Request, { model }: Options): Promise<Destination> {
  const clientId = required(request, 'client_id', isVSCHAR, PLACES);
  const given = optional(request, 'redirect_uri', isNotEmpty, PLACES);
  if (given !== undefined && !isRedirectUri(given)) {
    throw new InvalidRequestError('Invalid request: `redirect_uri` is not a valid URI');
  }
  const client = await model.getClient(clientId, null);
  if (!client) throw new InvalidClientError('Invalid client: client credentials are invalid');
  if (!client.grants || !Array.isArray(client.grants)) {
    throw new InvalidClientError('Invalid client: missing client `grants`');
  }
  const redirectUri = await trustRedirectUri(given, client, model);
  return { client, redirectUri, redirectUriSent: given !== undefined };
}

const isNotEmpty = (value: string) => value.length > 0;

/** Reads `state` as far as an error answer may carry it. */
export function readState(request: Request): string | undefined {
  return optional(request, 'state', isVSCHAR, PLACES);
}

/** Finds what the request asks for; undefined when it does not say, or says nonsense. */
export function findResponseType(request: Request): ResponseTypeClass | undefined {
  for (const place of PLACES) {
    const name: unknown = request[place]?.response_type;
    if (typeof name === 'string' && name) return Object.hasOwn(RESPONSE_TYPES, name) ? RESPONSE_TYPES[name] : undefined;
  }
  return undefined;
}

/** May the client ask for this? While it is not known what is asked for: for anything that is asked for here. */
export function isAllowed(request: Request, client: Client): boolean {
  const wanted = findResponseType(request);
  return (wanted ? [wanted] : Object.values(RESPONSE_TYPES)).some(({ grant }) => client.grants.includes(grant));
}

/** Reads and checks the rest of the request. What fails here is told to the client, by redirect. */
export function readAuthorizationRequest(
  request: Request,
  destination: Destination,
  options: Options,
): AuthorizationRequest {
  const { client } = destination;
  const state = readState(request);
  if (state === undefined && !options.allowEmptyState) throw new InvalidRequestError('Missing parameter: `state`');
  const scope = requestedScope(request, PLACES);
  const responseType = required(request, 'response_type', isNotEmpty, PLACES);
  const ResponseType = findResponseType(request);
  if (!ResponseType) {
    throw new UnsupportedResponseTypeError('Unsupported response type: `response_type` is not supported');
  }
  const challenge = readChallenge(request, options.enablePlainPKCE);
  if (!challenge && ResponseType.provable && requiresChallenge(client, options)) {
    throw new InvalidRequestError('Missing parameter: `code_challenge`');
  }
  const { redirectUri, redirectUriSent } = destination;
  const { codeChallenge, codeChallengeMethod } = challenge ?? {};
  return { client, redirectUri, redirectUriSent, responseType, scope, state, codeChallenge, codeChallengeMethod };
}

function requiresChallenge(client: Client, { requirePKCE }: Options): boolean {
  return requirePKCE === 'all' || (requirePKCE === 'public' && isPublic(client));
}
