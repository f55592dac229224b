import type { AuthenticationState } from '../../contracts/required-interaction.js';

/** Seconds by which the clocks of two processes may differ. */
const CLOCK_SKEW = 60;

/** Seconds for which a login stands for the request that it was made for: as long as a consent page may stay open. */
const MAX_FRESH_AGE = 15 * 60;

/**
 * Has the user signed in for this very request? Their login is another one than before they were sent there, and no older than
 * that, as far as clocks agree; nor has it been left alone since.
 */
export function isFresh({ signIn, loginPrompt: prompted }: AuthenticationState): boolean {
  const at = signIn?.authTime?.getTime();
  if (at === undefined || !prompted) return false;
  if (at === prompted.previousAuthTime?.getTime() || at < prompted.promptedAt.getTime() - CLOCK_SKEW * 1000)
    return false;
  return Date.now() - at <= MAX_FRESH_AGE * 1000;
}

/** Is the login at most so many seconds old? One of the next minute is by a clock that is ahead. */
export function isRecent({ signIn }: AuthenticationState, maxAge: number): boolean {
  const at = signIn?.authTime?.getTime();
  if (at === undefined || maxAge === 0) return false;
  const age = Date.now() - at;
  return age >= -CLOCK_SKEW * 1000 && age <= maxAge * 1000;
}

/**
 * Whether a login is as strong as a client requests. A login that is stronger than the weakest requested class is strong enough.
 * @param supported the authentication context classes of the server, the weakest first. Other requested classes are ignored.
 * @param isEssential whether the login must have a requested class, even if the server supports none of them
 */
export function isStrong(
  { signIn }: AuthenticationState,
  requested: readonly string[],
  supported: readonly string[],
  isEssential = false,
): boolean {
  if (signIn?.acr !== undefined && requested.includes(signIn.acr)) return true;
  const levels = requested.map((acr) => supported.indexOf(acr)).filter((level) => level >= 0);
  if (levels.length === 0) return !isEssential;
  return signIn?.acr !== undefined && supported.indexOf(signIn.acr) >= Math.min(...levels);
}
