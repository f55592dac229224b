import {
  InvalidClientError,
  InvalidRequestError,
  type OAuthError,
  ServerError,
  toOAuthError,
} from '../errors/index.js';
import { hasListener, shortText } from '../events/events.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
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
import { TOKEN_ENDPOINT_AUTH_METHOD } from './registration/client-fields.js';

/** An authenticated client. RFC 7591 §2 */
interface AuthenticatedClient {
  client: CoreClient;
  /** The client authentication method, or `none`. */
  method: string;
  /** Consumes single-use credentials. If omitted, there is nothing to consume. */
  consume?: ConsumeCredentials;
}

/** How a server authenticates clients at one of its endpoints. */
interface AuthenticationSettings {
  server: ServerContext;
  /** Which clients the endpoint serves without client authentication. */
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /** The ids of the endpoints whose URLs are accepted as the audience of client assertions here. */
  readonly audienceEndpoints: readonly string[];
}

/** Finds the client of a request and verifies its credentials, without consuming them. RFC 6749 §3.2.1 */
export async function authenticateClient(
  request: Request,
  options: Options,
  settings: AuthenticationSettings,
): Promise<AuthenticatedClient> {
  const { server } = settings;
  const { model } = options;
  try {
    const { claim, method: claimed } = readCredentials(request, server.clientAuthentications);
    if (claimed !== none) verifyAllowed(claimed, server);
    let client = await model.getClient(claim.id, claim.secret || null);
    // One that brings a secret is known, or nobody: of a wrong secret nothing but a refusal may come.
    const [find] = server.hooks.client.find;
    if (!client && find && !claim.secret) client = await find(claim.id, request);
    // A client of another issuer gets the same error as an unknown client.
    const isForeign = Boolean(client) && !isClientOf(client as CoreClient, server.issuerOf(request), server);
    if (isForeign) client = undefined;
    const method = (claimed === none && client && connectionMethod(client, server)) || claimed;
    verifyAllowed(method, server);
    if (method.verifyCredentials)
      return await verifyByMethod(verifyKnown(client, model), { claim, method, request }, settings);
    // Whatever a model says to the secret of a client that has none, it proves nothing.
    const isProven = Boolean(claim.secret) && !(client && hasOtherMethod(client, server));
    if (isProven) {
      const known = client || (await rejectSecret(claim, options, isForeign));
      return { client: verifyKnown(known, model), method: method.method };
    }
    if (!isAllowedUnauthenticated(client, request, settings.clientAuthentication))
      throw missingCredentials(client, claim);
    return { client: verifyKnown(client, model), method: 'none' };
  } catch (error) {
    throw asUnauthorized(error);
  }
}

/** Sets the status 401 on `invalid_client`. The response then carries a Basic challenge. RFC 6749 §5.2, RFC 9110 §15.5.2 */
export function asUnauthorized(error: unknown): OAuthError {
  const failure = toOAuthError(error);
  return failure instanceof InvalidClientError ? new InvalidClientError(failure, { code: 401 }) : failure;
}

/** One that proves itself in a way that no secret can stand for. */
async function verifyByMethod(
  client: CoreClient,
  { claim, method, request }: { claim: PresentedCredentials; method: ClientAuthentication; request: Request },
  { audienceEndpoints, server }: AuthenticationSettings,
): Promise<AuthenticatedClient> {
  const expected = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (expected !== method.method) {
    const detail = { reason: 'the client is registered for the method', expected, given: method.method };
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because(detail);
  }
  const { model } = server.options;
  const issuer = server.issuerOf(request);
  const endpointAudiences = audienceEndpoints.flatMap((id) => server.urlsOf(id, issuer));
  const isOwnEndpoint = (url: string) =>
    [...server.endpoints.keys()].some((id) => server.urlsOf(id, issuer).includes(url));
  const context = { request, model, issuer, endpointAudiences, isOwnEndpoint };
  const consume = await method.verifyCredentials!(claim, client, context);
  return { client, method: method.method, ...(consume && { consume }) };
}

/** Whether the policy of the endpoint allows a request without credentials. */
function isAllowedUnauthenticated(
  client: CoreClient | Falsy,
  request: Request,
  policy: ClientAuthenticationPolicy,
): boolean {
  if (typeof policy === 'function') return policy(client, request);
  return policy === 'public-allowed' && Boolean(client) && isPublicClient(client as CoreClient);
}

