import { hash, randomInt } from 'node:crypto';

import { TemporarilyUnavailableError } from '../../errors/index.js';
import type { OnceModel, User } from '../../model/model.js';
import { networkOf } from '../../http/network.js';

/**
 * The numbers of user codes that can be entered within `seconds`. `each`: by one user, and from one network. `first`:
 * by all users of an issuer together, counting the first `few` codes of each user. `later`: by all of them together,
 * counting the further codes of each user. An attacker who enters many codes as a few users uses up `later`, but not
 * `first`.
 */
const GUESSES = { each: 20, few: 3, first: 2000, later: 1000, seconds: 300 };

/**
 * Counts an entered user code before it is looked up, so that parallel attempts count as well. The counts are stored by
 * `once()` of the model: per user, per network and for all users of the issuer together, so that the users of one
 * tenant cannot use up the attempts of another tenant. RFC 8628 §5.1
 * @throws {TemporarilyUnavailableError} With status 429, if too many codes were entered.
 */
export async function countGuess(
  model: OnceModel,
  { user, address, issuer }: { user: User; address?: string | undefined; issuer: string | undefined },
): Promise<void> {
  const { each, few, first, later, seconds } = GUESSES;
  const id: unknown = user['id'];
  // Users of two issuers may have the same ID.
  const userKey = JSON.stringify(['user', issuer, typeof id, String(id)]);
  const keys = [userKey];
  if (address !== undefined) keys.push(`address ${networkOf(address)}`);
  for (const key of keys) if (!(await claimAttempt(model, key, { places: each, probes: each }))) throw tooMany(seconds);
  const isFew = await claimAttempt(model, `few of ${userKey}`, { places: few, probes: few });
  const pool = isFew ? 'first' : 'later';
  // Sampling 12 of many slots is sufficient: if all are taken, the budget is almost used up.
  if (
    !(await claimAttempt(model, JSON.stringify(['all', issuer, pool]), { places: isFew ? first : later, probes: 12 }))
  )
    throw tooMany(seconds);
}

/**
 * Claims one attempt from a fixed budget of `places` slots, of which `probes` are tried. Returns `false` if all tried
 * slots are taken.
 */
export async function claimAttempt(
  model: OnceModel,
  budget: string,
  { places, probes }: { places: number; probes: number },
): Promise<boolean> {
  const start = randomInt(places);
  for (let probe = 0; probe < probes; probe += 1) {
    const slot = probes === places ? (start + probe) % places : randomInt(places);
    const mark = hash('sha256', `user code of ${budget}, ${slot}`, 'base64url');
    if (await model.once(mark, GUESSES.seconds)) return true;
  }
  return false;
}

const tooMany = (retryAfter: number) =>
  new TemporarilyUnavailableError('Temporarily unavailable: too many codes were entered', { code: 429, retryAfter });
