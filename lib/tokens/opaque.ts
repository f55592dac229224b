import { randomFillSync } from 'node:crypto';

const SIZE = 32;
// One call of the random source for many tokens costs a tenth per token; the pool is small, so that few tokens yet to
// be issued are ever in memory, and each part of it is wiped as it is used.
const pool = Buffer.allocUnsafeSlow(SIZE * 32);
let used = pool.length;

/** A token that says nothing: 256 random bits as 64 hexadecimal digits. RFC 6749 §10.10 */
export function opaqueToken(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += SIZE;
  const token = pool.toString('hex', start, used);
  pool.fill(0, start, used);
  return token;
}