/** Whether the client is registered for a method that uses no client secret, or as a public client. */
function hasOtherMethod(client: CoreClient, { clientAuthentications }: ServerContext): boolean {
  const registered = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (registered === undefined) return false;
  return (
    registered === 'none' || clientAuthentications.some((one) => one.verifyCredentials && one.method === registered)
  );
}

/** How a client proves itself that has nothing to say for it: by its connection. */
function connectionMethod(
  client: CoreClient,
  { clientAuthentications }: ServerContext,
): ClientAuthentication | undefined {
  const registered = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  return clientAuthentications.find((one) => !one.readCredentials && one.method === registered);
}

function readCredentials(request: Request, authentications: readonly ClientAuthentication[]) {
  let claim: PresentedCredentials | undefined;
  let method: ClientAuthentication = none;
  for (const authentication of authentications) {
    const found = authentication.readCredentials?.(request);
    if (!found) continue;
    // Who is named beside a proof must be who it is of; a second proof is one too many.
    const isNamed = claim !== undefined && (method === none || authentication === none);
    if (claim && !isNamed) {
      throw new InvalidRequestError('Invalid request: only one client authentication method is allowed');
    }
    if (claim && claim.id !== found.id) throw new InvalidRequestError('Invalid parameter: `client_id`');
    if (!claim || method === none) [claim, method] = [found, authentication];
  }
  if (!claim) {
    const reason = 'the client says who it is, in the `Authorization` header or by `client_id`';
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ reason });
  }
  if (!claim.id) throw new InvalidRequestError('Missing parameter: `client_id`');
  if (!isVSCHAR(claim.id)) throw new InvalidRequestError('Invalid parameter: `client_id`');
  if (claim.secret && !isVSCHAR(claim.secret)) throw new InvalidRequestError('Invalid parameter: `client_secret`');
  return { claim, method };
}

/** Who a request says it comes from, whether that is well said or not: for the operator. */
export function findClaimedClientId(
  request: Request,
  authentications: readonly ClientAuthentication[],
): string | undefined {
  for (const authentication of authentications) {
    try {
      const id = authentication.readCredentials?.(request)?.id;
      if (id && isVSCHAR(id)) return shortText(id);
    } catch {
      // What cannot be read names nobody.
    }
  }
  return undefined;
}

/** Some ways a profile does not let in. RFC 6749 §5.2 */
function verifyAllowed(
  { method: given }: ClientAuthentication,
  { clientAuthentications, forbiddenAuthenticationMethods: forbidden }: ServerContext,
): void {
  if (!forbidden.has(given)) return;
  const expected = clientAuthentications.map(({ method }) => method).filter((method) => !forbidden.has(method));
  const said = `Invalid client: no client authenticates by \`${given}\` here`;
  throw new InvalidClientError(said).because({ reason: 'a profile of the server allows the method', expected, given });
}

/** A client without proof: the answer must not tell an unknown client from one that owes its secret. */
function missingCredentials(client: CoreClient | Falsy, claim: PresentedCredentials): Error {
  if (claim.secret === '') return new InvalidRequestError('Missing parameter: `client_secret`');
  const reason = client ? 'the client proves who it is: it has a secret' : 'the client is known';
  return new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ reason });
}

/**
 * Rejects a client whose `client_id` or secret is wrong, or that belongs to another issuer. The response is the same; the event
 * has the reason, for which the client is looked up once more. Without listeners there is no second look-up.
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
      reason = (await model.getClient(id, null)) ? WRONG : UNKNOWN;
    } catch {
      // The refusal stays what it is; only its reason is less precise.
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

const KNOWN = '`getClient()` finds the client, and its secret is right';
const UNKNOWN = 'a client with this `client_id` exists';
const WRONG = 'the client secret is correct';

const REMEDIES: Readonly<Record<string, string>> = {
  [KNOWN]: 'send the `client_id` and the secret of a registered client',
  [UNKNOWN]: 'correct the `client_id`, or save a client with this `id`',
  [OTHER_ISSUER]: 'register the client at this issuer, or use the issuer that registered it',
  [WRONG]: 'send the secret that was saved with the client, or save a new one',
};
