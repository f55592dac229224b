import { InsufficientUserAuthenticationError, type OAuthError } from '../../errors/index.js';
import type { Token } from '../../model/model.js';
import type { StepUp } from '../../options/token-requirements.js';
import { readSignInClaims } from '../../tokens/sign-in-claims.js';

/** Tolerated clock skew in seconds, by which the clock of the authorization server may be ahead of this one. */
const CLOCK_SKEW = 60;

/**
 * Whether the user's authentication is strong and recent enough. An unknown `acr` does not meet a required `acr`, and
 * an unknown time does not meet a `maxAge`. RFC 9470 §3
 */
export function hasStepUp(token: Token, { acr, maxAge }: StepUp): boolean {
  const claims = readSignInClaims(token);
  return isAccepted(claims.acr, acr) && (maxAge === undefined || isRecent(claims.auth_time, maxAge));
}

/**
 * Returns the error for a token whose user must sign in again. If `acr` is not met, it asks for a stronger login,
 * otherwise for a more recent one. RFC 9470 §3
 */
export function stepUpError(token: Token, { acr, maxAge }: StepUp): InsufficientUserAuthenticationError {
  const claims = readSignInClaims(token);
  if (!isAccepted(claims.acr, acr)) {
    const detail = {
      reason: "user's login does not have one of the required `acr` values",
      expected: acr!.join(' '),
      given: claims.acr,
    };
    return insufficient('a stronger login is required', { acr, maxAge }).because(detail);
  }
  const detail = {
    reason: "user's login is older than `maxAge` seconds, or its time is unknown",
    expected: maxAge,
    given: claims.auth_time,
  };
  return insufficient('a more recent login is required', { acr, maxAge }).because(detail);
}

const isAccepted = (value: string | undefined, acr: readonly string[] | undefined) =>
  acr === undefined || (value !== undefined && acr.includes(value));

function isRecent(authTime: number | undefined, maxAge: number): boolean {
  if (authTime === undefined) return false;
  const age = Math.floor(Date.now() / 1000) - authTime;
  return age >= -CLOCK_SKEW && age <= maxAge;
}

const insufficient = (reason: string, { acr, maxAge }: StepUp) =>
  new InsufficientUserAuthenticationError(`Insufficient user authentication: ${reason}`, {
    ...(acr && { acrValues: acr.join(' ') }),
    ...(maxAge !== undefined && { maxAge }),
  });

/**
 * Returns the parameters of an authorization request that leads to a sufficient login. Empty for errors that do not
 * require a step-up. RFC 9470 §4
 */
export function stepUpOf(error: OAuthError): { acr_values?: string; max_age?: number } {
  if (!(error instanceof InsufficientUserAuthenticationError)) return {};
  const { acrValues, maxAge } = error;
  return {
    ...(acrValues !== undefined && { acr_values: acrValues }),
    ...(maxAge !== undefined && { max_age: maxAge }),
  };
}
