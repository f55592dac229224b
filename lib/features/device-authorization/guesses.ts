import { TemporarilyUnavailableError } from '../../errors/index.js';
import { networkOf } from '../../http/network.js';
import { countAttempt, type LimitedBy, RateLimit } from '../../limits/rate-limit.js';
import type { User } from '../../model/model.js';

/** The length of the time windows in seconds. */
const PER = 300;

const byUser = new RateLimit('user codes: user', { requests: 20, per: PER });
const byNetwork = new RateLimit('user codes: network', { requests: 20, per: PER });
/**
 * The limits of all users of an issuer together: for the first three codes of each user, and for their further codes. An
 * attacker who enters many codes as a few users uses up the second one, but not the first one.
 */
const fewOfUser = new RateLimit('user codes: few of a user', { requests: 3, per: PER });
const firstOfAll = new RateLimit('user codes: first of all users', { requests: 2000, per: PER });
const laterOfAll = new RateLimit('user codes: later of all users', { requests: 1000, per: PER });

/**
 * Counts an entered user code before it is looked up, so that parallel attempts count as well: per user, per network and
 * for all users of the issuer together, so that the users of one tenant cannot use up the attempts of another tenant.
 * RFC 8628 §5.1
 * @throws {TemporarilyUnavailableError} With status 429, if too many codes were entered.
 */
export async function countGuess(
  model: object,
  { user, address, issuer }: { user: User; address?: string | undefined; issuer: string | undefined },
): Promise<void> {
  const id: unknown = user['id'];
  // Users of two issuers may have the same ID.
  const userKey = JSON.stringify([issuer, typeof id, String(id)]);
  const limits: LimitedBy[] = [[byUser, userKey]];
  if (address !== undefined) limits.push([byNetwork, networkOf(address)]);
  const { wait } = await countAttempt(limits, model);
  if (wait > 0) throw tooMany(wait);
  const isFew = (await fewOfUser.add(userKey, model)) === 0;
  const waitForAll = await (isFew ? firstOfAll : laterOfAll).add(JSON.stringify([issuer]), model);
  if (waitForAll > 0) throw tooMany(waitForAll);
}

const tooMany = (retryAfter: number) =>
  new TemporarilyUnavailableError('Temporarily unavailable: too many codes were entered', { code: 429, retryAfter });
