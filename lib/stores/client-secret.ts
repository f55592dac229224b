import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import type { StoredClient } from './ports.js';

/** The cost of a new hash: N = 2^14, 16 MiB of memory. Client secrets are random, so guessing is hopeless already. */
const COST = { ln: 14, r: 8, p: 1 };
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/;

/** What is kept in place of a code or token: it has 256 random bits, so one round of SHA-256 hides it. */
export const digest = (secret: string) => hash('sha256', secret, 'base64url');

/** A client secret as it is kept: a PHC string, `$scrypt$ln=14,r=8,p=1$salt$hash`. RFC 7914 */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(secret, salt, 32, COST);
  const { ln, r, p } = COST;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`;
}

/** An unknown client is checked like this one, so that it takes as long as a known one with a wrong secret. */
export const NOBODY: Pick<StoredClient, 'secretHashes'> = {
  secretHashes: [`$scrypt$ln=14,r=8,p=1$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(32))}`],
};

/** Finds the stored form that a secret matches; every one is tried, in constant time each. */
export async function findSecret(
  { secret: plain, secretHashes = [] }: Pick<StoredClient, 'secret' | 'secretHashes'>,
  secret: string,
): Promise<string | undefined> {
  let found: string | undefined;
  const hashes = secretHashes.filter((stored) => PHC.test(stored));
  // Whoever has no hash to be checked is not told from somebody unknown by the time it takes.
  if (hashes.length === 0 && !plain) await matches(secret, NOBODY.secretHashes![0]!);
  for (const stored of hashes) if (await matches(secret, stored)) found = stored;
  if (plain && timingSafeEqual(Buffer.from(digest(plain)), Buffer.from(digest(secret)))) found = plain;
  return found;
}

/** Was this hash made at a lower cost than new ones are? */
export function isOutdated(stored: string): boolean {
  const [, ln, r, p] = PHC.exec(stored) ?? [];
  return ln !== undefined && 2 ** Number(ln) * Number(r) * Number(p) < 2 ** COST.ln * COST.r * COST.p;
}

async function matches(secret: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt, expected] = PHC.exec(stored) ?? [];
  if (!salt || !expected || Number(ln) > 20) return false;
  const key = Buffer.from(expected, 'base64');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return timingSafeEqual(key, await derive(secret, Buffer.from(salt, 'base64'), key.length, cost));
}

function derive(secret: string, salt: Buffer, length: number, { ln, r, p }: typeof COST): Promise<Buffer> {
  const N = 2 ** ln;
  const maxmem = 2 ** 25 + 256 * N * r;
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, length, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
