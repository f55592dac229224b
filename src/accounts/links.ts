import { randomBytes } from 'node:crypto';
import type { CredentialModel, StoredCredential, User } from '../../lib/index.js';
import { emailOf } from './email.js';
import type { AccountUsers } from './options.js';
import type { Passwords } from './passwords.js';

/** The purpose of a link. */
export type Purpose = 'reset' | 'signUp' | 'change' | 'keep';

/** The stored data of a link. */
export interface LinkData {
  readonly purpose: Purpose;
  /** The address that the link proves. */
  readonly email: string;
  /** The address of the account when the link was sent. */
  readonly from?: string;
  /** The version of the password when the link was sent. */
  readonly version?: string;
  /** The name that was typed at the sign-up. */
  readonly name?: string;
  /** The path to continue at, in the browser that requested the link. */
  readonly returnTo?: string;
  /** Identifies the browser that requested the link. */
  readonly browser?: string;
}

/** A link that is still valid. */
export interface Link {
  readonly token: string;
  /** The stored data of the link. */
  readonly found: StoredCredential;
  readonly data: LinkData;
  /** The account. `undefined` for a sign-up. */
  readonly user: User | undefined;
  /** The password of the account when the link was read. */
  readonly stored: StoredCredential | undefined;
}

/** The account of the links of sign-ups. No user has an empty ID. */
const NO_USER = '';

const HOUR = 3600;
/** Lifetime of the links in seconds. */
const LIFETIMES: Readonly<Record<Exclude<Purpose, 'keep'>, number>> = {
  reset: HOUR,
  signUp: 24 * HOUR,
  change: 24 * HOUR,
};

/**
 * The links in e-mails: 256 random bits, of which the store keeps a digest. A link works once, for one purpose, one
 * account and one tenant. It ends when the password or the address of the account changes.
 */
export class Links {
  constructor(
    private readonly model: CredentialModel,
    private readonly users: AccountUsers,
    private readonly passwords: Passwords,
    private readonly realm: string,
  ) {}

  /**
   * Creates a link, and returns its token.
   * @param due when the account is deleted, and the link to keep it expires
   */
  async create(data: LinkData, user: User | undefined, due?: Date): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const account = user && {
      from: emailOf(user),
      version: this.passwords.versionOf(user, await this.passwords.storedOf(user)),
    };
    await this.model.addCredential(
      { realm: this.realm, userId: user ? String(user['id']) : NO_USER },
      {
        kind: 'email_proof',
        key: token,
        data: JSON.stringify({ ...data, ...account }),
        expiresAt: data.purpose === 'keep' ? due! : new Date(Date.now() + LIFETIMES[data.purpose] * 1000),
      },
    );
    return token;
  }

  /** Returns a link if it is valid for one of the purposes. */
  async find(token: string | undefined, purposes: readonly Purpose[]): Promise<Link | undefined> {
    if (token === undefined || !/^[\w-]{43}$/.test(token)) return undefined;
    const found = await this.model.findCredential(this.realm, 'email_proof', token);
    if (found?.data === undefined) return undefined;
    const data = JSON.parse(found.data) as LinkData;
    if (!purposes.includes(data.purpose)) return undefined;
    if (found.userId === NO_USER) {
      // Someone has signed up with the address in the meantime.
      const isTaken = await this.users.findByEmail(data.email);
      return isTaken ? undefined : { token, found, data, user: undefined, stored: undefined };
    }
    const owner = await this.findOwner(found.userId, data);
    return owner && { token, found, data, ...owner };
  }

  /**
   * Marks a link as used. Returns `true` for exactly one of several concurrent callers, and `false` if the password or
   * the address of the account has changed since the link was found.
   */
  async consume({ found, data, user }: Link): Promise<boolean> {
    if (!(await this.model.removeCredential(found))) return false;
    return user === undefined || (await this.findOwner(found.userId, data)) !== undefined;
  }

  /** Returns the account of a link with its password. `undefined` if its password or address has changed. */
  private async findOwner(
    userId: string,
    { from, version }: LinkData,
  ): Promise<Pick<Link, 'user' | 'stored'> | undefined> {
    const user = (await this.users.findById(userId)) || undefined;
    if (!user || emailOf(user) !== from) return undefined;
    const stored = await this.passwords.storedOf(user);
    return this.passwords.versionOf(user, stored) === version ? { user, stored } : undefined;
  }
}
