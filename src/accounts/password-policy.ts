import { createHash } from 'node:crypto';
import type { AccountMessage } from './messages.js';
import type { PasswordRules } from './options.js';

/** Maximum length of a password, as on the login page. */
const MAX_LENGTH = 1000;
/** Minimum number of characters that must remain of a password without words and sequences that everybody guesses. */
const MIN_REMAINING = 5;
/** Milliseconds to wait for the API of known passwords. */
const API_TIMEOUT = 2000;

/**
 * Words and sequences that occur in the most common passwords. This list was written for this library: it covers
 * patterns such as `password1234`, `qwertyuiop123` and `iloveyou2026!`, instead of naming each password.
 */
const COMMON = (
  'password passwort motdepasse contrasena passphrase passw0rd secret letmein changeme changeit iloveyou welcome ' +
  'whatever trustno1 administrator admin root login master monkey dragon football baseball basketball superman batman ' +
  'princess sunshine shadow starwars pokemon michael jennifer jessica summer winter spring autumn default testing test ' +
  'computer internet access freedom correcthorsebatterystaple qwertyuiop qwertzuiop qwerty qwertz azertyuiop azerty ' +
  'asdfghjkl asdfgh zxcvbnm yxcvbnm zxcvbn 1q2w3e4r5t6y 1q2w3e4r5t 1q2w3e4r 1qaz2wsx3edc 1qaz2wsx qazwsxedc qazwsx ' +
  '0123456789 1234567890 123456789 12345678 1234567 123456 12345 1234 123 9876543210 987654321 87654321 654321 4321 ' +
  'abcdefghijklmnopqrstuvwxyz abcdefghijkl abcdefgh abcdef abcd abc mypassword hello please love baby angel ninja ' +
  'google facebook minecraft january february monday user guest hunter'
)
  .split(' ')
  .toSorted((a, b) => b.length - a.length);

/** Letters that people replace by digits and signs. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** Whether a text can be a password. Longer texts are never hashed. Databases and bcrypt do not accept NUL. */
export const isPassword = (text: string): boolean => text.length <= MAX_LENGTH && !text.includes('\0');

/**
 * Returns why a new password is not accepted. There are no composition rules. NIST SP 800-63B §5.1.1.2
 * @param personal the address and name of the user, and the name of the site
 */
export async function findPasswordProblem(
  password: string,
  { minLength, fetch }: Omit<PasswordRules, 'hash'>,
  personal: readonly (string | undefined)[],
): Promise<AccountMessage | undefined> {
  if (!isPassword(password)) return 'passwordLong';
  const text = password.normalize('NFKC');
  if (Array.from(text).length < minLength) return 'passwordShort';
  if (!isEnough(text, COMMON)) return 'passwordCommon';
  if (!isEnough(text, [...wordsOf(personal), ...COMMON])) return 'passwordPersonal';
  return fetch && (await isBreached(password, fetch)) ? 'passwordBreached' : undefined;
}

/** Returns the words of an address, a name and a site that a password must not consist of. */
const wordsOf = (personal: readonly (string | undefined)[]): string[] =>
  personal
    .flatMap((text) => (text === undefined ? [] : [text, ...text.split(/[^\p{L}\p{N}]+/u)]))
    .map(folded)
    .filter((word) => word.length >= 3)
    .toSorted((a, b) => b.length - a.length);

const folded = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}@$]/gu, '');

/**
 * Whether enough is left of a password without the words, repeated characters, and years. A password that is written
 * with lookalikes, such as `p4ssw0rd`, counts as the word.
 */
function isEnough(password: string, words: readonly string[]): boolean {
  const letters = folded(password);
  const plain = letters.length < MIN_REMAINING ? password : letters;
  const spelled = plain.replaceAll(/[013457@$]/g, (sign) => LOOKALIKES[sign]!);
  return [plain, spelled].every((text) => remainingOf(text, words) >= MIN_REMAINING);
}

/** Returns the number of different characters that are left of a text. */
function remainingOf(text: string, words: readonly string[]): number {
  let rest = text;
  for (const word of words) rest = rest.replaceAll(word, ' ');
  return new Set(rest.replaceAll(/(?:19|20)\d\d|\s/g, '')).size;
}

/** Whether a password is in a list of leaked passwords. `false` if the API fails. */
async function isBreached(password: string, fetch: NonNullable<PasswordRules['fetch']>): Promise<boolean> {
  // SHA-1 is what the API requires. It protects nothing here, since only a prefix is sent.
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const response = await fetch(`https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`, {
      headers: { 'add-padding': 'true' },
      signal: AbortSignal.timeout(API_TIMEOUT),
    });
    const lines = response.ok ? (await response.text()).split(/\r?\n/) : [];
    // The API adds lines with the count 0, so that the length of a response does not reveal the prefix.
    return lines.some((line) => line.startsWith(`${hash.slice(5)}:`) && !/:0+$/.test(line.trim()));
  } catch {
    return false;
  }
}
