import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(1024);
let used = pool.length;

/** 256 random bits in hexadecimal, from a small pool that is wiped as it is used. */
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
