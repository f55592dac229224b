import { InvalidClientError, InvalidRequestError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { POST_LOGOUT_REDIRECT_URIS } from '../client-fields.js';
import { FORM_OR_URL, Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { CoreClient, User } from '../../model/model.js';
import { findClient } from '../../endpoints/authorization/destination.js';
import { queryUri } from '../../endpoints/authorization/redirects.js';
import { hintParameter } from '../hint-parameter.js';
import { type IdTokenHint, OPENID } from '../openid-capability.js';

/** A logout request of a client. RP-Initiated Logout 1.0 §2 */
export interface LogoutRequest {
  /** The client that sent the user to the logout page. If omitted, the request identifies no client. */
  client?: CoreClient;
  /** The claims of the ID token in `id_token_hint`. If omitted, the request has none. */
  hint?: IdTokenHint;
  /**
   * The URL to which the user is redirected after the logout, with the `state` of the request. If omitted, there is no
   * redirect.
   */
  redirect?: string;
}

/** Maximum number of characters of each parameter of a logout request. */
const MAX_LENGTH = 2000;

/**
 * Reads a logout request. The redirect URI must be exactly one that the client has registered. RP-Initiated Logout
 * 1.0 §2, §3
 * @throws {InvalidRequestError} If the request is invalid. Show the error to the user; do not redirect to the client.
 */
export async function readLogoutRequest(request: Request, server: ServerContext): Promise<LogoutRequest> {
  const parameters = new Parameters(request, FORM_OR_URL);
  const requestedId = parameters.optional('client_id', isShort);
  const sender = requestedId === undefined ? undefined : await knownClient(requestedId, request, server);
  const hint = await readHint(parameters, { request, server, sender });
  const clientId = requestedId ?? hint?.clientId;
  const uri = parameters.optional('post_logout_redirect_uri', (text) => text.length <= MAX_LENGTH);
  const state = parameters.optional('state', isShort);
  if (hint && clientId !== hint.clientId)
    throw invalidLogoutRequest('`id_token_hint` was issued to another client than the one in `client_id`');
  const client = sender ?? (clientId === undefined ? undefined : await knownClient(clientId, request, server));
  if (uri === undefined) return { ...(client && { client }), ...(hint && { hint }) };
  if (!client || !isRegistered(client, uri)) {
    throw invalidLogoutRequest('`post_logout_redirect_uri` is not registered for the client', REGISTER);
  }
  return { client, ...(hint && { hint }), redirect: state === undefined ? uri : queryUri(uri, { state }) };
}

/**
 * Returns a client from the model, or from its client ID metadata document.
 * @throws {InvalidRequestError} If the client is unknown.
 */
async function knownClient(clientId: string, request: Request, server: ServerContext): Promise<CoreClient> {
  try {
    return await findClient(clientId, server.options.model, server, request);
  } catch (error) {
    throw error instanceof InvalidClientError ? invalidLogoutRequest('the client is unknown') : error;
  }
}

/**
 * Whether the client has registered the URI. A string must not be accepted as a list, because its `includes` finds
 * substrings.
 */
function isRegistered(client: CoreClient, uri: string): boolean {
  const uris: unknown = POST_LOGOUT_REDIRECT_URIS.of(client);
  return Array.isArray(uris) && uris.includes(uri);
}

const isShort = (text: string) => text.length <= MAX_LENGTH && isVSCHAR(text);

/**
 * Whether the `id_token_hint` of a logout request identifies this user. If not, the user must confirm the logout.
 * RP-Initiated Logout 1.0 §2, §6
 */
export function identifiesUser({ client, hint }: LogoutRequest, user: User, server: ServerContext): boolean {
  if (hint === undefined || client === undefined) return false;
  return server.find(OPENID)?.isKnownAs(user, client, hint.sub) === true;
}

async function readHint(
  parameters: Parameters,
  { request, server, sender }: { request: Request; server: ServerContext; sender: CoreClient | undefined },
): Promise<IdTokenHint | undefined> {
  const text = hintParameter(parameters);
  if (text === undefined) return undefined;
  const hint = await server.find(OPENID)?.readHint(text, server.issuerOf(request), sender);
  if (!hint) throw invalidLogoutRequest('`id_token_hint` is not an ID token that this server has issued');
  return hint;
}

const REGISTER = 'add exactly this URI to `postLogoutRedirectUris` of the client';

const invalidLogoutRequest = (reason: string, remedy?: string) =>
  new InvalidRequestError(`Invalid request: ${reason}`).because({ reason, remedy });
