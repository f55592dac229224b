import { withQueue, withTurn } from '../../limits/turns.js';
import { isSlowHash, matchesSlowHash, readHash, slowHash } from './client-secret.js';

/** The cost of a password hash: 32 MiB of memory and about 100 ms. */
const COST = { ln: 15, r: 8, p: 3 };

/** A hash of a random password, which is verified for users who do not exist. */
const UNKNOWN = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`;

/** Options of `hashPassword()` and `verifyPassword()`. */
export interface PasswordHashOptions {
  /**
   * The network of the browser that ordered the hash, such as `networkOf(request.ip)`. Networks take turns, so that no
   * network delays the others by more than one hash. Set it wherever strangers can order hashes, for example to sign
   * up. In methods that the login page calls, the network is known. Default: the hash belongs to the application, and
   * is never rejected.
   */
  network?: string;
}

/**
 * Hashes a password with scrypt and returns a PHC string, `$scrypt$ln=15,r=8,p=3$salt$hash`. At most two hashes are
 * computed at a time, so that signatures and file access find a thread.
 * @throws {TemporarilyUnavailableError} If too many hashes of this network are waiting.
 */
export function hashPassword(password: string, options: PasswordHashOptions = {}): Promise<string> {
  return inTurn(options, () => slowHash(password.normalize('NFKC'), COST));
}

/**
 * Returns whether a password matches the result of `hashPassword()`. Without a stored hash, because the user does not
 * exist or has no password, it takes as long and returns `false`, so that the time does not reveal which users exist.
 * @throws {TemporarilyUnavailableError} If too many hashes of this network are waiting.
 */
export function verifyPassword(
  password: string,
  stored: string | null | undefined,
  options: PasswordHashOptions = {},
): Promise<boolean> {
  const read = readHash(stored ?? UNKNOWN);
  const hash = read && isSlowHash(read) ? read : undefined;
  if (!hash) return Promise.resolve(false);
  return inTurn(options, async () => (await matchesSlowHash(hash, password.normalize('NFKC'))) && stored != null);
}

const inTurn = <T>({ network }: PasswordHashOptions, work: () => Promise<T>): Promise<T> =>
  network === undefined ? withTurn(work) : withQueue(`network ${network}`, () => withTurn(work));
