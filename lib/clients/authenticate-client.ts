import {
  InvalidClientError,
  InvalidRequestError,
  ServerError,
  toOAuthError,
  UnauthorizedClientError,
} from '../errors.js';
import { shortText } from '../events.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { Client, Falsy, Model } from '../model/model.js';
import { NO_ID, warnOfModel } from '../model/model-mistakes.js';
import type { Options } from '../options.js';
import type { ClientClaim } from './client-authentication.js';
import { CLIENT_AUTHENTICATIONS } from './index.js';
import { isExcused, isPublic } from './none.js';

/** Finds the client of a request and checks that it is who it says. RFC 6749 §3.2.1 */
export async function authenticateClient(request: Request, options: Options): Promise<Client> {
  try {
    const claim = readClaim(request);
    const client = await options.model.getClient(claim.id, claim.secret || null);
    return verifyClient(claim.secret ? client : verifyUnproven(client, claim, request, options), options.model);
  } catch (error) {
    // 401 demands a challenge, and Basic is the one scheme every client may use. RFC 9110 §15.5.2
    const failure = toOAuthError(error);
    throw failure instanceof InvalidClientError ? new InvalidClientError(failure, { code: 401 }) : failure;
  }
}

function readClaim(request: Request): ClientClaim {
  let claim: ClientClaim | undefined;
  for (const authentication of CLIENT_AUTHENTICATIONS) {
    const found = authentication.claim(request);
    if (found && claim) {
      throw new InvalidRequestError('Invalid request: only one client authentication method is allowed');
    }
    claim ??= found;
  }
  if (!claim) {
    const rule = 'the client says who it is, in the `Authorization` header or by `client_id`';
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ rule });
  }
  if (!claim.id) throw new InvalidRequestError('Missing parameter: `client_id`');
  if (!isVSCHAR(claim.id)) throw new InvalidRequestError('Invalid parameter: `client_id`');
  if (claim.secret && !isVSCHAR(claim.secret)) throw new InvalidRequestError('Invalid parameter: `client_secret`');
  return claim;
}

/** Who a request says it comes from, whether that is well said or not: for the operator. */
export function claimedId(request: Request): string | undefined {
  for (const authentication of CLIENT_AUTHENTICATIONS) {
    try {
      const id = authentication.claim(request)?.id;
      if (id && isVSCHAR(id)) return shortText(id);
    } catch {
      // What cannot be read names nobody.
    }
  }
  return undefined;
}

/** A client without proof: the answer must not tell an unknown client from one that owes its secret. */
function verifyUnproven(
  client: Client | Falsy,
  claim: ClientClaim,
  request: Request,
  options: Options,
): Client | Falsy {
  if (isExcused(client, request, options)) return client;
  // That it has no secret is no secret either: it owes none, and may not ask for this. RFC 6749 §4.4
  if (client && isPublic(client)) {
    const rule = 'a client acts for itself only by a secret, and this one has none';
    throw new UnauthorizedClientError('Unauthorized client: `grant_type` is invalid').because({ rule });
  }
  if (claim.secret === '') throw new InvalidRequestError('Missing parameter: `client_secret`');
  const rule = client ? 'the client proves who it is: it has a secret' : 'the client is known';
  throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because({ rule });
}

function verifyClient(client: Client | Falsy, model: Model): Client {
  if (!client) throw new InvalidClientError('Invalid client: client is invalid').because({ rule: KNOWN });
  if (client.id === undefined || client.id === null) warnOfModel(model, NO_ID);
  if (!client.grants) throw new ServerError('Server error: missing client `grants`');
  if (!Array.isArray(client.grants)) throw new ServerError('Server error: `grants` must be an array');
  return client;
}

const KNOWN = '`getClient()` finds the client, and its secret is right';

/** Does the request come without any proof of who the client is? */
export function isPublicRequest(request: Request): boolean {
  return !readClaim(request).secret;
}
