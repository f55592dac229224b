import { errors, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult } from 'jose';

/** Seconds by which the clock of whoever signs may differ, where the host says nothing: FAPI 2.0 SP §5.3.2.1 (13) asks for as many. */
export const CLOCK_TOLERANCE = 10;

/** Keys without a `kid` that are tried for one JWT. */
const MAX_KEYS = 4;

/** What a JWT has to be; by what it may be signed is never left open. RFC 8725 §3.1 */
export type JwtChecks = JWTVerifyOptions & Required<Pick<JWTVerifyOptions, 'algorithms'>>;

/**
 * The claims of a JWT whose signature is good and whose time has not passed. Keys that have no name are tried one by one.
 * Rejects as `jose` does. RFC 7519 §7.2, RFC 7515 §4.1.4
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
