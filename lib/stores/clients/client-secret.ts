import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import { withTurn } from '../../limits/turns.js';

/** The cost parameters of scrypt. N is 2 to the power of `ln`. RFC 7914 §2 */
export interface Cost {
  ln: number;
  r: number;
  p: number;
}

/** The cost of a new hash: N = 2^14, which takes 16 MiB of memory and about 30 ms. */
const COST: Cost = { ln: 14, r: 8, p: 1 };
/** Maximum work of a stored scrypt hash: eight times the work of a new hash. More expensive hashes match no secret. */
const MAX_WORK = 2 ** 20;
/**
 * Minimum and maximum length of the key in a stored hash, in bytes. Wrong secrets could match a shorter key by chance.
 */
const KEY = { min: 16, max: 64 };

const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/;
const SHA256 = /^\$sha256\$([A-Za-z\d+/]{43})$/;

/**
 * Returns the SHA-256 that is stored instead of a code or token, as base64url. A fast hash suffices, since codes and
 * tokens have 256 random bits.
 */
export const digest = (secret: string) => hash('sha256', secret, 'base64url');

/**
 * The parsed hash of a generated secret: a SHA-256. A fast hash suffices, since a generated secret cannot be guessed.
 */
export interface QuickHash {
  stored: string;
  key: Buffer;
}

/** The parsed hash of a secret that a person may have chosen, and that might be guessed: a scrypt hash. */
export interface SlowHash extends QuickHash {
  salt: Buffer;
  cost: Cost;
}

/**
 * Generates a client secret of 256 random bits. Returns it with the hash to store: `$sha256$` and its SHA-256. A fast
 * hash suffices, since the secret cannot be guessed. RFC 6749 §10.10
 */
export function newClientSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretHash: quickHash(secret) };
}

/** Returns the hash to store for a secret that is known to have 256 random bits: `$sha256$` and its SHA-256. */
export const quickHash = (secret: string): string => `$sha256$${base64(sha256(secret))}`;

/**
 * Hashes a secret that might be guessed, such as one that a person chose, with scrypt. Returns a PHC string,
 * `$scrypt$ln=14,r=8,p=1$salt$hash`. RFC 7914
 */
export const hashSecret = (secret: string): Promise<string> => withTurn(() => slowHash(secret, COST));

/** Computes a scrypt hash with a new salt, as a PHC string. Call it only in `withTurn()`. RFC 7914 */
export async function slowHash(secret: string, cost: Cost): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(secret, salt, 32, cost);
  const { ln, r, p } = cost;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
}

export const secretWithHash = async (secret: string) => ({ secret, secretHash: await hashSecret(secret) });

/**
 * Parses a stored hash. Returns `undefined` for a hash that must not match any secret: of an unknown kind, with a key
 * that is too short or too long, or too expensive to compute.
 */
export function readHash(stored: string): QuickHash | SlowHash | undefined {
  const [, quick] = SHA256.exec(stored) ?? [];
  if (quick) return { stored, key: Buffer.from(quick, 'base64') };
  const [, ln, r, p, salt, expected] = SCRYPT.exec(stored) ?? [];
  if (!salt || !expected) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const key = Buffer.from(expected, 'base64');
  const isUsable = cost.ln > 0 && workOf(cost) > 0 && workOf(cost) <= MAX_WORK;
  if (!isUsable || key.length < KEY.min || key.length > KEY.max) return undefined;
  return { stored, key, salt: Buffer.from(salt, 'base64'), cost };
}

export const isSlowHash = (read: QuickHash | SlowHash): read is SlowHash => 'cost' in read;

/**
 * Returns whether a secret matches a scrypt hash. Call it only in `withTurn()`, which limits concurrent hash computations.
 */
export async function matchesSlowHash({ key, salt, cost }: SlowHash, secret: string): Promise<boolean> {
  return timingSafeEqual(key, await derive(secret, salt, key.length, cost));
}

/** Whether a secret matches a SHA-256 hash. */
export function matchesQuickHash({ key }: QuickHash, secret: string): boolean {
  return timingSafeEqual(key, sha256(secret));
}

/** Whether a secret equals a plain text secret, compared in constant time. */
export function isSameSecret(plain: string, secret: string): boolean {
  return timingSafeEqual(sha256(plain), sha256(secret));
}

/**
 * Whether a scrypt hash has a lower cost than new hashes have, so that it should be replaced.
 * @param newest the cost of new hashes. If omitted, that of client secrets.
 */
export function isOutdatedHash({ cost }: SlowHash, newest = COST): boolean {
  return workOf(cost) < workOf(newest);
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
