import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(1024);
let used = pool.length;

/** Returns 256 random bits in hexadecimal. They are taken from a small pool, which is cleared as it is used. */
export function randomToken() {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const token = pool.toString('hex', used, used + 32);
  pool.fill(0, used, used + 32);
  used += 32;
  return token;
}
