import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, errors, jwtVerify, SignJWT } from 'jose';
import { type JwkSet, JwtTokens, type SigningAlgorithm } from 'nest-oauth2/jose';

import { rsaKey } from '../../support/keys/rsa-key.js';

/** The number of tokens of the whole test. Many more can be tried with `FUZZ_TOKENS=1000000`. */
const TOKENS = Number(process.env['FUZZ_TOKENS'] ?? 6000);
const ALGORITHMS = 'ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512 EdDSA Ed25519'.split(
  ' ',
) as SigningAlgorithm[];
const CURVES: Record<string, string> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

const issuer = 'https://id.example.com';
const audience = 'https://notes.example.com';
const otherRsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

function newKey(alg: string, isOther: boolean): KeyObject {
  if (/^[RP]S/.test(alg)) return isOther ? otherRsaKey : rsaKey;
  if (alg in CURVES) return generateKeyPairSync('ec', { namedCurve: CURVES[alg]! }).privateKey;
  return generateKeyPairSync('ed25519').privateKey;
}

/** A pseudo-random number generator with a seed, so that a failure can be repeated (mulberry32). */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;

/** Whether each part of a token is the base64url text that an encoder writes for its bytes. */
const isCanonical = (token: string) =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/** Header members that some implementations act upon. */
const HEADER_CHANGES: readonly object[] = [
  {},
  { crit: ['b64'], b64: true },
  { crit: ['b64'], b64: false },
  { crit: ['exp'], exp: 1 },
  { crit: [] },
  { crit: null },
  { b64: false },
  { b64: true },
  { jku: 'https://attacker.example.com/jwks' },
  { x5u: 'https://attacker.example.com/chain' },
  { x5c: ['MIIB'] },
  { jwk: { kty: 'oct', k: 'AA' } },
  { kid: undefined },
  { kid: 'unknown' },
  { kid: 7 },
  { alg: undefined },
  { alg: 'none' },
  { alg: 'HS256' },
  { alg: ['ES256'] },
  { alg: 'es256' },
  { cty: 'JWT' },
  { nonce: 'one' },
];

async function subject(alg: SigningAlgorithm) {
  const [key, otherKey] = [newKey(alg, false), newKey(alg, true)];
  const jwk = { ...createPublicKey(key).export({ format: 'jwk' }), kid: 'own', alg, use: 'sig' };
  const otherJwk = { ...createPublicKey(otherKey).export({ format: 'jwk' }), kid: 'other', use: 'sig' };
  const jwks: JwkSet = { keys: [jwk, otherJwk] };
  const claims = { iss: issuer, aud: audience, sub: 'alice', client_id: 'web', jti: 'one', scope: 'read' };
  const sign = async (signingKey: KeyObject, kid: string) =>
    await new SignJWT(claims)
      .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
      .setIssuedAt()
      .setExpirationTime('1d')
      .sign(signingKey);
  const tokens = await Promise.all([sign(key, 'own'), sign(otherKey, 'other'), sign(otherKey, 'own')]);
  const set = createLocalJWKSet(jwks as never);
  const requiredClaims = ['sub', 'client_id', 'jti', 'exp', 'iat'];
  const checks = { issuer, audience, algorithms: ALGORITHMS as string[], typ: 'at+jwt', requiredClaims };
  const api = new JwtTokens({ issuer, audience, jwks, algorithms: ALGORITHMS });
  return {
    tokens,
    /** Signs a changed header or changed claims with the real key, but in some cases with a wrong hash or encoding. */
    signAgain(header: object, payload: object, hash: 'own' | '256' | '512' | 'DER' | 'HMAC'): string {
      const input = `${encode(header)}.${encode(payload)}`;
      if (hash === 'HMAC') {
        const secret = createPublicKey(key).export({ format: 'pem', type: 'spki' });
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      }
      const bits = hash === 'own' || hash === 'DER' ? alg.slice(2) : hash;
      const format = {
        dsaEncoding: hash === 'DER' ? ('der' as const) : ('ieee-p1363' as const),
        ...(alg.startsWith('PS') && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(bits) / 8 }),
      };
      const name = key.asymmetricKeyType === 'ed25519' ? null : `sha${bits}`;
      return `${input}.${signBytes(name, Buffer.from(input), { key, ...format }).toString('base64url')}`;
    },
    isAccepted: async (token: string) =>
      await api.getAccessToken(token).then(
        () => true,
        () => false,
      ),
    async isAcceptedByJose(token: string): Promise<boolean> {
      try {
        return Boolean(await jwtVerify(token, set, checks));
      } catch (error) {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false;
        for await (const one of error) {
          const isVerified = await jwtVerify(token, one, checks).catch(() => undefined);
          if (isVerified) return true;
        }
        return false;
      }
    },
  };
}

