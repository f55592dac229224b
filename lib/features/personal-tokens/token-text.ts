import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
/** Number of base62 digits of a CRC32. */
const CHECKSUM_LENGTH = 6;

/**
 * The texts of the personal access tokens of one server: a prefix, 30 random characters (178 bits), and a checksum,
 * such as `pat_…_1a2B3c`. Secret scanners find such texts, and a mistyped text is rejected without a look-up.
 */
export class TokenText {
  private readonly start: string;
  private readonly length: number;
  private readonly pattern: RegExp;

  /** @param prefix letters, digits and underscores, which do not end with an underscore */
  constructor(prefix: string) {
    this.start = `${prefix}_`;
    this.length = this.start.length + RANDOM_LENGTH + 1 + CHECKSUM_LENGTH;
    this.pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{${RANDOM_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`);
  }

  /** Generates the text of a new token. */
  generate(): string {
    const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
    return `${this.start}${random}_${checksumOf(this.start + random)}`;
  }

  /** Whether a text has the prefix and the length of a token. */
  matches(text: string): boolean {
    return text.length === this.length && text.startsWith(this.start);
  }

  /** Whether a text has the form of a token, and its checksum is correct. */
  isValid(text: string): boolean {
    const end = -(CHECKSUM_LENGTH + 1);
    return this.pattern.test(text) && checksumOf(text.slice(0, end)) === text.slice(end + 1);
  }
}

/** Returns the CRC32 of a text in base62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    digits = DIGITS[rest % DIGITS.length]! + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
