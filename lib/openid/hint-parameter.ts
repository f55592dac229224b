import { InvalidRequestError } from '../errors/index.js';
import type { Parameters } from '../http/parameters.js';
import { isVSCHAR, type Syntax } from '../http/syntax.js';
import type { CoreClient } from '../model/model.js';
import type { IdTokenHint, OpenIdProvider } from './openid-capability.js';

/** No ID token of a sane host has more characters, and nothing longer is looked at. */
const MAX_TOKEN_LENGTH = 16_384;

/** May it be a token that says who somebody is? */
export const isHintToken: Syntax = (text) => text.length <= MAX_TOKEN_LENGTH && isVSCHAR(text);

/** The parameter `id_token_hint`, which nobody has verified yet. OpenID Connect Core §3.1.2.1, CIBA §7.1, RP-Initiated Logout §2 */
export const hintParameter = (parameters: Parameters): string | undefined =>
  parameters.optional('id_token_hint', isHintToken);

/**
 * Reads an ID token of this server that was issued to the client which returns it. It may have expired. OpenID Connect Core §3.1.2.2
 * @throws {InvalidRequestError} If it is not such an ID token.
 */
export async function readOwnHint(
  provider: OpenIdProvider,
  text: string,
  { client, issuer }: { client: CoreClient; issuer?: string | undefined },
): Promise<IdTokenHint> {
  const hint = await provider.readHint(text, issuer, client);
  // Two that are missing are not the same.
  if (hint && hint.clientId === client.id) return hint;
  const reason = 'an ID token that is a hint was given out by this server, to the client that brings it';
  throw new InvalidRequestError('Invalid parameter: `id_token_hint`').because({ reason });
}
