import { hash } from 'node:crypto';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, jwtVerify, type JWTPayload } from 'jose';
import { InvalidDpopProofError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { isNotVerified } from '../not-verified.js';
import type { DpopSettings } from './options.js';
import { publicKeyOf } from './public-key.js';
import { comparableUrl } from './target.js';

/** Maximum number of characters of a proof: one with an RSA key of 4096 bits has about 2000, one of ML-DSA-87 about 11,000. */
const LONGEST = 12_288;

/** What a proof must prove. */
export interface Expected {
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
export const refused = (rule: string, detail: { wanted?: unknown; given?: unknown } = {}) =>
  new InvalidDpopProofError(`Invalid DPoP proof: ${rule}`).because({ rule, ...detail });

/** The proof of a request; undefined: it brings none. @throws InvalidDpopProofError where there is not exactly one. RFC 9449 §4.3 */
export function readProof(request: Request): string | undefined {
  const given: unknown = request.get('dpop');
  if (given === undefined) return undefined;
  // Two headers of one name are joined by a comma.
  if (typeof given === 'string' && given.length <= LONGEST && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) return given;
  throw refused(`there is one header \`DPoP\` with a JWT of ${LONGEST} characters at most`);
}

/** @throws InvalidDpopProofError for a proof that does not hold. RFC 9449 §4.3 */
export async function verifyProof(text: string, expected: Expected, settings: DpopSettings): Promise<Proof> {
  const key = publicKeyOf(headerOf(text).jwk);
  if (typeof key === 'string') throw refused(key);
  const { algorithms, clockTolerance } = settings;
  let claims: JWTPayload;
  let jkt: string;
  try {
    jkt = await calculateJwkThumbprint(key);
    // Of another key no more is looked at.
    if (expected.token && !constantTimeEqual(jkt, expected.token.jkt))
      throw refused('it is by the key that the token is bound to');
    const { alg } = headerOf(text);
    if (!algorithms.includes(alg as never))
      throw refused('its algorithm is accepted', { wanted: algorithms, given: alg });
    const checks = { algorithms: [...algorithms], clockTolerance, typ: 'dpop+jwt' };
    claims = (await jwtVerify(text, await importJWK(key, alg), checks)).payload;
  } catch (error) {
    throw failureOf(error);
  }
  const { jti, nonce } = claims;
  if (typeof jti !== 'string' || jti === '') throw refused('it has a `jti`');
  return { jkt, jti, htu: verifyClaims(claims, expected, settings), nonce };
}

/** @returns the URL that it is for */
function verifyClaims(claims: JWTPayload, { request, urls, token }: Expected, settings: DpopSettings): string {
  const { htm, htu, iat, ath } = claims;
  if (htm !== request.method)
    throw refused('`htm` is the method of the request', { wanted: request.method, given: said(htm) });
  const url = comparableUrl(htu);
  const wanted = urls.map(comparableUrl);
  if (url === undefined || !wanted.includes(url)) {
    throw refused('`htu` is the URL of the request', { wanted, given: said(htu) });
  }
  const age = Date.now() / 1000 - (typeof iat === 'number' ? iat : Number.NaN);
  if (!(age >= -settings.clockTolerance && age <= settings.lifetime + settings.clockTolerance)) {
    throw refused('it was made now', { wanted: `${settings.lifetime} s at most`, given: `${Math.round(age)} s ago` });
  }
  if (token && !(typeof ath === 'string' && constantTimeEqual(ath, hash('sha256', token.value, 'base64url')))) {
    throw refused('`ath` is the hash of the access token');
  }
  return url;
}

const said = (value: unknown) => (typeof value === 'string' ? shortText(value) : typeof value);

function headerOf(text: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(text);
  } catch {
    throw refused('it is a JWT');
  }
}

/** Whatever `jose` and the keys of Node have against a proof is the client's fault. */
function failureOf(error: unknown): unknown {
  return isNotVerified(error) ? refused('it is a `dpop+jwt`, signed by its key', { given: error.message }) : error;
}
