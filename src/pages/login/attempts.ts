import { countAttempt, type CountedAttempt, countSignIn, RateLimit, capability } from '../../../lib/internal.js';
import {
  type Awaitable,
  type Response,
  type ServerContext,
  TemporarilyUnavailableError,
  networkOf,
} from '../../../lib/index.js';
import { usersOf } from '../../tenants/tenant-of.js';

/** An attempt to sign in with a password, or to verify or send a code of a second factor. */
export interface Attempt {
  /** The user name as it was typed. Not set for a second factor. */
  username?: string;
  /**
   * The ID of the account that was found. Always set for a second factor. For a password it is set if the model has
   * `findByUsername()` and the user exists. Count the attempts of this account, because a database may find it by
   * several spellings of its name.
   */
  account?: string;
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
   * Counts an attempt, before the password or code is verified.
   * @returns the seconds to wait before the next attempt. `0`: the attempt is allowed.
   */
  count(attempt: Attempt): Awaitable<number>;
  /** Called after an allowed attempt that succeeded or could not be verified, to take it back from the count. */
  giveBack?(attempt: Attempt): unknown;
}

/** The capability key of the rate limit that the application passes to `pages()`. */
export const THROTTLE = capability<Throttle>('throttle of sign-in attempts', 'pages');

/** An attempt that is allowed. */
interface AllowedAttempt {
  /** Takes the attempt back from the count: it succeeded, or it could not be verified. */
  readonly giveBack: () => Promise<unknown>;
}

/** The limit of codes that a user enters, and separately of codes that are sent to a user. */
const codes = new RateLimit('second factor', { requests: 5, per: 900 });

/** The part of a request for a page that attempts need. */
interface Attempted {
  readonly server: ServerContext;
  readonly response: Response;
}

/**
 * Counts an attempt and verifies it. An attempt that succeeds, or cannot be verified at the moment, does not count.
 * @param verify returns a falsy value if the proof is wrong
 * @returns the result of `verify`. `'throttled'` if there were too many attempts, `'busy'` if the verification is
 * temporarily unavailable. Both set `Retry-After`.
 */
export async function countedAttempt<T>(
  attempt: Attempt,
  { server, response }: Attempted,
  verify: () => Awaitable<T>,
  keepsCount = false,
): Promise<T | 'throttled' | 'busy'> {
  return unlessBusy(response, async () => {
    const allowed = await admit(attempt, { server, response });
    if (!allowed) return 'throttled';
    try {
      const result = await verify();
      if (result && !keepsCount) await allowed.giveBack();
      return result;
    } catch (error) {
      if (error instanceof TemporarilyUnavailableError) await allowed.giveBack();
      throw error;
    }
  });
}

/** Returns the result of a function, or `'busy'` if it is temporarily unavailable. Sets `Retry-After` in that case. */
export async function unlessBusy<T>(response: Response, work: () => Awaitable<T>): Promise<T | 'busy'> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    response.set('retry-after', String(Math.ceil(error.retryAfter ?? 5)));
    return 'busy';
  }
}

/**
 * Counts an attempt by the application's throttle or, without one, by the default limits. Sets `Retry-After` if there
 * were too many. RFC 9110 §10.2.3
 * @returns `undefined` if there were too many attempts
 */
async function admit(attempt: Attempt, { server, response }: Attempted): Promise<AllowedAttempt | undefined> {
  const throttle = server.find(THROTTLE);
  const { wait, giveBack } = throttle ? await countBy(throttle, attempt) : await countByDefault(attempt, server);
  if (wait > 0) response.set('retry-after', String(Math.ceil(wait)));
  return wait > 0 ? undefined : { giveBack };
}

/** Takes a code back from the count that was sent to a user, because the user has entered it. */
export async function giveBackSentCode(
  { account, request }: { account: string; request: unknown },
  server: ServerContext,
): Promise<void> {
  const throttle = server.find(THROTTLE);
  if (throttle) await throttle.giveBack?.({ account, secondFactor: 'send', request });
  else await codes.giveBack(codeKey(server, 'send', account), server.options.model);
}

async function countBy(throttle: Throttle, attempt: Attempt) {
  return { wait: await throttle.count(attempt), giveBack: async () => throttle.giveBack?.(attempt) };
}

function countByDefault(
  { username = '', account, address, knownBrowser, secondFactor }: Attempt,
  server: ServerContext,
): Promise<CountedAttempt> {
  const { model } = server.options;
  if (secondFactor) return countAttempt([[codes, codeKey(server, secondFactor, account)]], model);
  const network = address === undefined ? undefined : networkOf(address);
  return countSignIn({ realm: usersOf(server), username, account, network, knownBrowser }, model);
}

const codeKey = (server: ServerContext, ...parts: unknown[]) => JSON.stringify([usersOf(server) ?? null, ...parts]);
