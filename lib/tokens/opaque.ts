import { randomFillSync } from 'node:crypto';

// Reading random bytes for several tokens at once is ten times as fast. The pool is small and wiped after use, so that
// the memory contains few future tokens.
const pool = Buffer.allocUnsafeSlow(1024);
let used = pool.length;

/** Generates an opaque token: 256 random bits as 64 hexadecimal digits. RFC 6749 §10.10 */
export const opaqueToken = () => randomHex(32);

/** Generates the ID of a token family: 128 random bits. It is not a secret. */
export const newGrantId = () => randomHex(16);

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += bytes;
  const text = pool.toString('hex', start, used);
  pool.fill(0, start, used);
  return text;
}
