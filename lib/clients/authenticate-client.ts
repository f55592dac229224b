import {
  InvalidClientError,
  InvalidRequestError,
  type OAuthError,
  ServerError,
  toOAuthError,
} from '../errors/index.js';
import { hasListener } from '../events/events.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Request } from '../http/request.js';
import type { CoreClient, Falsy, Model } from '../model/model.js';
import { NO_ID, warnOfModelMistake } from '../model/model-mistakes.js';
import type { Options } from '../options/resolve-options.js';
import type {
  ClientAuthentication,
  ClientAuthenticationPolicy,
  PresentedCredentials,
  ConsumeCredentials,
} from '../contracts/client-authentication.js';
import { isClientOf, OTHER_ISSUER } from './client-issuer.js';
import { isPublicClient, none } from './none.js';
import { readCredentials } from './presented-credentials.js';
import { TOKEN_ENDPOINT_AUTH_METHOD } from './registration/client-fields.js';

/** The client of a request, and the method by which it authenticated. RFC 7591 §2 */
interface AuthenticatedClient {
  client: CoreClient;
  /** The client authentication method, or `none`. */
  method: string;
  /** Consumes single-use credentials. If omitted, there is nothing to consume. */
  consume?: ConsumeCredentials;
}

/** How an endpoint authenticates clients, and the server that it belongs to. */
interface AuthenticationSettings {
  server: ServerContext;
  /** Which clients may call the endpoint without client authentication. */
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /**
   * The IDs of the endpoints whose URLs client assertions may name as their audience at this endpoint, besides the
   * issuer.
   */
  readonly audienceEndpoints: readonly string[];
}

/**
 * Finds the client of a request and verifies its credentials, without consuming them. RFC 6749 §3.2.1
 * @throws {OAuthError} If the client is unknown or its credentials are missing or invalid. `invalid_client` has status
 * 401.
 */
export async function authenticateClient(
  request: Request,
  options: Options,
  settings: AuthenticationSettings,
): Promise<AuthenticatedClient> {
  const { server } = settings;
  const { model } = options;
  try {
    const { credentials, method: presented } = readCredentials(request, server.clientAuthentications);
    if (presented !== none) verifyAllowed(presented, server);
    let client = await model.getClient(credentials.id, credentials.secret || null);
    // Never call the `find` hook if a secret was sent: a wrong secret must fail, not resolve to another client.
    const [find] = server.hooks.client.find;
    if (!client && find && !credentials.secret) client = await find(credentials.id, request);
    // A client of another issuer gets the same error as an unknown client.
    const isForeign = Boolean(client) && !isClientOf(client as CoreClient, server.issuerOf(request), server);
    if (isForeign) client = undefined;
    const method = (presented === none && client && connectionMethod(client, server)) || presented;
    verifyAllowed(method, server);
    if (method.verifyCredentials)
      return await verifyByMethod(verifyKnown(client, model), { credentials, method, request }, settings);
    // If the client uses no secret, the request is not authenticated, even if the model accepted a secret.
    const isProven = Boolean(credentials.secret) && !(client && hasOtherMethod(client, server));
    if (isProven) {
      const known = client || (await rejectSecret(credentials, options, isForeign));
      return { client: verifyKnown(known, model), method: method.method };
    }
    if (!isAllowedUnauthenticated(client, request, settings.clientAuthentication))
      throw missingCredentials(client, credentials);
    return { client: verifyKnown(client, model), method: 'none' };
  } catch (error) {
    throw asUnauthorized(error);
  }
}

/**
 * Converts any error to an `OAuthError`, and sets the status of `invalid_client` to 401. The response then contains a
 * Basic challenge. RFC 6749 §5.2, RFC 9110 §15.5.2
 */
export function asUnauthorized(error: unknown): OAuthError {
  const failure = toOAuthError(error);
  return failure instanceof InvalidClientError ? new InvalidClientError(failure, { code: 401 }) : failure;
}

/**
 * Authenticates a client by a method other than a client secret, such as a client assertion.
 * @throws {InvalidClientError} If the client is registered for another method, or if its credentials are invalid.
 */
async function verifyByMethod(
  client: CoreClient,
  {
    credentials,
    method,
    request,
  }: { credentials: PresentedCredentials; method: ClientAuthentication; request: Request },
  { audienceEndpoints, server }: AuthenticationSettings,
): Promise<AuthenticatedClient> {
  const expected = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (expected !== method.method) {
    const detail = { reason: 'client is registered for another authentication method', expected, given: method.method };
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because(detail);
  }
  const { model } = server.options;
  const issuer = server.issuerOf(request);
  const endpointAudiences = audienceEndpoints.flatMap((id) => server.urlsOf(id, issuer));
  const isOwnEndpoint = (url: string) =>
    [...server.endpoints.keys()].some((id) => server.urlsOf(id, issuer).includes(url));
  const context = { request, model, issuer, endpointAudiences, isOwnEndpoint };
  const consume = await method.verifyCredentials!(credentials, client, context);
  return { client, method: method.method, ...(consume && { consume }) };
}

