import { hash } from 'node:crypto';
import { networkOf, type RequestRate, WindowCounts } from '../../lib/adapter/index.js';
import type { Response, ServerContext } from '../../lib/index.js';
import { tenantOf } from '../tenants/tenant-of.js';
import { foldedName } from './folded-name.js';

/** An attempt to sign in with a password, or to verify or send a code of a second factor. */
export interface Attempt {
  /**
   * The user name as it was typed. For a second factor, a text of two lines that identifies the user; no user name has
   * two lines.
   */
  username: string;
  /**
   * The address of the browser, as Express or Fastify report it. Behind a proxy they must be configured to trust it.
   * Not set for a second factor, because an attacker who knows the password may have many addresses.
   */
  address?: string | undefined;
  /**
   * The identifier of a browser in which a user of this name has signed in before. If omitted, the browser is unknown.
   * Count attempts of known browsers separately, so that an attacker cannot lock the user out.
   */
  knownBrowser?: string | undefined;
  /**
   * Set for a second factor: `'code'` if a code is verified, `'send'` if one is sent. If omitted, a password is
   * verified.
   */
  secondFactor?: 'code' | 'send';
  /** The native request of Express or Fastify. */
  request: unknown;
}

/** A rate limit for attempts to sign in. */
export interface Throttle {
  /**
   * Counts an attempt.
   * @returns the seconds to wait before the next attempt. `0`: the attempt is allowed.
   */
  count(attempt: Attempt): number | Promise<number>;
  /** Called after a successful attempt, to reset or reduce the count. */
  forgive?(attempt: Attempt): unknown;
}

/** Counts an attempt. Returns whether there were too many, and sets `Retry-After` in that case. RFC 9110 §10.2.3 */
export async function isThrottled(throttle: Throttle, attempt: Attempt, response: Response): Promise<boolean> {
  const wait = await throttle.count(attempt);
  if (wait > 0) response.set('retry-after', String(Math.ceil(wait)));
  return wait > 0;
}

/**
 * Counts the attempts for one user name from one network and, if `perUser` is set, from all networks. Attempts in a
 * known browser are counted for that browser only, so that attempts elsewhere cannot lock the user out. The counts are
 * kept in the memory of this process.
 */
export class AttemptCounter {
  private readonly origins: WindowCounts;
  private readonly users: WindowCounts | undefined;

  constructor(perOrigin: RequestRate, perUser?: RequestRate) {
    this.origins = new WindowCounts(perOrigin);
    this.users = perUser && new WindowCounts(perUser);
  }

  /** Returns the throttle of a server. User names of different models and tenants are counted separately. */
  of(server: ServerContext): Throttle {
    const realm = tenantOf(server) ?? numberOf(server.options.model);
    return {
      count: (attempt) => {
        // Attempts that exceed the limit of their network do not count towards the limit of the user.
        const wait = this.origins.add(keyOf(attempt, realm, originOf(attempt)));
        if (wait > 0 || attempt.knownBrowser !== undefined) return wait;
        return this.users?.add(keyOf(attempt, realm)) ?? 0;
      },
      forgive: (attempt) => {
        const key = keyOf(attempt, realm, originOf(attempt));
        if (attempt.secondFactor) return this.origins.forget(key);
        // Subtract only this attempt: two user names may share a count, and a login of one must not reset the other.
        this.origins.subtract(key);
        if (attempt.knownBrowser === undefined) this.users?.subtract(keyOf(attempt, realm));
      },
    };
  }
}

const originOf = ({ knownBrowser, address }: Attempt) =>
  knownBrowser === undefined ? `network ${networkOf(address ?? '')}` : `browser ${knownBrowser}`;

/**
 * Returns the key of a count, hashed to a fixed size. User ids (second factor) are compared exactly; user names are
 * normalized.
 */
const keyOf = ({ username, secondFactor }: Attempt, realm: string | number, origin?: string) =>
  hash('sha256', JSON.stringify([realm, secondFactor ? username : foldedName(username), origin]), 'base64url');

const numbers = new WeakMap<object, number>();
let models = 0;

function numberOf(model: object): number {
  const number = numbers.get(model) ?? (models += 1);
  numbers.set(model, number);
  return number;
}
