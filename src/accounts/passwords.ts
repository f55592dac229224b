import { hash } from 'node:crypto';

import {
  type Candidate,
  hashPassword,
  isOutdatedPasswordHash,
  type PasswordAlgorithm,
  verifyPassword,
} from '../../lib/internal.js';
import {
  type AccountKey,
  type CredentialModel,
  InvalidArgumentError,
  type StoredCredential,
  type User,
} from '../../lib/index.js';
import type { PasswordVerifier } from '../pages/index.js';
import { emailOf, isAddressOf, readEmail } from './email.js';
import type { AccountUsers } from './options.js';

/** The passwords of one realm of users. The store keeps their hashes. */
export class Passwords implements PasswordVerifier {
  constructor(
    private readonly model: CredentialModel,
    private readonly users: AccountUsers,
    private readonly realm: string,
    private readonly algorithm: PasswordAlgorithm,
  ) {}

  /** Finds the account of a typed address, for the login page. Its hash takes as long if there is no account. */
  async find(username: string): Promise<Candidate | undefined> {
    const email = readEmail(username);
    const found = (email !== undefined && (await this.users.findByEmail(email))) || undefined;
    if (found && emailOf(found) === undefined) {
      throw new InvalidArgumentError(
        'Invalid argument: `findByEmail()` of the `users` of `accounts()` returned a user without `email`: return the address too',
      );
    }
    // A database may find another address, whose letters its collation treats as equal.
    const user = found && isAddressOf(found, email!) ? found : undefined;
    let proved: { password: string; hashed: string | undefined } | undefined;
    return {
      account: user && String(user['id']),
      verify: async (password) => {
        const match = await this.match(user, password);
        if (match?.stored) await this.rehash(user!, match.stored, password);
        proved = match && { password, hashed: hashOf(match.stored) };
        return match && user;
      },
      isCurrent: async () => {
        if (!user || !proved) return false;
        const hashed = hashOf(await this.storedOf(user));
        // A new hash may be that of the same password.
        return hashed === proved.hashed || verifyPassword(proved.password, hashed, { algorithm: this.algorithm });
      },
    };
  }

  /**
   * Whether a password is that of a user. Every wrong password costs the same hashes: one of this library and, if the
   * application verifies passwords too, one of the application.
   */
  async isCorrect(user: User | undefined, password: string): Promise<boolean> {
    return (await this.match(user, password)) !== undefined;
  }

  /** Verifies a password like `isCorrect()`. Returns the stored password that it matches, if the store has one. */
  private async match(
    user: User | undefined,
    password: string,
  ): Promise<{ stored: StoredCredential | undefined } | undefined> {
    // Without a user, the look-up finds nothing and takes as long.
    const stored = await this.storedOf(user ?? { id: '' });
    const hashed = user && hashOf(stored);
    if (await verifyPassword(password, hashed, { algorithm: this.algorithm })) {
      const current = await this.storedOf(user!);
      return hashOf(current) === hashed ? { stored: current } : undefined;
    }
    if (!this.users.verifyPassword) return undefined;
    // A password in the column of the application ends when the store has one.
    const old = stored ? undefined : user;
    const isOld = (await this.users.verifyPassword(old, password)) && old !== undefined;
    return isOld && (await this.move(old, password)) ? { stored: undefined } : undefined;
  }

  /**
   * Hashes a new password.
   * @param network The network that ordered the hash. If omitted, the network is known, or the application orders it.
   */
  async hash(password: string, network?: string): Promise<string> {
    return hashPassword(password, { algorithm: this.algorithm, ...(network !== undefined && { network }) });
  }

  /** Returns the stored password of a user. `undefined` if the store has none. */
  async storedOf(user: User): Promise<StoredCredential | undefined> {
    const { realm, userId } = this.accountOf(user);
    return this.model.findCredential(realm, 'password', userId);
  }

  /** Whether a user has a password, in the store or in the column of the application. */
  async hasPassword(user: User): Promise<boolean> {
    return this.users.verifyPassword !== undefined || (await this.storedOf(user)) !== undefined;
  }

  /**
   * Saves a new password, unless it has changed since `from` was found.
   * @returns `true` for exactly one of several concurrent callers with the same `from`
   */
  async replace(user: User, from: StoredCredential | undefined, hashed: string): Promise<boolean> {
    const data = JSON.stringify({ hash: hashed });
    if (from) return this.model.replaceCredential(from, data);
    const account = this.accountOf(user);
    return this.model.addCredential(account, { kind: 'password', key: account.userId, data });
  }

  /** Returns a text that changes with the password of a user, and cannot be used to sign in. */
  versionOf(user: User, stored: StoredCredential | undefined): string {
    const text = JSON.stringify([hashOf(stored) ?? null, this.users.credentialOf?.(user) ?? null]);
    return hash('sha256', text, 'base64url').slice(0, 22);
  }

  /** Moves a correct password from the column of the application to the store. */
  private async move(user: User, password: string): Promise<boolean> {
    if (await this.replace(user, undefined, await this.hash(password))) return true;
    // Another request has moved the password, or the user has chosen a new one in the meantime.
    return verifyPassword(password, hashOf(await this.storedOf(user)));
  }

  /**
   * Replaces a hash that costs less than new ones. A password that was changed in the meantime stays. If it fails, such
   * as on a read-only replica, the next login tries again.
   */
  private async rehash(user: User, stored: StoredCredential, password: string): Promise<void> {
    if (!isOutdatedPasswordHash(hashOf(stored)!, this.algorithm)) return;
    try {
      await this.replace(user, stored, await this.hash(password));
    } catch (error) {
      process.emitWarning(`Could not replace an outdated password hash: ${String(error)}`);
    }
  }

  private accountOf(user: User): AccountKey {
    return { realm: this.realm, userId: String(user['id']) };
  }
}

const hashOf = (stored: StoredCredential | undefined) =>
  stored?.data === undefined ? undefined : (JSON.parse(stored.data) as { hash: string }).hash;
