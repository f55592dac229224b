import { randomInt } from 'node:crypto';

/** Capitals that no one takes for another, or reads a word of: 20 of them, so that 8 are 34 bits. RFC 8628 §6.1 */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** A new user code, as it is kept. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');

/** As people are shown it: `WDJB-MJHT`. */
export const displayedUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** More than this nobody types. */
const MAX_INPUT_LENGTH = 40;

/** A code as somebody typed it, in the form it is compared in; undefined for what can be none. */
export function readUserCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > MAX_INPUT_LENGTH) return undefined;
  const code = typed.replaceAll(/[\s\p{Pd}._]+/gu, '').toUpperCase();
  return USER_CODE.test(code) ? code : undefined;
}

/** Returns a typed user code in the form in which users see it (`WDJB-MJHT`); `undefined` if it cannot be a user code. RFC 8628 §6.1 */
export function formatUserCode(typed: unknown): string | undefined {
  const code = readUserCode(typed);
  return code === undefined ? undefined : displayedUserCode(code);
}
