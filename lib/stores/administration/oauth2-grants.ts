import { InvalidArgumentError } from '../../errors/index.js';
import { type EventSink, hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { MODULE_STATE } from '../../contracts/module-state.js';
import type { ConsentModel, ConsentSelection } from '../../model/consents.js';
import type { GrantList, GrantSelection, GrantsModel, Paging } from '../../model/grants.js';
import { requireMethods } from '../../model/require-methods.js';
import type { SessionList, SessionListModel } from '../../model/session-list.js';
import { notifySessionEnded } from '../../openid/logout/logout-capability.js';

/** The server whose grants an `OAuth2Grants` administers, and whether that server has tenants. */
export interface GrantsScope {
  /** The issuer of the server. If omitted, the server has no issuer. */
  issuer?: string | undefined;
  /**
   * `one`: the server is that of one tenant, so every call is limited to its issuer. `all`: the server has several
   * tenants, so every call must pass an `issuer`. If omitted, the server has no tenants.
   */
  tenants?: 'one' | 'all';
  events?: EventSink | undefined;
  /**
   * The context of the server. Its logout features notify clients when sessions end. If omitted, clients are not
   * notified.
   */
  server?: ServerContext | undefined;
}

/** The options of `OAuth2Grants.revokeBefore()`. */
export interface RevokeBeforeOptions {
  /** Everything whose grant began before this time is revoked. Default: now. */
  before?: Date;
  /**
   * The issuer whose grants are revoked. If omitted, the issuer of the server, and grants that were saved without an
   * issuer.
   */
  issuer?: string;
  /** Whether the grants of all issuers in the store are revoked. Default: `false`. */
  all?: boolean;
  /** Whether remembered consents from before this time are revoked too. Default: `false`. */
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
   * Returns the grants of a server, for a feature that ends them as the application does. The server of a tenant is
   * limited to its tenant.
   */
  static of(server: ServerContext): OAuth2Grants {
    const { model, issuer, events } = server.options;
    const { tenant, tenants } = server.find(MODULE_STATE) ?? {};
    if (tenants) return new OAuth2Grants(model, { tenants: 'all', events });
    return new OAuth2Grants(model, { issuer, server, events, ...(tenant !== undefined && { tenants: 'one' }) });
  }

  /**
   * Returns a page of the active grants that have tokens. With `userId`, only grants of this user. With `clientId`,
   * only grants of this client.
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks `pageGrants()`.
   */
  async list(selection: GrantSelection & Paging): Promise<GrantList> {
    return this.able<GrantsModel, 'pageGrants'>('pageGrants').pageGrants(this.selected(selection));
  }

  /**
   * Revokes the grants that match every field of the selection, with their codes and tokens and the remembered
   * consents. A selection of `userId` without `clientId` and `grantId` also ends the user's sessions.
   * @returns the number of grants, consents and sessions that were active
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
   * Deletes the remembered consents of a user to a client. The grants and tokens of the client stay, but the user is
   * asked again when the client next requests access.
   * @returns how many consents were remembered
   * @throws {InvalidArgumentError} If `userId` or `clientId` is missing, or the model lacks `forgetConsent()`.
   */
  async forgetConsent(selection: ConsentSelection): Promise<number> {
    const model = this.able<Required<ConsentModel>, 'forgetConsent'>('forgetConsent');
    const selected = this.selected(selection);
    const count = await model.forgetConsent(selected);
    const { events, issuer } = this.scope;
    if (count > 0 && hasListener(events, 'consent.forgotten')) {
      const { userId, clientId } = selected;
      reportEvent(events, 'consent.forgotten', { endpoint: 'grants', issuer, userId, clientId });
    }
    return count;
  }

  /**
   * Returns a page of sessions. With `userId`, only sessions of this user. With `clientId`, only sessions with a
   * sign-in at this client.
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks `listSessions()`.
   */
  async listSessions(selection: GrantSelection & Paging): Promise<SessionList> {
    return this.able<SessionListModel, 'listSessions'>('listSessions').listSessions(this.selected(selection));
  }

  /**
   * Ends the sessions that `listSessions()` returns for this selection, one by one. With `id`, only the session with
   * this ID. Clients at which the user signed in are notified if the server has a logout feature.
   * @returns the number of sessions that were active
   * @throws {InvalidArgumentError} If both `userId` and `clientId` are missing, or the model lacks `listSessions()` or
   * `endSession()`.
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
        if (this.scope.server) await notifySessionEnded(this.scope.server, session);
      }
      if (page.next === undefined) return count;
      after = page.next;
    }
  }

  /**
   * Revokes every code, token, session, device code and pushed request whose grant began before a time, in one write.
   * Use it after a database was restored from a backup, or after a key or a database has leaked.
   * @returns the time before which grants are revoked
   * @throws {InvalidArgumentError} If the time is in the future, the options contradict each other, or the model lacks
   * `revokeBefore()`.
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
   * Returns the selection. For the server of one tenant, it is limited to the issuer of that tenant.
   * @throws {InvalidArgumentError} If the server has several tenants and `issuer` is missing, or if `issuer` belongs to
   * another tenant.
   */
  private selected<S extends GrantSelection>(selection: S): S {
    const { tenants, issuer } = this.scope;
    if (tenants === 'one') {
      if (selection.issuer !== undefined && selection.issuer !== issuer) {
        throw new InvalidArgumentError(
          'Invalid argument: `issuer` belongs to another tenant. Omit it, or use the server of that tenant',
        );
      }
      return { ...selection, issuer };
    }
    if (tenants === 'all' && selection.issuer === undefined) {
      throw new InvalidArgumentError('Invalid argument: `issuer` is required, since each tenant has its own issuer');
    }
    return selection;
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
