import { InvalidArgumentError } from '../../errors/index.js';
import { type EventSink, hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { GrantList, GrantSelection, GrantsModel, Paging } from '../../model/grants.js';
import { requireMethods } from '../../model/require-methods.js';
import type { SessionList, SessionListModel } from '../../model/session-list.js';
import { LOGOUT } from '../../openid/logout/logout-capability.js';

/** Which server `OAuth2Grants` administers. */
export interface GrantsScope {
  /** The issuer of the server. */
  issuer?: string | undefined;
  /**
   * `one`: the server of one tenant, so that everything is limited to its issuer. `all`: the tenants of a server, so that every
   * call names an issuer. Default: no tenants.
   */
  tenants?: 'one' | 'all';
  events?: EventSink | undefined;
  /** The server, whose logout features notify clients when sessions end. */
  server?: ServerContext | undefined;
}

/** The options of `OAuth2Grants.revokeBefore()`. */
export interface RevokeBeforeOptions {
  /** Everything issued before this moment ends. If omitted, everything issued until now. */
  before?: Date;
  /** The issuer whose grants end. Default: the issuer of the server, and grants that were saved without one. */
  issuer?: string;
  /** Whether the grants of all issuers in the store end. Default: `false`. */
  all?: boolean;
  /** Whether remembered consents end too. Default: `false`. */
  consents?: boolean;
}

type GrantsSelection = GrantSelection & { grantId?: string };
type SessionsSelection = GrantSelection & { id?: string };

/**
 * Lists and ends the grants and sessions of users, for operators. It works with every model that has the methods of
 * `GrantsModel` and `SessionListModel`, as the ready-made stores do.
 */
export class OAuth2Grants {
  constructor(
    private readonly model: object,
    private readonly scope: GrantsScope = {},
  ) {}

  /**
   * Returns the grants of a user, of a client, or of both, page by page.
   * @throws {InvalidArgumentError} If neither `userId` nor `clientId` is given, or the model lacks `pageGrants()`.
   */
  async list(selection: GrantSelection & Paging): Promise<GrantList> {
    return this.able<GrantsModel, 'pageGrants'>('pageGrants').pageGrants(this.selected(selection));
  }

  /**
   * Ends grants with all their codes and tokens, and the consents to them. `{ userId }` alone also ends the user's sessions.
   * @returns how many were alive, consents and sessions included
   * @throws {InvalidArgumentError} If neither `userId`, `clientId` nor `grantId` is given, or the model lacks `revokeGrantsOf()`.
   */
  async end(selection: GrantsSelection): Promise<number> {
    const model = this.able<GrantsModel, 'revokeGrantsOf'>('revokeGrantsOf');
    const selected = this.selected(selection);
    const count = await model.revokeGrantsOf(selected);
    if (count > 0) this.report(selected);
    return count;
  }

  /**
   * Returns the sessions of a user, or those in which users signed in at a client, page by page.
   * @throws {InvalidArgumentError} If neither `userId` nor `clientId` is given, or the model lacks `listSessions()`.
   */
  async listSessions(selection: GrantSelection & Paging): Promise<SessionList> {
    return this.able<SessionListModel, 'listSessions'>('listSessions').listSessions(this.selected(selection));
  }

  /**
   * Ends sessions one by one: one of a user by `{ userId, id }`, or all that `listSessions()` returns. Clients at which the user
   * signed in are notified if the server has a logout feature.
   * @returns how many were alive
   * @throws {InvalidArgumentError} If neither `userId` nor `clientId` is given, or the model lacks the methods.
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
   * Ends every code, token, session, device code and pushed request whose grant began before a moment, in one write: after a
   * database was restored from a backup, or a key or a database has leaked.
   * @returns the moment that was applied
   * @throws {InvalidArgumentError} If the moment is in the future, or the model lacks `revokeBefore()`.
   */
  async revokeBefore({ before, issuer, all = false, consents = false }: RevokeBeforeOptions = {}): Promise<Date> {
    const { tenants, issuer: own } = this.scope;
    const model = this.able<GrantsModel, 'revokeBefore'>('revokeBefore');
    if (all && (issuer !== undefined || tenants === 'one')) {
      throw new InvalidArgumentError('Invalid argument: `all` cannot be limited to one issuer or tenant');
    }
    const named = all ? undefined : this.selected({ ...(issuer !== undefined && { issuer }) }).issuer;
    const issuers = named === undefined ? [...(own === undefined ? [] : [own]), null] : [named];
    const moment = await model.revokeBefore({
      ...(before !== undefined && { before }),
      ...(!all && { issuers }),
      consents,
    });
    this.report({});
    return moment;
  }

  /** Limits a selection to the issuer of a tenant. */
  private selected<S extends GrantSelection>(selection: S): S {
    const { tenants, issuer } = this.scope;
    if (tenants === 'one') {
      if (selection.issuer !== undefined && selection.issuer !== issuer) {
        throw new InvalidArgumentError('Invalid argument: `issuer` is that of another tenant');
      }
      return { ...selection, issuer };
    }
    if (tenants === 'all' && selection.issuer === undefined) {
      throw new InvalidArgumentError('Invalid argument: `issuer` is required, since each tenant has its own');
    }
    return selection;
  }

  /** A failure to notify is reported by the logout feature. The session has ended in any case. */
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
