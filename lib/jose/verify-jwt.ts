import { errors, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult } from 'jose';

/** The default clock skew in seconds that is accepted from signers. FAPI 2.0 SP §5.3.2.1 (13) requires this value. */
export const CLOCK_TOLERANCE = 10;

/** Maximum number of keys that are tried for a JWT without a `kid`. */
const MAX_KEYS = 4;

/** The checks of a JWT. The accepted algorithms are required. RFC 8725 §3.1 */
export type JwtChecks = JWTVerifyOptions & Required<Pick<JWTVerifyOptions, 'algorithms'>>;

/**
 * Verifies the signature and the time claims of a JWT and returns its claims. If several keys match, because the JWT
 * has no `kid`, they are tried one by one. Rejects with the errors of `jose`. RFC 7519 §7.2, RFC 7515 §4.1.4
 */
export async function verifyJwt(token: string, keys: JWTVerifyGetKey, checks: JwtChecks): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, checks);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return await verifyWithEachKey(token, error, checks);
    throw error;
  }
}

async function verifyWithEachKey(token: string, candidates: errors.JWKSMultipleMatchingKeys, checks: JwtChecks) {
  let tries = 0;
  for await (const key of candidates) {
    if (++tries > MAX_KEYS) break;
    try {
      return await jwtVerify(token, key, checks);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}
