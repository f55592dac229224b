import {
  InvalidClientError,
  InvalidRequestError,
  type OAuthError,
  ServerError,
  toOAuthError,
} from '../errors/index.js';
import { isHeard, shortText } from '../events/events.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { CoreClient, Falsy, Model } from '../model/model.js';
import { NO_ID, warnOfModel } from '../model/model-mistakes.js';
import type { Options } from '../options/settle.js';
import type {
  ClientAuthentication,
  ClientAuthenticationPolicy,
  ClientClaim,
  ConsumeCredentials,
} from '../contracts/client-authentication.js';
import { isClientOf, OTHER_ISSUER } from './client-issuer.js';
import { isPublic, none } from './none.js';
import { TOKEN_ENDPOINT_AUTH_METHOD } from './registration/client-fields.js';

/** An authenticated client. RFC 7591 §2 */
interface Authenticated {
  client: CoreClient;
  /** The client authentication method, or `none`. */
  proof: string;
  /** Consumes single-use credentials. If omitted, there is nothing to consume. */
  consume?: ConsumeCredentials;
}

/** How a server authenticates clients at one of its endpoints. */
interface Ways {
  server: ServerContext;
  /** Which clients the endpoint serves without client authentication. */
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /** The ids of the endpoints whose URLs are accepted as the audience of client assertions here. */
  readonly audienceEndpoints: readonly string[];
}

/** Finds the client of a request and verifies its credentials, without consuming them. RFC 6749 §3.2.1 */
export async function authenticateClient(request: Request, options: Options, ways: Ways): Promise<Authenticated> {
  const { server } = ways;
  const { model } = options;
  try {
    const { claim, way: claimed } = readClaim(request, server.clientAuthentications);
    if (claimed !== none) verifyAllowed(claimed, server);
    let client = await model.getClient(claim.id, claim.secret || null);
    // One that brings a secret is known, or nobody: of a wrong secret nothing but a refusal may come.
    const [find] = server.hooks.client.find;
    if (!client && find && !claim.secret) client = await find(claim.id, request);
    // A client of another issuer gets the same error as an unknown client.
    const isForeign = Boolean(client) && !isClientOf(client as CoreClient, server.issuerOf(request), server);
    if (isForeign) client = undefined;
    const way = (claimed === none && client && ofConnection(client, server)) || claimed;
    verifyAllowed(way, server);
    if (way.prove) return await proven(verifyKnown(client, model), { claim, way, request, ways });
    // Whatever a model says to the secret of a client that has none, it proves nothing.
    const isProven = Boolean(claim.secret) && !(client && hasOtherMethod(client, server));
    if (isProven) {
      const known = client || (await refuseSecret(claim, options, isForeign));
      return { client: verifyKnown(known, model), proof: way.method };
    }
    if (!mayBeUnauthenticated(client, request, ways.clientAuthentication)) throw unproven(client, claim);
    return { client: verifyKnown(client, model), proof: 'none' };
  } catch (error) {
    throw unauthorized(error);
  }
}

/** Sets the status 401 on `invalid_client`. The response then carries a Basic challenge. RFC 6749 §5.2, RFC 9110 §15.5.2 */
export function unauthorized(error: unknown): OAuthError {
  const failure = toOAuthError(error);
  return failure instanceof InvalidClientError ? new InvalidClientError(failure, { code: 401 }) : failure;
}

/** One that proves itself in a way that no secret can stand for. */
async function proven(
  client: CoreClient,
  { claim, way, request, ways }: { claim: ClientClaim; way: ClientAuthentication; request: Request; ways: Ways },
): Promise<Authenticated> {
  const { audienceEndpoints, server } = ways;
  const { method } = way;
  const wanted = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (wanted !== method) {
    const detail = {
      rule: 'the client is registered for the method',
      wanted,
      given: method,
    };
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because(detail);
  }
  const { model } = server.options;
  const issuer = server.issuerOf(request);
  const endpointAudiences = audienceEndpoints.flatMap((id) => server.urlsOf(id, issuer));
  const isOwnEndpoint = (url: string) =>
    [...server.endpoints.keys()].some((id) => server.urlsOf(id, issuer).includes(url));
  const consume = await way.prove!(claim, client, { request, model, issuer, endpointAudiences, isOwnEndpoint });
  return { client, proof: method, ...(consume && { consume }) };
}

