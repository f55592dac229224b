import type { User } from '../../model/model.js';
import type { RememberedModel, RememberedSession, Session, SessionModel } from '../../model/sessions.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { digest } from '../clients/client-secret.js';
import { hasCurrentPassword, type PasswordMarked } from '../clients/password-mark.js';
import type { Grants } from '../grants/grants.js';
import { sessionOf, sessionRows } from './session-row.js';
import type { StoreContext } from '../clients/store-context.js';
import { verifyFindable } from '../contract/found-user.js';
import type { GrantKinds, StoredRow } from '../contract/storage.js';

const NO_MARK: PasswordMarked = {};
const SESSION_KINDS: GrantKinds = ['session', 'pending_login'];

/** The part of a store that stores the sessions of browsers. Each has a grant of its own, which has no client. */
export class Sessions implements SessionModel, RememberedModel {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'users'>,
    private readonly grants: Grants,
  ) {}

  /**
   * Saves a session, and its remember-me token if it has one.
   * @throws {InvalidArgumentError} If the user cannot be found by the ID.
   */
  async saveSession(session: Session): Promise<void> {
    await verifyFindable(this.context.users, session.user);
    const mark = this.context.users.credentialOf ? await this.grants.marked<PasswordMarked>({}, session.user) : NO_MARK;
    const { grant, rows } = sessionRows(session, mark);
    await this.context.storage.save(grant, rows);
  }

  /**
   * Returns a session with its user. Returns `undefined` if it has ended or expired, or the user has a new password.
   */
  async getSession(sessionId: string): Promise<Session | undefined> {
    const row = await this.context.storage.find('session', digest(sessionId));
    if (!row || row.revokedAt !== null || row.expiresAt <= Date.now()) return undefined;
    const user = await this.currentUser(row);
    return user && sessionOf(row, sessionId, user);
  }

  /**
   * Ends the session with this ID or with this remember-me token, and revokes its grant. Returns whether it was active.
   */
  async revokeSession({ sessionId }: Pick<Session, 'sessionId'>): Promise<boolean> {
    const row = await this.context.storage.find('session', digest(sessionId));
    const isEnded = await this.context.storage.consume('session', digest(sessionId));
    // The grant is revoked too, so that an ended session is no longer listed.
    if (row) {
      const { grantId } = row;
      await this.context.storage.revokeGrants({ kinds: SESSION_KINDS, grantId });
      notifyTokensRevoked({ grantId });
    }
    return isEnded;
  }

  /**
   * Returns a session by its remember-me token. If the token was already replaced, the result has `replacedAgo`, the
   * seconds since then.
   */
  async findRememberedSession(token: string): Promise<RememberedSession | undefined> {
    const row = await this.context.storage.find('session', digest(token));
    if (!row || row.expiresAt <= Date.now()) return undefined;
    const user = await this.currentUser(row);
    if (!user) return undefined;
    const replacedAgo = row.revokedAt === null ? undefined : (row.revokedAgo ?? Date.now() - row.revokedAt) / 1000;
    return { ...sessionOf(row, token, user), ...(replacedAgo !== undefined && { replacedAgo }) };
  }

  /**
   * Marks a remember-me token as used and saves the continued session with its new token, in one step. Returns `true`
   * for exactly one of several concurrent callers.
   */
  async continueSession(token: string, session: Session): Promise<boolean> {
    const row = await this.context.storage.find('session', digest(token));
    if (!row || row.revokedAt !== null) return false;
    // The password may have changed since the token was verified, so the session keeps the password mark from its
    // beginning.
    const { grant, rows } = sessionRows(session, JSON.parse(row.data!) as PasswordMarked, row.grantId);
    return this.context.storage.consumeAndSave({ kind: 'session', digest: digest(token) }, grant, rows);
  }

  /** Returns the user of a session. Returns `undefined` if the user no longer exists or has a new password. */
  private async currentUser(row: StoredRow): Promise<User | undefined> {
    const { users } = this.context;
    const user = await users.findById(row.userId!);
    return user && hasCurrentPassword(users, user, row) ? user : undefined;
  }
}
