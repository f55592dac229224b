import {
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  UnsecuredJWT,
} from 'jose';
import { type CompactJws, readCompactJws, verifySignature } from './compact-jws.js';
import { verifierFor } from './signatures.js';
import type { VerifiedSignatures } from './verified-signatures.js';

/** The default clock skew in seconds that is accepted from signers. FAPI 2.0 SP §5.3.2.1 (13) requires this value. */
export const CLOCK_TOLERANCE = 10;

/** Maximum number of keys that are tried for a JWT without a `kid`. */
const MAX_KEYS = 4;

/** The checks of a JWT. The accepted algorithms are required. RFC 8725 §3.1 */
export type JwtChecks = JWTVerifyOptions &
  Required<Pick<JWTVerifyOptions, 'algorithms'>> & {
    /** Remembers valid signatures. Set for JWTs that are sent several times, which are access tokens. */
    verified?: VerifiedSignatures;
  };

/**
 * Verifies the signature and the time claims of a JWT and returns its claims. If several keys match, because the JWT
 * has no `kid`, they are tried one by one. Rejects with the errors of `jose`. RFC 7519 §7.2, RFC 7515 §4.1.4
 */
export async function verifyJwt(token: string, keys: JWTVerifyGetKey, checks: JwtChecks): Promise<JWTVerifyResult> {
  const jws = readCompactJws(token, checks.algorithms);
  try {
    return await verifyWithKey(jws, await keys(jws.header, jws), checks);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return await verifyWithEachKey(jws, error, checks);
    throw error;
  }
}

/** A key as a function of the type `JWTVerifyGetKey` returns it. */
type VerificationKey = Awaited<ReturnType<JWTVerifyGetKey>>;

async function verifyWithKey(jws: CompactJws, key: VerificationKey, checks: JwtChecks): Promise<JWTVerifyResult> {
  const verify = verifierFor(jws.header.alg, key);
  // `jose` verifies with shared secrets and keys of the Web Crypto API, and rejects keys that do not fit the algorithm.
  if (!verify) return await jwtVerify(jws.token, key, checks);
  const { verified } = checks;
  if (verified) await verified.verify(jws.token, key, () => verifySignature(jws, verify));
  else await verifySignature(jws, verify);
  return { payload: verifyClaims(jws, checks), protectedHeader: jws.header };
}

/**
 * Verifies the claims of a JWT whose signature was verified. `jose` exports this only for JWTs without a signature, so
 * it gets the same claims in such a JWT.
 */
function verifyClaims({ header: { typ }, payload }: CompactJws, checks: JwtChecks) {
  const unsecuredHeader = Buffer.from(JSON.stringify({ alg: 'none', typ })).toString('base64url');
  return UnsecuredJWT.decode(`${unsecuredHeader}.${payload}.`, checks).payload;
}

async function verifyWithEachKey(jws: CompactJws, candidates: errors.JWKSMultipleMatchingKeys, checks: JwtChecks) {
  let tries = 0;
  for await (const key of candidates) {
    if (++tries > MAX_KEYS) break;
    try {
      return await verifyWithKey(jws, key, checks);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}
