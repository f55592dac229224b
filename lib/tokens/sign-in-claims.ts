import { InvalidArgumentError } from '../errors/index.js';
import type { SignIn } from '../model/sign-in.js';

/** How a user signed in, as the claims that are stored with codes and tokens. RFC 9068 §2.2.1 */
export interface SignInClaims {
  /** When the user authenticated, in seconds since the epoch. If omitted, the time is unknown. */
  auth_time?: number;
  acr?: string;
  amr?: readonly string[];
  sid?: string;
}

/**
 * Converts a sign-in to the claims that are stored with codes and tokens. RFC 9068 §2.2.1
 * @throws {InvalidArgumentError} If a member of the sign-in is invalid.
 */
export function signInClaims({ authTime, acr, amr, sid }: SignIn): SignInClaims {
  const claims: SignInClaims = {};
  if (authTime !== undefined) claims.auth_time = secondsOf(authTime);
  if (acr !== undefined) claims.acr = verified(acr, isText, '`acr` of a sign-in must be a text');
  if (amr !== undefined) claims.amr = verified(amr, isTexts, '`amr` of a sign-in must be a list of texts');
  if (sid !== undefined) claims.sid = verified(sid, isText, '`sid` of a sign-in must be a text');
  return claims;
}

/**
 * Returns the sign-in claims of a code or token. Invalid claims are ignored, because another server may have issued
 * them.
 */
export function readSignInClaims(issued: object): SignInClaims {
  const { auth_time, acr, amr, sid } = issued as Record<string, unknown>;
  const known: SignInClaims = {};
  if (Number.isFinite(auth_time)) known.auth_time = auth_time as number;
  if (isText(acr)) known.acr = acr;
  if (isTexts(amr)) known.amr = amr;
  if (isText(sid)) known.sid = sid;
  return known;
}

/** Copies the sign-in claims of a code or refresh token to the data of a new token. */
export function copySignInClaims(to: Record<string, unknown>, from: object): void {
  for (const name of NAMES) {
    const value = (from as Record<string, unknown>)[name];
    if (value !== undefined && value !== null) to[name] = value;
  }
}

const NAMES = ['auth_time', 'acr', 'amr', 'sid'] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const isMoment = (one: unknown): one is Date => one instanceof Date && Number.isFinite(one.getTime());

function secondsOf(moment: unknown): number {
  return Math.floor(verified(moment, isMoment, '`authTime` of a sign-in must be a Date').getTime() / 1000);
}

function verified<T>(value: unknown, is: (one: unknown) => one is T, sentence: string): T {
  if (!is(value)) throw new InvalidArgumentError(`Invalid argument: ${sentence}`);
  return value;
}
