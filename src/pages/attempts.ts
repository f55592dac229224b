import type { Response, ServerFacts } from '../../lib/index.js';
import { keepRecent } from '../../lib/keep-recent.js';
import { tenantOf } from '../tenants/tenant-of.js';

/** An attempt to sign in. */
export interface Attempt {
  /** As it was typed. Of a second factor: a text of two lines that stands for the user: no user name is one. */
  username: string;
  /**
   * From where, as Express or Fastify say; behind a proxy they have to be told to trust it. Of a second factor it is left out: who has the
   * password may have many addresses.
   */
  address?: string | undefined;
  /** Of a second factor: a code is tried, or one is to be sent. Left out: a password is tried. */
  secondFactor?: 'code' | 'send';
  /** The native request. */
  request: unknown;
}

/** How often somebody may try to sign in. */
export interface Throttle {
  /** Counts an attempt. @returns seconds to wait before the next one may be made; 0: this one may be made */
  count(attempt: Attempt): number | Promise<number>;
  /** It succeeded: what was counted against them is forgotten. */
  forgive?(attempt: Attempt): unknown;
}

/** Counts an attempt; where it is one too many, the answer says when to come again. RFC 9110 §10.2.3 */
export async function isTooMany(throttle: Throttle, attempt: Attempt, response: Response): Promise<boolean> {
  const wait = await throttle.count(attempt);
  if (wait > 0) response.set('retry-after', String(Math.ceil(wait)));
  return wait > 0;
}

const REMEMBERED = 10_000;

/** So many attempts in so many seconds for one name from one address, counted in this process. */
export class AttemptCounter {
  private readonly counts = new Map<string, { count: number; until: number }>();

  constructor(
    private readonly most: number,
    private readonly seconds: number,
  ) {}

  /** Users of two models, or tenants, have names and ids in common: they are counted apart. */
  of(server: ServerFacts): Throttle {
    const realm = tenantOf(server) ?? numberOf(server.options.model);
    return {
      count: (attempt) => this.count(keyOf(attempt, realm)),
      forgive: (attempt) => this.counts.delete(keyOf(attempt, realm)),
    };
  }

  private count(key: string): number {
    const now = Date.now();
    let known = this.counts.get(key);
    if (!known || known.until <= now) {
      known = { count: 0, until: now + this.seconds * 1000 };
      keepRecent(this.counts, key, known, REMEMBERED);
    }
    known.count += 1;
    return known.count > this.most ? Math.ceil((known.until - now) / 1000) : 0;
  }
}

/** Names are typed in any case; ids that differ in nothing else are those of two users. */
const keyOf = ({ username, address = '', secondFactor }: Attempt, realm: string | number) =>
  JSON.stringify([realm, secondFactor ? username : username.toLowerCase(), address]);

const numbers = new WeakMap<object, number>();
let models = 0;

function numberOf(model: object): number {
  const number = numbers.get(model) ?? (models += 1);
  numbers.set(model, number);
  return number;
}
