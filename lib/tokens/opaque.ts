import { randomFillSync } from 'node:crypto';

// One call of the random source for many tokens costs a tenth per token; the pool is small, so that few tokens yet to
// be issued are ever in memory, and each part of it is wiped as it is used.
const pool = Buffer.allocUnsafeSlow(1024);
let used = pool.length;

/** A token that says nothing: 256 random bits as 64 hexadecimal digits. RFC 6749 §10.10 */
export const opaqueToken = () => randomHex(32);

/** The name of a family of tokens: 128 random bits, for it is no secret. */
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
