/**
 * How long a client may repeat a refresh request: seconds after the first request, or until the new refresh token is
 * used, at most `untilUsed` seconds.
 */
export type RefreshTokenReuseInterval = number | 'until-used' | { untilUsed: number };

/** The maximum seconds of `'until-used'`: a week, in which a device that slept during a refresh usually wakes up. */
const WEEK = 7 * 24 * 60 * 60;

/** Returns the seconds in which a refresh request may be repeated. `0` if it may not. */
export function reuseSeconds(interval: RefreshTokenReuseInterval | undefined): number {
  if (interval === 'until-used') return WEEK;
  return Number(typeof interval === 'object' && interval !== null ? interval.untilUsed : (interval ?? 0));
}

/** Whether a repeated request gets a new access token if the first one has expired. */
export const isUntilUsed = (interval: RefreshTokenReuseInterval | undefined): boolean =>
  interval === 'until-used' || (typeof interval === 'object' && interval !== null);
