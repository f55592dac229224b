import { hash } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { InvalidDpopProofError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { thumbprint } from '../keys/key-material.js';
import { isVerificationError } from '../verification-error.js';
import { verifyJwt } from '../verify-jwt.js';
import type { DpopSettings } from './options.js';
import type { ProofKey, ProofKeys } from './proof-keys.js';
import { publicKeyOf } from './public-key.js';
import { comparableUrl } from './target.js';

/**
 * Maximum number of characters of a proof. A proof with a 4096-bit RSA key has about 2,000, one with ML-DSA-87 about
 * 11,000.
 */
const MAX_PROOF_LENGTH = 12_288;

/** What a DPoP proof must match to be valid: the request and, at a resource, the access token. */
export interface ExpectedProof {
  request: Request;
  /** The URLs of which one must be the `htu` of the proof. */
  urls: readonly string[];
  /**
   * The access token that is presented with the proof, and the thumbprint of the key that it is bound to. RFC 9449 §7
   */
  token?: { value: string; jkt: string };
}

/** A verified DPoP proof. Whether it was used before is not verified yet. */
export interface Proof {
  /** The JWK thumbprint of the key with which the proof is signed. RFC 7638 */
  jkt: string;
  jti: string;
  /** The URL in `htu` of the proof, normalized for comparison. */
  htu: string;
  nonce: unknown;
}

/**
 * Returns the error for an invalid DPoP proof. The reason is sent to the client and logged. The detail is only logged.
 */
export const invalidProof = (reason: string, detail: { expected?: unknown; given?: unknown } = {}) =>
  new InvalidDpopProofError(`Invalid DPoP proof: ${reason}`).because({ reason, ...detail });

/**
 * Returns the DPoP proof of a request, or `undefined` if the header is missing. RFC 9449 §4.3
 * @throws {InvalidDpopProofError} If the header is malformed, too long, or sent more than once.
 */
export function readProof(request: Request): string | undefined {
  const given: unknown = request.get('dpop');
  if (given === undefined) return undefined;
  // Node.js joins repeated headers with a comma, which the pattern does not allow.
  if (typeof given === 'string' && given.length <= MAX_PROOF_LENGTH && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(given))
    return given;
  throw invalidProof(`the header \`DPoP\` is not a single JWT of at most ${MAX_PROOF_LENGTH} characters`);
}

/**
 * Verifies the key, the signature and the claims of a DPoP proof. Does not verify that it was not used before.
 * RFC 9449 §4.3
 * @throws {InvalidDpopProofError} If the proof is invalid.
 */
export async function verifyProof(
  text: string,
  expected: ExpectedProof,
  settings: DpopSettings,
  keys: ProofKeys,
): Promise<Proof> {
  const { alg, jwk } = headerOf(text);
  const key = publicKeyOf(jwk);
  if (typeof key === 'string') throw invalidProof(key);
  const { algorithms, clockTolerance } = settings;
  const jkt = thumbprint(key);
  // Reject another key before the signature is verified, which is more expensive.
  if (expected.token && !constantTimeEqual(jkt, expected.token.jkt))
    throw invalidProof('the key of the proof is not the key that the access token is bound to');
  if (!algorithms.includes(alg as never))
    throw invalidProof('the signature algorithm of the proof is not accepted', { expected: algorithms, given: alg });
  let claims: JWTPayload;
  try {
    const checks = { algorithms: [...algorithms], clockTolerance, typ: 'dpop+jwt' };
    let imported: ProofKey | undefined;
    const keyOfProof = async () => (imported = await keys.import(jkt, key));
    claims = (await verifyJwt(text, keyOfProof, checks)).payload;
    keys.remember(jkt, imported);
  } catch (error) {
    throw toProofError(error);
  }
  const { jti, nonce } = claims;
  if (typeof jti !== 'string' || jti === '') throw invalidProof('the proof has no `jti`');
  return { jkt, jti, htu: verifyClaims(claims, expected, settings), nonce };
}

/**
 * Verifies the claims of a proof.
 * @returns The normalized URL in `htu`.
 * @throws {InvalidDpopProofError} If a claim does not match the request.
 */
function verifyClaims(claims: JWTPayload, { request, urls, token }: ExpectedProof, settings: DpopSettings): string {
  const { htm, htu, iat, ath } = claims;
  if (htm !== request.method)
    throw invalidProof('`htm` of the proof is not the method of the request', {
      expected: request.method,
      given: loggable(htm),
    });
  const url = comparableUrl(htu);
  const comparableUrls = urls.map(comparableUrl);
  if (url === undefined || !comparableUrls.includes(url)) {
    throw invalidProof('`htu` of the proof is not the URL of the request', {
      expected: comparableUrls,
      given: loggable(htu),
    });
  }
  const age = Date.now() / 1000 - (typeof iat === 'number' ? iat : Number.NaN);
  if (!(age >= -settings.clockTolerance && age <= settings.lifetime + settings.clockTolerance)) {
    throw invalidProof('`iat` of the proof is missing, too old or in the future', {
      expected: `at most ${settings.lifetime} s ago`,
      given: `${Math.round(age)} s ago`,
    });
  }
  if (token && !(typeof ath === 'string' && constantTimeEqual(ath, hash('sha256', token.value, 'base64url')))) {
    throw invalidProof('`ath` of the proof is not the hash of the access token');
  }
  return url;
}

const loggable = (value: unknown) => (typeof value === 'string' ? shortText(value) : typeof value);

function headerOf(text: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(text);
  } catch {
    throw invalidProof('the proof is not a JWT');
  }
}

/**
 * Converts an error of `jose`, or of Node.js for an invalid key, into the error for an invalid proof, since the client
 * caused it. Returns any other error unchanged.
 */
function toProofError(error: unknown): unknown {
  return isVerificationError(error)
    ? invalidProof('the proof is not a `dpop+jwt` with a valid signature of its key', { given: error.message })
    : error;
}
