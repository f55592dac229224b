import { createHash, createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';

/** A key pair of a client of the lab, for ES256. */
export class LabKey {
  readonly jwk: JsonWebKey & { kid: string };
  private readonly privateKey: KeyObject;

  constructor(readonly kid: string) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    this.jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  }

  /** The public key without the members that say how to use it, for the header of a DPoP proof. */
  get bareJwk(): JsonWebKey {
    const { kty, crv, x, y } = this.jwk;
    return { kty, crv, x, y };
  }

  /** The private key as a JWK, which no JWT may contain. */
  get privateJwk(): JsonWebKey {
    return this.privateKey.export({ format: 'jwk' });
  }

  /** Returns a signed JWT. Members of the header replace the default ones; `undefined` removes one. */
  sign(claims: object, header: object = {}): string {
    const input = signingInput({ alg: 'ES256', kid: this.kid, ...header }, claims);
    const signature = sign('sha256', Buffer.from(input), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signingInput = (header: object, claims: object) => `${encode(header)}.${encode(claims)}`;

/** Returns a JWT without a signature: `alg` is `none`. RFC 8725 §2.1 */
export const unsignedJwt = (claims: object, header: object = {}): string =>
  `${signingInput({ ...header, alg: 'none' }, claims)}.`;

/** Returns a JWT whose HMAC key is a text that is not secret, such as a public key. RFC 8725 §2.1 */
export function hmacJwt(claims: object, key: string, header: object = {}): string {
  const input = signingInput({ ...header, alg: 'HS256' }, claims);
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

/** Returns the header and the claims of a JWT without verifying it. `undefined` if the text is not a JWT. */
export function readJwt(
  text: string,
): { header: Record<string, unknown>; claims: Record<string, unknown> } | undefined {
  const parts = text.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    return { header, claims };
  } catch {
    return undefined;
  }
}

/** Returns a JWT with other claims and the signature of the original. */
export function tamperedJwt(text: string, claims: object): string {
  const [header, , signature] = text.split('.');
  return `${header}.${encode({ ...readJwt(text)?.claims, ...claims })}.${signature}`;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The current time in seconds. */
export const seconds = (): number => Math.floor(Date.now() / 1000);
