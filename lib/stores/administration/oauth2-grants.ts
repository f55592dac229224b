import { InvalidArgumentError } from '../../errors/index.js';
import { type EventSink, hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { GrantList, GrantSelection, GrantsModel, Paging } from '../../model/grants.js';
import { requireMethods } from '../../model/require-methods.js';
import type { SessionList, SessionListModel } from '../../model/session-list.js';
import { LOGOUT } from '../../openid/logout/logout-capability.js';

/** The server that an `OAuth2Grants` administers, and the tenants of that server. */
export interface GrantsScope {
  /** The issuer of the server. If omitted, the server has no issuer. */
  issuer?: string | undefined;
  /**
   * `one`: the server of one tenant, so every call is limited to its issuer. `all`: the tenants of a server, so every
   * call must have an `issuer`. If omitted, the server has no tenants.
   */
  tenants?: 'one' | 'all';
  events?: EventSink | undefined;
  /** The server. Its logout features notify clients when sessions end. If omitted, clients are not notified. */
  server?: ServerContext | undefined;
}

/** The options of `OAuth2Grants.revokeBefore()`. */
export interface RevokeBeforeOptions {
  /** Everything issued before this time is revoked. Default: now. */
  before?: Date;
  /**
   * The issuer whose grants are revoked. Default: the issuer of the server, and grants that were saved without an
   * issuer.
   */
  issuer?: string;
  /** Whether the grants of all issuers in the store are revoked. Default: `false`. */
  all?: boolean;
  /** Whether remembered consents are revoked too. Default: `false`. */
  consents?: boolean;
}

type GrantsSelection = GrantSelection & { grantId?: string };
type SessionsSelection = GrantSelection & { id?: string };

/**
 * Lists and revokes the grants and sessions of users, for operators. It works with every model that has the methods of
 * `GrantsModel` and `SessionListModel`, as the ready-made stores do.
 */
export class OAuth2Grants {
  constructor(
    private readonly model: object,
    private readonly scope: GrantsScope = {},
  ) {}

  /**
   * Returns the grants of a user, of a client, or of both, page by page.
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks `pageGrants()`.
   */
  async list(selection: GrantSelection & Paging): Promise<GrantList> {
    return this.able<GrantsModel, 'pageGrants'>('pageGrants').pageGrants(this.selected(selection));
  }

  /**
   * Revokes grants with all their codes and tokens, and the remembered consents to them. `{ userId }` alone also ends
   * the user's sessions.
   * @returns how many were active, consents and sessions included
   * @throws {InvalidArgumentError} If `userId`, `clientId` and `grantId` are all missing, or the model lacks
   * `revokeGrantsOf()`.
   */
  async end(selection: GrantsSelection): Promise<number> {
    const model = this.able<GrantsModel, 'revokeGrantsOf'>('revokeGrantsOf');
    const selected = this.selected(selection);
    const count = await model.revokeGrantsOf(selected);
    if (count > 0) this.report(selected);
    return count;
  }

  /**
   * Returns the sessions of a user, or the sessions in which users signed in at a client, page by page.
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks `listSessions()`.
   */
  async listSessions(selection: GrantSelection & Paging): Promise<SessionList> {
    return this.able<SessionListModel, 'listSessions'>('listSessions').listSessions(this.selected(selection));
  }

  /**
   * Ends sessions one by one: one session of a user with `{ userId, id }`, or all sessions that `listSessions()`
   * returns. Clients at which the user signed in are notified if the server has a logout feature.
   * @returns how many were active
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks the methods.
   */
  async endSessions({ id, ...selection }: SessionsSelection): Promise<number> {
    const model = this.able<SessionListModel, 'listSessions' | 'endSession'>('listSessions', 'endSession');
    const selected = this.selected(selection);
    let count = 0;
    for (let after: string | undefined; ;) {
      const page: SessionList = await model.listSessions({
        ...selected,
        limit: 1000,
        ...(after !== undefined && { after }),
      });
      for (const session of page.sessions.filter((one) => id === undefined || one.id === id)) {
        if (!(await model.endSession(session))) continue;
        count += 1;
        await this.notifyClients(session);
      }
      if (page.next === undefined) return count;
      after = page.next;
    }
  }

  /**
   * Revokes every code, token, session, device code and pushed request whose grant began before a time, in one write.
   * Use it after a database was restored from a backup, or after a key or a database has leaked.
   * @returns the time that was applied
   * @throws {InvalidArgumentError} If the time is in the future, or the model lacks `revokeBefore()`.
   */
  async revokeBefore({ before, issuer, all = false, consents = false }: RevokeBeforeOptions = {}): Promise<Date> {
    const { tenants, issuer: own } = this.scope;
    const model = this.able<GrantsModel, 'revokeBefore'>('revokeBefore');
    if (all && (issuer !== undefined || tenants === 'one')) {
      throw new InvalidArgumentError(
        'Invalid argument: `all` cannot be combined with `issuer`, or used with the server of one tenant',
      );
    }
    const named = all ? undefined : this.selected({ ...(issuer !== undefined && { issuer }) }).issuer;
    const issuers = named === undefined ? [...(own === undefined ? [] : [own]), null] : [named];
    const time = await model.revokeBefore({
      ...(before !== undefined && { before }),
      ...(!all && { issuers }),
      consents,
    });
    this.report({});
    return time;
  }

  /**
   * Returns a selection that is limited to the issuer of a tenant.
   * @throws {InvalidArgumentError} If the issuer is missing, or belongs to another tenant.
   */
  private selected<S extends GrantSelection>(selection: S): S {
    const { tenants, issuer } = this.scope;
    if (tenants === 'one') {
      if (selection.issuer !== undefined && selection.issuer !== issuer) {
        throw new InvalidArgumentError('Invalid argument: `issuer` belongs to another tenant');
      }
      return { ...selection, issuer };
    }
    if (tenants === 'all' && selection.issuer === undefined) {
      throw new InvalidArgumentError('Invalid argument: `issuer` is required, since each tenant has its own issuer');
    }
    return selection;
  }

  /**
   * Notifies the clients of an ended session. The logout feature reports failures; the session has ended in any case.
   */
  private async notifyClients({ userId, sid }: { userId: string; sid?: string }): Promise<void> {
    const { server: facts } = this.scope;
    if (!facts || sid === undefined) return;
    await facts.find(LOGOUT)?.signOut({ userId, sid });
  }

  private report({ userId, clientId, grantId }: GrantsSelection): void {
    const { events, issuer } = this.scope;
    if (!hasListener(events, 'grant.ended')) return;
    reportEvent(events, 'grant.ended', {
      endpoint: 'grants',
      issuer,
      userId,
      clientId,
      grantId,
      reason: 'application',
    });
  }

  private able<M, Method extends keyof M & string>(...methods: Method[]): Pick<M, Method> {
    requireMethods(this.model as never, methods);
    return this.model as Pick<M, Method>;
  }
}
