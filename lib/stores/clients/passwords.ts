import { configurationError } from '../../errors/configuration-error.js';
import { withQueue, withTurn } from '../../limits/turns.js';
import {
  argon2idHash,
  hasArgon2id,
  isOutdatedArgon2id,
  matchesArgon2id,
  readArgon2id,
  UNKNOWN_ARGON2ID,
} from './argon2id.js';
import { isOutdatedHash, isSlowHash, matchesSlowHash, readHash, slowHash } from './client-secret.js';

/** The cost of a scrypt hash: 32 MiB of memory and about 100 ms. */
const COST = { ln: 15, r: 8, p: 3 };

/** A hash of a random password, which is verified for users who do not exist. */
const UNKNOWN = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`;

/** A function that hashes passwords. */
export type PasswordAlgorithm = 'scrypt' | 'argon2id';

/** Options of `hashPassword()` and `verifyPassword()`. */
export interface PasswordHashOptions {
  /**
   * The network of the browser that ordered the hash, such as `networkOf(request.ip)`. Networks take turns, so that no
   * network delays the others by more than one hash. Set it wherever strangers can order hashes, for example to sign
   * up. In methods that the login page calls, the network is known. Default: the hash belongs to the application, and
   * is never rejected.
   */
  network?: string;
  /**
   * The function of new hashes. `argon2id` requires Node.js 24.7 or later. Pass it to `verifyPassword()` too, so that an
   * unknown user takes as long. Default: `scrypt`. RFC 7914, RFC 9106
   */
  algorithm?: PasswordAlgorithm;
}

/**
 * Hashes a password with scrypt and returns a PHC string, `$scrypt$ln=15,r=8,p=3$salt$hash`, or with argon2id by option,
 * `$argon2id$v=19$m=65536,t=3,p=1$salt$hash`. At most two hashes are computed at a time, so that signatures and file
 * access find a thread.
 * @throws {InvalidArgumentError} If this process cannot compute argon2id.
 * @throws {TemporarilyUnavailableError} If too many hashes of this network are waiting.
 */
export async function hashPassword(password: string, options: PasswordHashOptions = {}): Promise<string> {
  const text = password.normalize('NFKC');
  if (options.algorithm !== 'argon2id') return inTurn(options, () => slowHash(text, COST));
  if (!hasArgon2id()) throw configurationError(NO_ARGON2ID);
  return inTurn(options, () => argon2idHash(text));
}

/** The error message of a process that cannot compute argon2id. */
const NO_ARGON2ID = 'argon2id requires Node.js 24.7 or later: upgrade Node.js, or use scrypt';

/**
 * Returns whether a password matches the result of `hashPassword()`, by either function. Without a stored hash, because
 * the user does not exist or has no password, it takes as long and returns `false`, so that the time does not reveal
 * which users exist. A hash with argon2id matches nothing in a process that cannot compute it, which is logged.
 * @throws {TemporarilyUnavailableError} If too many hashes of this network are waiting.
 */
export function verifyPassword(
  password: string,
  stored: string | null | undefined,
  options: PasswordHashOptions = {},
): Promise<boolean> {
  const text = password.normalize('NFKC');
  const known = stored ?? (options.algorithm === 'argon2id' ? UNKNOWN_ARGON2ID : UNKNOWN);
  const argon2id = readArgon2id(known);
  if (argon2id && hasArgon2id()) {
    return inTurn(options, async () => (await matchesArgon2id(argon2id, text)) && stored != null);
  }
  if (argon2id && stored != null) process.emitWarning(`A stored password cannot be verified: ${NO_ARGON2ID}`);
  const read = readHash(argon2id ? UNKNOWN : known);
  const hash = read && isSlowHash(read) ? read : undefined;
  if (!hash) return Promise.resolve(false);
  return inTurn(options, async () => (await matchesSlowHash(hash, text)) && stored != null && !argon2id);
}

/**
 * Whether the result of an earlier `hashPassword()` should be replaced: it costs less than a new hash, or was made by
 * another function.
 */
export function isOutdatedPasswordHash(stored: string, algorithm: PasswordAlgorithm = 'scrypt'): boolean {
  const argon2id = readArgon2id(stored);
  if (argon2id) return algorithm !== 'argon2id' || isOutdatedArgon2id(argon2id);
  const read = readHash(stored);
  return read !== undefined && isSlowHash(read) && (algorithm !== 'scrypt' || isOutdatedHash(read, COST));
}

const inTurn = <T>({ network }: PasswordHashOptions, work: () => Promise<T>): Promise<T> =>
  network === undefined ? withTurn(work) : withQueue(`network ${network}`, () => withTurn(work));
