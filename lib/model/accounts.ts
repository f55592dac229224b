import type { Awaitable, Falsy, User } from './model.js';

/**
 * Model methods that find an account before its password is verified, so that limits count the account and not the
 * typed name. If a model has both, they replace `getUser()`.
 */
export interface AccountModel<U extends User = User> {
  /** Finds a user by the name that was typed. Returns a falsy value if the user does not exist. */
  findByUsername(username: string): Awaitable<U | Falsy>;
  /**
   * Returns whether a password is that of a user. It is called for `undefined` too, if no user was found, and must take
   * as long then.
   */
  verifyPassword(user: U | undefined, password: string): Awaitable<boolean>;
}

/** Whether a model finds accounts before their passwords are verified. */
export const hasAccounts = (model: object): model is AccountModel => {
  const { findByUsername, verifyPassword } = model as Partial<AccountModel>;
  return typeof findByUsername === 'function' && typeof verifyPassword === 'function';
};