/** Whether the policy of the endpoint allows this request without client authentication. */
function isAllowedUnauthenticated(
  client: CoreClient | Falsy,
  request: Request,
  policy: ClientAuthenticationPolicy,
): boolean {
  if (typeof policy === 'function') return policy(client, request);
  return policy === 'public-allowed' && Boolean(client) && isPublicClient(client as CoreClient);
}

/** Whether the client is registered as public, or for a method that does not use a client secret. */
function hasOtherMethod(client: CoreClient, { clientAuthentications }: ServerContext): boolean {
  const registered = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (registered === undefined) return false;
  return (
    registered === 'none' || clientAuthentications.some((one) => one.verifyCredentials && one.method === registered)
  );
}

/**
 * Returns the method that authenticates this client by its TLS connection. `undefined` if the client is not registered
 * for one.
 */
function connectionMethod(
  client: CoreClient,
  { clientAuthentications }: ServerContext,
): ClientAuthentication | undefined {
  const registered = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  return clientAuthentications.find((one) => !one.readCredentials && one.method === registered);
}

/**
 * Verifies that no profile forbids the client authentication method.
 * @throws {InvalidClientError} If a profile forbids it. RFC 6749 §5.2
 */
function verifyAllowed(
  { method: given }: ClientAuthentication,
  { clientAuthentications, forbiddenAuthenticationMethods: forbidden }: ServerContext,
): void {
  if (!forbidden.has(given)) return;
  const expected = clientAuthentications.map(({ method }) => method).filter((method) => !forbidden.has(method));
  const message = `Invalid client: client authentication by \`${given}\` is not accepted`;
  throw new InvalidClientError(message).because({
    reason: 'client authentication method is forbidden by a profile',
    expected,
    given,
  });
}

/**
 * Returns the error for a request without credentials. Unknown clients and clients that must authenticate get the same
 * error. An empty `client_secret` is an `invalid_request`.
 */
function missingCredentials(client: CoreClient | Falsy, credentials: PresentedCredentials): Error {
  if (credentials.secret === '') return new InvalidRequestError('Missing parameter: `client_secret`');
  const detail = client
    ? {
        reason: 'client must authenticate, but sent no credentials',
        remedy: "send the secret of the client, or set `tokenEndpointAuthMethod: 'none'` if it is a public client",
      }
    : { reason: 'client is unknown', remedy: 'compare `client_id` with the `id` of the client in the store' };
  return new InvalidClientError('Invalid client: cannot retrieve client credentials').because(detail);
}

/**
 * Rejects a client whose ID or secret is wrong, or that belongs to another issuer. The response does not tell these
 * cases apart. If `client.refused` has listeners, the client is looked up again without its secret, to tell the reason
 * in the event.
 * @throws {InvalidClientError} Always.
 */
async function rejectSecret(
  { id }: PresentedCredentials,
  { model, events }: Options,
  isForeign: boolean,
): Promise<never> {
  let reason = isForeign ? OTHER_ISSUER : KNOWN;
  if (!isForeign && hasListener(events, 'client.refused')) {
    try {
      const client = await model.getClient(id, null);
      if (!client) reason = UNKNOWN;
      else reason = TOKEN_ENDPOINT_AUTH_METHOD.of(client) === 'none' ? PUBLIC : WRONG;
    } catch {
      // The lookup only makes the reason more precise, so its failure is ignored.
    }
  }
  throw new InvalidClientError('Invalid client: client is invalid').because({ reason, remedy: REMEDIES[reason] });
}

function verifyKnown(client: CoreClient | Falsy, model: Model): CoreClient {
  if (!client)
    throw new InvalidClientError('Invalid client: client is invalid').because({
      reason: UNKNOWN,
      remedy: REMEDIES[UNKNOWN],
    });
  if (client.id === undefined || client.id === null) warnOfModelMistake(model, NO_ID);
  if (!client.grants) throw new ServerError('Server error: missing client `grants`');
  if (!Array.isArray(client.grants)) throw new ServerError('Server error: `grants` must be an array');
  return client;
}

const KNOWN = 'client is unknown, or its secret is wrong';
const UNKNOWN = 'no client with this `client_id` exists';
const WRONG = 'client secret is wrong';
const PUBLIC = 'public client sent a client secret';

const REMEDIES: Readonly<Record<string, string>> = {
  [KNOWN]: 'send the `client_id` and the secret of a registered client',
  [UNKNOWN]: 'correct the `client_id`, or save a client with this `id`',
  [OTHER_ISSUER]: 'register the client at this issuer, or use the issuer that registered it',
  [PUBLIC]: "send no `client_secret`, or remove `tokenEndpointAuthMethod: 'none'` and save a secret",
  [WRONG]: 'send the secret that was saved with the client, or save a new one',
};
