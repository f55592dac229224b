import { hash } from 'node:crypto';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify, type JWTPayload } from 'jose';
import { InvalidDpopProofError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { isVerificationError } from '../verification-error.js';
import type { DpopSettings } from './options.js';
import { publicKeyOf } from './public-key.js';
import { comparableUrl } from './target.js';

/** Maximum number of characters of a proof: one with an RSA key of 4096 bits has about 2000, one of ML-DSA-87 about 11,000. */
const MAX_PROOF_LENGTH = 12_288;

/** What a proof must prove. */
export interface ExpectedProof {
  request: Request;
  /** For which of these it may be. */
  urls: readonly string[];
  /** The access token that comes with it, and the key that one is bound to. RFC 9449 §7 */
  token?: { value: string; jkt: string };
}

/** A proof that holds, as far as it can be told without asking whether it came before. */
export interface Proof {
  /** The key, by its thumbprint. RFC 7638 */
  jkt: string;
  jti: string;
  /** As it is compared. */
  htu: string;
  nonce: unknown;
}

/** A proof that proves nothing. */
export const invalidProof = (reason: string, detail: { expected?: unknown; given?: unknown } = {}) =>
  new InvalidDpopProofError(`Invalid DPoP proof: ${reason}`).because({ reason, ...detail });

/** The proof of a request; undefined: it brings none. @throws InvalidDpopProofError where there is not exactly one. RFC 9449 §4.3 */
export function readProof(request: Request): string | undefined {
  const given: unknown = request.get('dpop');
  if (given === undefined) return undefined;
  // Two headers of one name are joined by a comma.
  if (typeof given === 'string' && given.length <= MAX_PROOF_LENGTH && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(given))
    return given;
  throw invalidProof(`there is one header \`DPoP\` with a JWT of ${MAX_PROOF_LENGTH} characters at most`);
}

/** @throws InvalidDpopProofError for a proof that does not hold. RFC 9449 §4.3 */
export async function verifyProof(text: string, expected: ExpectedProof, settings: DpopSettings): Promise<Proof> {
  const key = publicKeyOf(headerOf(text).jwk);
  if (typeof key === 'string') throw invalidProof(key);
  const { algorithms, clockTolerance } = settings;
  let claims: JWTPayload;
  let jkt: string;
  try {
    jkt = await calculateJwkThumbprint(key);
    // Of another key no more is looked at.
    if (expected.token && !constantTimeEqual(jkt, expected.token.jkt))
      throw invalidProof('it is by the key that the token is bound to');
    const { alg } = headerOf(text);
    if (!algorithms.includes(alg as never))
      throw invalidProof('its algorithm is accepted', { expected: algorithms, given: alg });
    const checks = { algorithms: [...algorithms], clockTolerance, typ: 'dpop+jwt' };
    claims = (await jwtVerify(text, await importJWK(key, alg), checks)).payload;
  } catch (error) {
    throw toProofError(error);
  }
  const { jti, nonce } = claims;
  if (typeof jti !== 'string' || jti === '') throw invalidProof('it has a `jti`');
  return { jkt, jti, htu: verifyClaims(claims, expected, settings), nonce };
}

/** @returns the URL that it is for */
function verifyClaims(claims: JWTPayload, { request, urls, token }: ExpectedProof, settings: DpopSettings): string {
  const { htm, htu, iat, ath } = claims;
  if (htm !== request.method)
    throw invalidProof('`htm` is the method of the request', { expected: request.method, given: loggable(htm) });
  const url = comparableUrl(htu);
  const wanted = urls.map(comparableUrl);
  if (url === undefined || !wanted.includes(url)) {
    throw invalidProof('`htu` is the URL of the request', { expected: wanted, given: loggable(htu) });
  }
  const age = Date.now() / 1000 - (typeof iat === 'number' ? iat : Number.NaN);
  if (!(age >= -settings.clockTolerance && age <= settings.lifetime + settings.clockTolerance)) {
    throw invalidProof('it was made now', {
      expected: `${settings.lifetime} s at most`,
      given: `${Math.round(age)} s ago`,
    });
  }
  if (token && !(typeof ath === 'string' && constantTimeEqual(ath, hash('sha256', token.value, 'base64url')))) {
    throw invalidProof('`ath` is the hash of the access token');
  }
  return url;
}

const loggable = (value: unknown) => (typeof value === 'string' ? shortText(value) : typeof value);

function headerOf(text: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(text);
  } catch {
    throw invalidProof('it is a JWT');
  }
}

/** Whatever `jose` and the keys of Node have against a proof is the client's fault. */
function toProofError(error: unknown): unknown {
  return isVerificationError(error)
    ? invalidProof('it is a `dpop+jwt`, signed by its key', { given: error.message })
    : error;
}