/** Whether the policy of the endpoint allows a request without credentials. */
function mayBeUnauthenticated(
  client: CoreClient | Falsy,
  request: Request,
  policy: ClientAuthenticationPolicy,
): boolean {
  if (typeof policy === 'function') return policy(client, request);
  return policy === 'public-allowed' && Boolean(client) && isPublic(client as CoreClient);
}

/** Whether the client is registered for a method that uses no client secret, or as a public client. */
function hasOtherMethod(client: CoreClient, { clientAuthentications }: ServerContext): boolean {
  const method = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  if (method === undefined) return false;
  return method === 'none' || clientAuthentications.some((way) => way.prove && way.method === method);
}

/** How a client proves itself that has nothing to say for it: by its connection. */
function ofConnection(client: CoreClient, { clientAuthentications }: ServerContext): ClientAuthentication | undefined {
  const method = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  return clientAuthentications.find((way) => !way.claim && way.method === method);
}

function readClaim(request: Request, authentications: readonly ClientAuthentication[]) {
  let claim: ClientClaim | undefined;
  let way: ClientAuthentication = none;
  for (const authentication of authentications) {
    const found = authentication.claim?.(request);
    if (!found) continue;
    // Who is named beside a proof must be who it is of; a second proof is one too many.
    const isNamed = claim !== undefined && (way === none || authentication === none);
    if (claim && !isNamed) {
      throw new InvalidRequestError('Invalid request: only one client authentication method is allowed');
    }
    if (claim && claim.id !== found.id) throw new InvalidRequestError('Invalid parameter: `client_id`');
    if (!claim || way === none) [claim, way] = [found, authentication];
  }
  if (!claim) {
    const rule = 'the client says who it is, in the `Authorization` header or by `client_id`';
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ rule });
  }
  if (!claim.id) throw new InvalidRequestError('Missing parameter: `client_id`');
  if (!isVSCHAR(claim.id)) throw new InvalidRequestError('Invalid parameter: `client_id`');
  if (claim.secret && !isVSCHAR(claim.secret)) throw new InvalidRequestError('Invalid parameter: `client_secret`');
  return { claim, way };
}

/** Who a request says it comes from, whether that is well said or not: for the operator. */
export function claimedId(request: Request, authentications: readonly ClientAuthentication[]): string | undefined {
  for (const authentication of authentications) {
    try {
      const id = authentication.claim?.(request)?.id;
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
  { clientAuthentications, forbidden }: ServerContext,
): void {
  if (!forbidden.has(given)) return;
  const wanted = clientAuthentications.map(({ method }) => method).filter((method) => !forbidden.has(method));
  const said = `Invalid client: no client authenticates by \`${given}\` here`;
  throw new InvalidClientError(said).because({ rule: 'a profile of the server allows the method', wanted, given });
}

/** A client without proof: the answer must not tell an unknown client from one that owes its secret. */
function unproven(client: CoreClient | Falsy, claim: ClientClaim): Error {
  if (claim.secret === '') return new InvalidRequestError('Missing parameter: `client_secret`');
  const rule = client ? 'the client proves who it is: it has a secret' : 'the client is known';
  return new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ rule });
}

/**
 * Rejects a client whose `client_id` or secret is wrong, or that belongs to another issuer. The response is the same; the event
 * has the reason, for which the client is looked up once more. Without listeners there is no second look-up.
 * @throws {InvalidClientError} Always.
 */
async function refuseSecret({ id }: ClientClaim, { model, events }: Options, isForeign: boolean): Promise<never> {
  let rule = isForeign ? OTHER_ISSUER : KNOWN;
  if (!isForeign && isHeard(events, 'client.refused')) {
    try {
      rule = (await model.getClient(id, null)) ? WRONG : UNKNOWN;
    } catch {
      // The refusal stays what it is; only its reason is less precise.
    }
  }
  throw new InvalidClientError('Invalid client: client is invalid').because({ rule, remedy: REMEDIES[rule] });
}

function verifyKnown(client: CoreClient | Falsy, model: Model): CoreClient {
  if (!client)
    throw new InvalidClientError('Invalid client: client is invalid').because({
      rule: UNKNOWN,
      remedy: REMEDIES[UNKNOWN],
    });
  if (client.id === undefined || client.id === null) warnOfModel(model, NO_ID);
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
