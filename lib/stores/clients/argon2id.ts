import * as crypto from 'node:crypto';

/** The cost of a new hash: 64 MiB of memory and three passes, which takes about as long as a scrypt hash. RFC 9106 §4 */
const COST = { m: 65_536, t: 3, p: 1 };
/** Maximum work of a stored hash: memory in KiB times passes. More expensive hashes match no password. */
const MAX_WORK = 2 ** 20;

const PATTERN = /^\$argon2id\$v=19\$m=(\d{2,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{22,86})$/;

interface Argon2Parameters {
  message: string;
  nonce: Buffer;
  parallelism: number;
  tagLength: number;
  /** Memory in KiB. */
  memory: number;
  passes: number;
}

type Argon2 = (
  algorithm: 'argon2id',
  parameters: Argon2Parameters,
  callback: (error: Error | null, key: Buffer) => void,
) => void;

/** A parsed argon2id hash. */
export interface Argon2idHash {
  readonly key: Buffer;
  readonly salt: Buffer;
  readonly cost: typeof COST;
}

/** Returns the function of this process. `undefined` before Node.js 24.7. */
const argon2 = () => (crypto as { argon2?: Argon2 }).argon2;

/** Whether this process can compute argon2id. Node.js 24.7 and later can. */
export const hasArgon2id = (): boolean => argon2() !== undefined;

/** Computes a hash with a new salt, as a PHC string. Call it only in `withTurn()`. RFC 9106 */
export async function argon2idHash(password: string): Promise<string> {
  const salt = crypto.randomBytes(16);
  const key = await derive(password, salt, 32, COST);
  return `$argon2id$v=19$m=${COST.m},t=${COST.t},p=${COST.p}$${base64(salt)}$${base64(key)}`;
}

/** A hash of a random password, which is verified for users who do not exist. */
export const UNKNOWN_ARGON2ID = `$argon2id$v=19$m=${COST.m},t=${COST.t},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Parses a PHC string. `undefined` for another hash, and for one that is too expensive to compute. */
export function readArgon2id(stored: string): Argon2idHash | undefined {
  const [, m, t, p, salt, key] = PATTERN.exec(stored) ?? [];
  if (!salt || !key) return undefined;
  const cost = { m: Number(m), t: Number(t), p: Number(p) };
  // RFC 9106 §3.1: at least 8 KiB for each lane.
  const isUsable = cost.t > 0 && cost.p > 0 && cost.m >= 8 * cost.p && workOf(cost) <= MAX_WORK;
  return isUsable ? { key: Buffer.from(key, 'base64'), salt: Buffer.from(salt, 'base64'), cost } : undefined;
}

/** Returns whether a password matches. Call it only in `withTurn()`, in a process that can compute argon2id. */
export async function matchesArgon2id({ key, salt, cost }: Argon2idHash, password: string): Promise<boolean> {
  return crypto.timingSafeEqual(key, await derive(password, salt, key.length, cost));
}

/** Whether a hash has a lower cost than new hashes have. */
export const isOutdatedArgon2id = ({ cost }: Argon2idHash): boolean => workOf(cost) < workOf(COST);

const workOf = ({ m, t }: typeof COST) => m * t;
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

function derive(message: string, nonce: Buffer, tagLength: number, { m, t, p }: typeof COST): Promise<Buffer> {
  const parameters = { message, nonce, parallelism: p, tagLength, memory: m, passes: t };
  return new Promise((resolve, reject) => {
    argon2()!('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
