import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { ALGORITHMS } from '../jose/algorithms.js';
import { ENCRYPTED_RESPONSE } from '../jose/encryption/find-encryption.js';
import { decryptNested, isEncrypted } from '../jose/decryption/nested.js';
import { jwkSet, type KeyRing } from '../jose/keys/key-ring.js';
import { isVerificationError } from '../jose/verification-error.js';
import type { CoreClient } from '../model/model.js';
import { isObject } from '../http/is-object.js';
import { isHintToken } from './hint-parameter.js';
import type { IdTokenHint } from './openid-capability.js';

/**
 * Whether the client receives encrypted ID tokens and may therefore send encrypted hints. Hints of other clients are
 * not decrypted. OpenID Connect Core §3.1.2.1
 */
const mayEncrypt = (client: CoreClient | undefined): boolean =>
  client !== undefined && ENCRYPTED_RESPONSE.id_token.alg.of(client) !== undefined;

/**
 * Returns the ID token in a hint, decrypted if the client encrypted it to this server. Returns `undefined` if the hint
 * cannot be read.
 */
export async function decryptHint(
  ring: KeyRing,
  hint: string,
  client: CoreClient | undefined,
): Promise<string | undefined> {
  if (!isHintToken(hint)) return undefined;
  if (!isEncrypted(hint)) return hint;
  return mayEncrypt(client) ? await decryptNested(ring, hint, { algorithms: ring.decryptionAlgorithms() }) : undefined;
}

/**
 * Verifies an ID token of this server, even if it has expired, and returns its claims. Returns `undefined` for any
 * other token. OpenID Connect Core §3.1.2.1
 */
export async function readIdTokenHint(
  ring: KeyRing,
  hint: string,
  issuer: string | undefined,
): Promise<IdTokenHint | undefined> {
  if (!isHintToken(hint) || issuer === undefined) return undefined;
  try {
    // Other JWTs with the same signing keys, such as access tokens, have another `typ`.
    if ((decodeProtectedHeader(hint).typ ?? 'JWT') !== 'JWT') return undefined;
    const keys = createLocalJWKSet((await jwkSet(ring)) as JSONWebKeySet);
    const { payload } = await compactVerify(hint, keys, { algorithms: [...ALGORITHMS] });
    return hintOf(JSON.parse(new TextDecoder().decode(payload)), issuer);
  } catch (error) {
    if (isVerificationError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the hint if the claims are those of an ID token. A signed userinfo response, for example, has no `exp`. */
function hintOf(claims: unknown, issuer: string): IdTokenHint | undefined {
  if (!isObject(claims)) return undefined;
  const { iss, sub, aud, exp, iat, sid, events } = claims;
  const isIdToken = iss === issuer && events === undefined && Number.isFinite(exp) && Number.isFinite(iat);
  if (!isIdToken || typeof sub !== 'string' || typeof aud !== 'string') return undefined;
  return { clientId: aud, sub, ...(typeof sid === 'string' && { sid }), claims };
}
