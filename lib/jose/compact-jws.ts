import { type CompactJWSHeaderParameters, errors } from 'jose';
import { isObject } from '../http/is-object.js';
import type { Sign, Verify } from './signatures.js';

/** A signed JWT in compact form, whose signature may not be verified yet. RFC 7515 §7.1 */
export interface CompactJws {
  readonly token: string;
  readonly header: CompactJWSHeaderParameters;
  /** The payload in base64url. */
  readonly payload: string;
  /** The signature in base64url. */
  readonly signature: string;
}

/**
 * Reads a JWS in compact form. Each part must be canonical base64url, so that a token has a single spelling. A header
 * with `crit` is rejected, because the library understands no extensions. The members `jku`, `jwk`, `x5u` and `x5c` are
 * ignored: the caller determines the key. RFC 7515 §4.1.11, §5.2, RFC 8725 §3.1
 * @param algorithms the accepted signature algorithms
 * @throws {JWSInvalid} If the text is not a JWS in compact form.
 * @throws {JOSEAlgNotAllowed} If the algorithm is not accepted.
 */
export function readCompactJws(token: string, algorithms: readonly string[]): CompactJws {
  const parts = token.split('.', 4);
  if (parts.length !== 3) throw new errors.JWSInvalid('Invalid Compact JWS');
  const [protectedHeader, payload, signature] = parts as [string, string, string];
  const header = readHeader(protectedHeader);
  if (!isCanonical(payload) || !isCanonical(signature))
    throw new errors.JWSInvalid('The payload and the signature of a JWS must be base64url');
  if (header.crit !== undefined) throw new errors.JOSENotSupported('The header parameter "crit" is not supported');
  const { alg } = header;
  if (typeof alg !== 'string' || alg === '') throw new errors.JWSInvalid('The header parameter "alg" is missing');
  if (!algorithms.includes(alg)) throw new errors.JOSEAlgNotAllowed('The signature algorithm is not accepted');
  return { token, header, payload, signature };
}

/**
 * Verifies the signature of a JWS.
 * @throws {JWSSignatureVerificationFailed} If the signature is invalid.
 */
export async function verifySignature({ token, signature }: CompactJws, verify: Verify): Promise<void> {
  const input = token.slice(0, token.lastIndexOf('.'));
  if (!(await verify(input, Buffer.from(signature, 'base64url')))) throw new errors.JWSSignatureVerificationFailed();
}

/** Signs a payload and returns the JWS in compact form. RFC 7515 §7.1 */
export async function signCompactJws(header: object, payload: object, sign: Sign): Promise<string> {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const signature = Buffer.from(await sign(input));
  return `${input}.${signature.toString('base64url')}`;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

function readHeader(text: string): CompactJWSHeaderParameters {
  let header: unknown;
  try {
    if (isCanonical(text)) header = JSON.parse(strictUtf8.decode(Buffer.from(text, 'base64url')));
  } catch {
    // The header is not UTF-8 or not JSON.
  }
  if (!isObject(header)) throw new errors.JWSInvalid('The header of a JWS must be a JSON object');
  return header as CompactJWSHeaderParameters;
}

/** Whether a text is base64url without padding and without bits that a decoder ignores. RFC 4648 §3.5, §5 */
function isCanonical(text: string): boolean {
  if (!/^[\w-]*$/.test(text)) return false;
  const rest = text.length % 4;
  if (rest === 0) return true;
  return rest !== 1 && (ALPHABET.indexOf(text.at(-1)!) & (rest === 2 ? 0b1111 : 0b11)) === 0;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
