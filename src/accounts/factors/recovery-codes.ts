import { randomBytes } from 'node:crypto';
import type { AccountKey, CredentialModel } from '../../../lib/index.js';

/** Number of recovery codes of an account. */
const COUNT = 10;

/** The characters of recovery codes: Base32 without letters that look like digits. Each character is five random bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * The recovery codes of one realm of users: 80 random bits each, of which the store keeps digests. A code works once, and
 * only as long as its set is valid.
 */
export class RecoveryCodes {
  constructor(
    private readonly model: CredentialModel,
    private readonly realm: string,
  ) {}

  /** Creates the codes of a set. They cannot be read again, and work as soon as their set is valid. */
  async create(userId: string, set: string): Promise<string[]> {
    const account = this.accountOf(userId);
    const codes = Array.from({ length: COUNT }, newCode);
    for (const code of codes) {
      await this.model.addCredential(account, { kind: 'recovery_code', key: keyOf(userId, code), data: set });
    }
    return codes.map((code) => code.replaceAll(/.{4}(?=.)/g, '$&-'));
  }

  /** Consumes a code of a set. Returns `true` for exactly one of several concurrent callers. */
  async consume(userId: string, set: string, typed: string): Promise<boolean> {
    const found = await this.model.findCredential(this.realm, 'recovery_code', keyOf(userId, normalized(typed)));
    return found !== undefined && found.data === set && this.model.removeCredential(found);
  }

  /** Returns how many codes of a set are unused. */
  async count(userId: string, set: string): Promise<number> {
    const found = await this.model.findCredentials(this.accountOf(userId), ['recovery_code']);
    return found.filter(({ data }) => data === set).length;
  }

  /** Deletes the codes of sets. A concurrent request may have created others. */
  async remove(userId: string, sets: readonly (string | undefined)[]): Promise<void> {
    const found = await this.model.findCredentials(this.accountOf(userId), ['recovery_code']);
    for (const one of found) if (sets.includes(one.data)) await this.model.removeCredential(one);
  }

  private accountOf(userId: string): AccountKey {
    return { realm: this.realm, userId };
  }
}

const newCode = () => Array.from(randomBytes(16), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Returns the key of a code. It contains the user, so that a code of another user is not found. */
const keyOf = (userId: string, code: string) => JSON.stringify(['recovery code', userId, code]);

/** Returns a typed code as it was created: letters that look like digits count as the digits. */
const normalized = (typed: string) =>
  typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1').slice(0, 100);