type Subject = Awaited<ReturnType<typeof subject>>;

function changed({ tokens, signAgain }: Subject, random: (limit: number) => number): string {
  const token = tokens[random(tokens.length)]!;
  const [header, payload, signature] = token.split('.') as [string, string, string];
  const pick = <T>(values: readonly T[]) => values[random(values.length)]!;
  const position = random(token.length);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\t\0é'.split('');
  const bytes = Buffer.from(signature, 'base64url');
  const changes: (() => string)[] = [
    () => token,
    () => token.slice(0, position) + pick(alphabet) + token.slice(position + 1),
    () => token.slice(0, position) + pick(alphabet) + token.slice(position),
    () => token.slice(0, position) + token.slice(position + 1),
    // The last characters of the parts contain bits that a lenient decoder ignores.
    () => token.slice(0, -1) + pick(alphabet),
    () => `${header}.${payload.slice(0, -1)}${pick(alphabet)}.${signature}`,
    () => `${header}.${payload}.${signature}${pick(['=', '==', 'A', '.', '\n', ' '])}`,
    () => `${header}.${payload}.`,
    () => `${header}.${payload}.${Buffer.concat([Buffer.alloc(random(3)), bytes]).toString('base64url')}`,
    () => `${header}.${payload}.${bytes.subarray(0, random(bytes.length)).toString('base64url')}`,
    () => `${header}.${payload}.${Buffer.alloc(bytes.length, pick([0, 255])).toString('base64url')}`,
    () => `${encode({ ...decode(header), ...pick(HEADER_CHANGES) })}.${payload}.${signature}`,
    () => `${encode({ ...decode(header), alg: pick(ALGORITHMS) })}.${payload}.${signature}`,
    () => `${header}.${encode({ ...decode(payload), sub: 'mallory' })}.${signature}`,
    () => {
      const newHeader = {
        ...decode(header),
        ...pick(HEADER_CHANGES),
        ...(random(3) === 0 && { alg: pick(ALGORITHMS) }),
      };
      const claims = { ...decode(payload), ...(random(4) === 0 && pick(CLAIM_CHANGES)) };
      return signAgain(newHeader, claims, pick(['own', 'own', 'own', '256', '512', 'DER', 'HMAC']));
    },
  ];
  return pick(changes)();
}

const CLAIM_CHANGES: readonly object[] = [
  { exp: 1 },
  { exp: '9999999999' },
  { nbf: 9_999_999_999 },
  { iss: 'https://other.example.com' },
  { aud: ['https://other.example.com', audience] },
  { aud: 'https://other.example.com' },
  { iat: 'now' },
];

describe.each(ALGORITHMS)('JWT access tokens signed with %s', (alg) => {
  it('are accepted exactly if jose accepts them, and each part is canonical base64url without `crit`', async () => {
    const api = await subject(alg);
    const random = randomNumbers(Number(process.env['FUZZ_SEED'] ?? 1));
    const amount = Math.ceil(TOKENS / ALGORITHMS.length);
    const accepted = { canonical: 0, other: 0 };
    for (let i = 0; i < amount; i++) {
      const token = changed(api, random);
      const [isAccepted, isAcceptedByJose] = await Promise.all([api.isAccepted(token), api.isAcceptedByJose(token)]);
      const isStrict = isAcceptedByJose && isCanonical(token) && decode(token.split('.')[0]!)['crit'] === undefined;
      if (isAccepted !== isStrict) throw new Error(`accepted ${isAccepted}, by jose ${isAcceptedByJose}: ${token}`);
      if (isAcceptedByJose) accepted[isStrict ? 'canonical' : 'other']++;
    }
    // The tokens must include many that are accepted, and some with an encoding that only `jose` accepts.
    expect(accepted.canonical).toBeGreaterThan(amount / 20);
    expect(accepted.other).toBeGreaterThan(0);
  }, 60_000_000);
});
