import { randomInt } from 'node:crypto';

/**
 * Characters of user codes: 20 consonants that are hard to confuse and form no words. Eight characters have 34 bits.
 * RFC 8628 §6.1
 */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Returns a new random user code, in the form in which it is stored. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');

/** Returns a user code in the form in which users see it: `WDJB-MJHT`. */
export const displayedUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** Maximum length of a typed code, in characters. */
const MAX_INPUT_LENGTH = 40;

/** Returns a typed user code in the form in which codes are compared. `undefined` if the text cannot be a user code. */
export function readUserCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > MAX_INPUT_LENGTH) return undefined;
  const code = typed.replaceAll(/[\s\p{Pd}._]+/gu, '').toUpperCase();
  return USER_CODE.test(code) ? code : undefined;
}

/**
 * Returns a typed user code in the form in which users see it: `WDJB-MJHT`. `undefined` if the text cannot be a user
 * code. RFC 8628 §6.1
 */
export function formatUserCode(typed: unknown): string | undefined {
  const code = readUserCode(typed);
  return code === undefined ? undefined : displayedUserCode(code);
}
