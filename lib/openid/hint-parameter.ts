import { InvalidRequestError } from '../errors/index.js';
import type { Parameters } from '../http/parameters.js';
import { isVSCHAR, type Syntax } from '../http/syntax.js';
import type { CoreClient } from '../model/model.js';
import type { IdTokenHint, OpenIdProvider } from './openid-capability.js';

/** Maximum number of characters of a hint. ID tokens are shorter. */
const MAX_TOKEN_LENGTH = 16_384;

/** Whether a text has the length and characters of a token that identifies a user. */
export const isHintToken: Syntax = (text) => text.length <= MAX_TOKEN_LENGTH && isVSCHAR(text);

/** Returns the unverified parameter `id_token_hint`. OpenID Connect Core §3.1.2.1, CIBA §7.1, RP-Initiated Logout §2 */
export const hintParameter = (parameters: Parameters): string | undefined =>
  parameters.optional('id_token_hint', isHintToken);

/**
 * Reads an `id_token_hint`: an ID token that this server issued to the client that sends it. It may have expired.
 * OpenID Connect Core §3.1.2.2
 * @throws {InvalidRequestError} If it is another token, or was issued to another client.
 */
export async function readOwnHint(
  provider: OpenIdProvider,
  text: string,
  { client, issuer }: { client: CoreClient; issuer?: string | undefined },
): Promise<IdTokenHint> {
  const hint = await provider.readHint(text, issuer, client);
  // Check `hint` first: two undefined client IDs must not match.
  if (hint && hint.clientId === client.id) return hint;
  const reason = '`id_token_hint` is not an ID token that this server issued to the client';
  throw new InvalidRequestError('Invalid parameter: `id_token_hint`').because({ reason });
}
