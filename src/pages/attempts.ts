import { hash } from 'node:crypto';
import { networkOf, type RequestRate, WindowCounts } from '../../lib/adapter/index.js';
import type { Response, ServerContext } from '../../lib/index.js';
import { tenantOf } from '../tenants/tenant-of.js';
import { foldedName } from './folded-name.js';

/** An attempt to sign in. */
export interface Attempt {
  /** The user name as it was typed. For a second factor: a text of two lines that stands for the user. No user name has two lines. */
  username: string;
  /**
   * The client's address, as Express or Fastify report it; behind a proxy they have to be told to trust it. Not set for a second factor:
   * an attacker who has the password may have many addresses.
   */
  address?: string | undefined;
  /**
   * The identifier of a browser in which a user of this name has signed in before. If omitted, the browser is unknown. Count attempts of
   * a known browser apart from others, so that an attacker cannot lock the user out.
   */
  knownBrowser?: string | undefined;
  /** Set for a second factor: a code is tried, or one is to be sent. If omitted, a password is tried. */
  secondFactor?: 'code' | 'send';
  /** The native request. */
  request: unknown;
}

/** Limits how often a user may try to sign in. */
export interface Throttle {
  /** Counts an attempt. @returns seconds to wait before the next attempt; 0: the attempt may be made */
  count(attempt: Attempt): number | Promise<number>;
  /** Called after a successful attempt. */
  forgive?(attempt: Attempt): unknown;
}

/** Counts an attempt, and sets `Retry-After` if there were too many. RFC 9110 §10.2.3 */
export async function isThrottled(throttle: Throttle, attempt: Attempt, response: Response): Promise<boolean> {
  const wait = await throttle.count(attempt);
  if (wait > 0) response.set('retry-after', String(Math.ceil(wait)));
  return wait > 0;
}

/**
 * Counts the attempts for one user name from one network, and, if `perUser` is set, the attempts for the user name from all networks.
 * Attempts in a known browser are counted by browser alone, so that attempts elsewhere cannot lock the user out. Counts are kept in the
 * memory of this process.
 */
export class AttemptCounter {
  private readonly origins: WindowCounts;
  private readonly users: WindowCounts | undefined;

  constructor(perOrigin: RequestRate, perUser?: RequestRate) {
    this.origins = new WindowCounts(perOrigin);
    this.users = perUser && new WindowCounts(perUser);
  }

  /** Returns the throttle of a server. User names of other models and tenants are counted apart. */
  of(server: ServerContext): Throttle {
    const realm = tenantOf(server) ?? numberOf(server.options.model);
    return {
      count: (attempt) => {
        // Attempts that are refused for their network do not use up the limit of the user.
        const wait = this.origins.add(keyOf(attempt, realm, originOf(attempt)));
        if (wait > 0 || attempt.knownBrowser !== undefined) return wait;
        return this.users?.add(keyOf(attempt, realm)) ?? 0;
      },
      forgive: (attempt) => {
        const place = keyOf(attempt, realm, originOf(attempt));
        if (attempt.secondFactor) return this.origins.forget(place);
        // Only this attempt: names of two users may share a count, and one of them must not reset the attempts at the other.
        this.origins.subtract(place);
        if (attempt.knownBrowser === undefined) this.users?.subtract(keyOf(attempt, realm));
      },
    };
  }
}

const originOf = ({ knownBrowser, address }: Attempt) =>
  knownBrowser === undefined ? `network ${networkOf(address ?? '')}` : `browser ${knownBrowser}`;

/** Returns the key of a count. It is hashed, so that it has a fixed size. The ids of users (second factor) are compared exactly. */
const keyOf = ({ username, secondFactor }: Attempt, realm: string | number, origin?: string) =>
  hash('sha256', JSON.stringify([realm, secondFactor ? username : foldedName(username), origin]), 'base64url');

const numbers = new WeakMap<object, number>();
let models = 0;

function numberOf(model: object): number {
  const number = numbers.get(model) ?? (models += 1);
  numbers.set(model, number);
  return number;
}
