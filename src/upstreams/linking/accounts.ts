import type { Awaitable, Falsy, User } from '../../../lib/index.js';
import { capability } from '../../../lib/internal.js';
import type { UpstreamProfile } from '../providers/upstream-user.js';

/** The accounts of the application, as `upstreams()` needs them. The store keeps which identity belongs to which. */
export interface UpstreamAccounts<U extends User = User> {
  /** Returns the user with this ID. A falsy value if the account was deleted or disabled: the sign-in is refused. */
  findById(id: string): Awaitable<U | Falsy>;
  /**
   * Creates an account for a new identity, and returns its user. `profile.email` is set only if it is proven: then it
   * can be saved as verified. A falsy value refuses the sign-in.
   */
  create(profile: UpstreamProfile): Awaitable<U | Falsy>;
  /**
   * Returns the account with an e-mail address, so that its owner is told to sign in instead of getting a second
   * account. Called with proven addresses only. It never signs the user in. If omitted, addresses do not matter.
   */
  findByEmail?(email: string): Awaitable<U | Falsy>;
  /**
   * Returns whether the account has proven its e-mail address, or has none. An account without proof may belong to an
   * attacker who knows the address of somebody else. Required with `findByEmail()`.
   */
  isVerified?(user: U): Awaitable<boolean>;
  /**
   * Removes an address from an account that has never proven it, because its owner signs in with a provider that
   * proves it. Also remove the password of that account. Its sessions and grants are revoked. Required with
   * `findByEmail()`.
   */
  releaseEmail?(user: U, email: string): Awaitable<unknown>;
  /**
   * Returns the name of the provider with which all users of an e-mail domain sign in, such as that of a company. The
   * login page then asks for the user name first, and sends these users to the provider before it asks for a password.
   * Called with the domain in lower case, so that the result cannot depend on whether an account exists.
   */
  providerFor?(domain: string): Awaitable<string | Falsy>;
  /** Returns whether a signed-in user may add this identity to the account. If omitted, yes. */
  mayLink?(user: U, profile: UpstreamProfile): Awaitable<boolean>;
  /** Called after an identity was added to an account, for example to send the user a mail. */
  onLinked?(user: U, profile: UpstreamProfile): Awaitable<unknown>;
  /**
   * Returns whether the user can also sign in without a provider, for example with a password. If not, the last
   * provider cannot be disconnected. If omitted, the user cannot.
   */
  hasOtherSignIn?(user: U): Awaitable<boolean>;
}

/** The capability key of the accounts that the application passes to `upstreams()`. */
export const UPSTREAM_ACCOUNTS = capability<UpstreamAccounts>('accounts of upstream users', 'upstreams');

export const ACCOUNT_METHODS = {
  methods: ['findById', 'create'],
  optionalMethods: [
    'findByEmail',
    'isVerified',
    'releaseEmail',
    'mayLink',
    'onLinked',
    'hasOtherSignIn',
    'providerFor',
  ],
} as const;
