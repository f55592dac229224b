import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import { withApplicationLimit } from './secret-check-limiter.js';

/** N is 2 to the power of `ln`. RFC 7914 §2 */
interface Cost {
  ln: number;
  r: number;
  p: number;
}

/** The cost of a new hash: N = 2^14, 16 MiB of memory and some 30 ms. */
const COST: Cost = { ln: 14, r: 8, p: 1 };
/** More than that verifies nothing: eight times the work of a new hash. */
const MOST_WORK = 2 ** 20;
/** Bytes of a key. Fewer would let other secrets pass for the right one. */
const KEY = { least: 16, most: 64 };

const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/;
const SHA256 = /^\$sha256\$([A-Za-z\d+/]{43})$/;

/** What is kept in place of a code or token: it has 256 random bits, so one round of SHA-256 hides it. */
export const digest = (secret: string) => hash('sha256', secret, 'base64url');

/** What is kept of a secret that nobody can guess. */
export interface QuickHash {
  stored: string;
  key: Buffer;
}

/** What is kept of a secret that somebody chose. */
export interface SlowHash extends QuickHash {
  salt: Buffer;
  cost: Cost;
}

/**
 * Makes a secret for a client, of 256 random bits, and what is kept of it: `$sha256$` and its SHA-256, since nobody can
 * guess it however little a guess costs. It verifies in microseconds. RFC 6749 §10.10
 */
export function newClientSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretHash: quickHash(secret) };
}

/** The same of one that somebody else has made, who is known to have made it of as many random bits. */
export const quickHash = (secret: string): string => `$sha256$${base64(sha256(secret))}`;

/** A secret that somebody chose as it is kept: a PHC string, `$scrypt$ln=14,r=8,p=1$salt$hash`. RFC 7914 */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await withApplicationLimit(() => derive(secret, salt, 32, COST));
  const { ln, r, p } = COST;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
}

export const secretWithHash = async (secret: string) => ({ secret, secretHash: await hashSecret(secret) });

/** Takes a hash apart; undefined for one that no secret may match: of another kind, cut off, or absurdly dear. */
export function readHash(stored: string): QuickHash | SlowHash | undefined {
  const [, quick] = SHA256.exec(stored) ?? [];
  if (quick) return { stored, key: Buffer.from(quick, 'base64') };
  const [, ln, r, p, salt, expected] = SCRYPT.exec(stored) ?? [];
  if (!salt || !expected) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const key = Buffer.from(expected, 'base64');
  const isUsable = cost.ln > 0 && workOf(cost) > 0 && workOf(cost) <= MOST_WORK;
  if (!isUsable || key.length < KEY.least || key.length > KEY.most) return undefined;
  return { stored, key, salt: Buffer.from(salt, 'base64'), cost };
}

export const isSlowHash = (read: QuickHash | SlowHash): read is SlowHash => 'cost' in read;

/** Is this the secret that was hashed? To be asked only in turn. */
export async function matchesSlowHash({ key, salt, cost }: SlowHash, secret: string): Promise<boolean> {
  return timingSafeEqual(key, await derive(secret, salt, key.length, cost));
}

/** Is this the secret of which the SHA-256 is kept? */
export function matchesQuickHash({ key }: QuickHash, secret: string): boolean {
  return timingSafeEqual(key, sha256(secret));
}

/** Is this the secret that is written down in the program? */
export function isSameSecret(plain: string, secret: string): boolean {
  return timingSafeEqual(sha256(plain), sha256(secret));
}

/** Was this hash made at a lower cost than new ones are? */
export function isOutdatedHash({ cost }: SlowHash): boolean {
  return workOf(cost) < workOf(COST);
}

const workOf = ({ ln, r, p }: Cost) => 2 ** ln * r * p;
const sha256 = (secret: string) => hash('sha256', secret, 'buffer');
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

function derive(secret: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln;
  const maxmem = 2 ** 25 + 256 * N * r;
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, length, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
