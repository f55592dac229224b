import { InvalidRequestError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Parameters } from '../http/parameters.js';
import { isVSCHAR, type Syntax } from '../http/syntax.js';
import type { Client } from '../model/model.js';
import { findOpenId, type IdTokenHint } from './openid-feature.js';

/** No ID token of a sane host has more characters, and nothing longer is looked at. */
const LONGEST = 16_384;

/** May it be a token that says who somebody is? */
export const isHintToken: Syntax = (text) => text.length <= LONGEST && isVSCHAR(text);

/** The parameter `id_token_hint`, which nobody has verified yet. OpenID Connect Core §3.1.2.1, CIBA §7.1, RP-Initiated Logout §2 */
export const hintParameter = (parameters: Parameters): string | undefined =>
  parameters.optional('id_token_hint', isHintToken);

/**
 * The ID token of this server, given out to the client that brings it, be it long over. OpenID Connect Core §3.1.2.2
 * @throws InvalidRequestError where it is none
 */
export async function ownHint(
  server: ServerContext,
  text: string,
  { client, issuer }: { client: Client; issuer?: string | undefined },
): Promise<IdTokenHint> {
  const hint = await findOpenId(server)!.readHint(server, text, issuer, client);
  // Two that are missing are not the same.
  if (hint && hint.clientId === client.id) return hint;
  const rule = 'an ID token that is a hint was given out by this server, to the client that brings it';
  throw new InvalidRequestError('Invalid parameter: `id_token_hint`').because({ rule });
}
