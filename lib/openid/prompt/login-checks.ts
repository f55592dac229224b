import type { AuthenticationState } from '../../contracts/required-interaction.js';

/** Accepted clock skew between two processes, in seconds. */
const CLOCK_SKEW = 60;

/**
 * Seconds after a login in which it counts for the request that required it: as long as a consent page may stay open.
 */
const MAX_FRESH_AGE = 15 * 60;

/**
 * Whether the user has signed in for this request: with a new login since the user was sent to the login page, at most
 * 15 minutes ago.
 */
export function isFresh({ signIn, loginPrompt }: AuthenticationState): boolean {
  const at = signIn?.authTime?.getTime();
  if (at === undefined || !loginPrompt) return false;
  if (at === loginPrompt.previousAuthTime?.getTime() || at < loginPrompt.promptedAt.getTime() - CLOCK_SKEW * 1000)
    return false;
  return Date.now() - at <= MAX_FRESH_AGE * 1000;
}

/**
 * Whether the login is at most `maxAge` seconds old. A login in the near future counts too, because the clock of
 * another process may be ahead.
 */
export function isRecent({ signIn }: AuthenticationState, maxAge: number): boolean {
  const at = signIn?.authTime?.getTime();
  if (at === undefined || maxAge === 0) return false;
  const age = Date.now() - at;
  return age >= -CLOCK_SKEW * 1000 && age <= maxAge * 1000;
}

/**
 * Whether a login is as strong as the client requests. It is if its class, or a weaker supported class, is requested.
 * If the server supports no requested class, every login is, unless `isEssential` is set.
 * @param supported The authentication context classes of the server, the weakest first. Other requested classes are
 * ignored.
 * @param isEssential Whether the login must have a requested class, even if the server supports none of them.
 */
export function hasRequestedAcr(
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
