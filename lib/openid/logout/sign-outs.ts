import { hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { BACKCHANNEL_LOGOUT_URI, FRONTCHANNEL_LOGOUT_URI } from './client-fields.js';
import { FORM } from '../../http/media-type.js';
import { FetchError } from '../../http/safe-fetch/index.js';
import type { CoreClient, GrantModel, Model, Scope, User } from '../../model/model.js';
import type { StoredNotification } from '../../model/notifications.js';
import type { SessionClient, SessionClientFilter, SessionClientModel } from '../../model/session-clients.js';
import { isUpstreamClient } from '../../model/upstream-session.js';
import { findClient } from '../../endpoints/authorization/destination.js';
import { coversScope } from '../../tokens/scope.js';
import { readSignInClaims } from '../../tokens/sign-in-claims.js';
import type { OpenIdProvider } from '../openid-capability.js';
import { OFFLINE_ACCESS, OPENID_SCOPE } from '../scopes.js';
import type { NotificationFetch } from '../notifications/notification-fetch.js';
import { Notifications, type NotificationSender } from '../notifications/notifications.js';
import { hostOf } from '../notifications/outbound-queue.js';
import { frontChannelLogoutUrl } from './frames.js';
import type { LogoutNotifier, SignedOut, SignOutInitiator } from './logout-capability.js';
import { LOGOUT_TOKEN, logoutClaims } from './logout-token.js';

/** The settings of `logout()` that notifications need. */
interface LogoutSettings {
  fetch: NotificationFetch;
  endsGrants: boolean;
  /** Seconds for which the sign-in of a user at a client is remembered. */
  lifetime: number;
}

/** The sign-in of a user at a client, with the data that its record needs. */
interface ClientSignIn {
  client: CoreClient;
  user: User;
  scope?: Scope | undefined;
  issuer: string | undefined;
  /** The stored data about how the user signed in at this server. */
  stored: object;
  grantId?: string | undefined;
}

/** Milliseconds for which failed notifications are retried. */
const RETRY_PERIOD = 86_400_000;
/** Milliseconds for which retries reuse a signed logout token. */
const TOKEN_REUSE_PERIOD = 60_000;

/**
 * Seconds after which the client that began a sign-out is notified. Some clients, such as Keycloak, wait for the user to
 * return within the session that the logout token ends.
 */
const INITIATOR_DELAY = 5;

/** Maximum number of frames on one logout page. */
const MAX_FRAMES = 20;

/**
 * The record of the clients at which the users of one server have signed in, and the notification of these clients when
 * the users sign out. The constructor subscribes to the model.
 */
export class SignOuts implements LogoutNotifier {
  private readonly model: Model & SessionClientModel & Partial<GrantModel>;
  private readonly notifications: Notifications;

  constructor(
    private readonly server: ServerContext,
    private readonly provider: OpenIdProvider,
    private readonly settings: LogoutSettings,
  ) {
    this.model = server.options.model as Model & SessionClientModel;
    this.model.onSignOut?.(server.options.issuer!, (ended) => void this.notifyClients(ended));
    this.notifications = Notifications.of(this.model);
    this.notifications.register('logout', server.options.issuer!, this.sender);
  }

  async recordSignIn({ client, user, scope, issuer, stored, grantId }: ClientSignIn): Promise<void> {
    const { sid } = readSignInClaims(stored);
    if (sid === undefined || issuer === undefined || !coversScope(scope, OPENID_SCOPE)) return;
    // Grants with `offline_access` outlive the session. Back-Channel Logout §2.7
    const isEnded = this.settings.endsGrants && grantId !== undefined && !coversScope(scope, OFFLINE_ACCESS);
    if (!isEnded && !isNotified(client)) return;
    const sub = this.provider.subjectOf(user, client, stored);
    const session = { userId: String(user['id']), sid, clientId: client.id, sub, issuer, ...(isEnded && { grantId }) };
    await this.model.saveSessionClient(session, new Date(Date.now() + this.settings.lifetime * 1000));
  }

  async signOut(filter: SessionClientFilter, initiator?: SignOutInitiator): Promise<SignedOut> {
    try {
      const issuer = this.server.options.issuer!;
      const ended = await this.model.takeSessionClients({ ...filter, issuer });
      return { frames: await this.notifyClients(ended, initiator) };
    } catch (error) {
      this.reportResult(filter, error);
      return { frames: [] };
    }
  }

  private async notifyClients(ended: readonly SessionClient[], initiator?: SignOutInitiator): Promise<string[]> {
    const clients = ended.filter((session) => !isUpstreamClient(session));
    const sessions = new Map(clients.map((session) => [JSON.stringify([session.clientId, session.sid]), session]));
    const frames = await Promise.all([
      ...ended.map((session) => this.reportFailure(session, () => this.revokeGrant(session))),
      ...[...sessions.values()].map((session) =>
        this.reportFailure(session, () => this.notifyClient(session, initiator)),
      ),
    ]);
    return frames.filter((frame) => frame !== undefined).slice(0, MAX_FRAMES);
  }

  private async reportFailure<T>(session: SessionClient, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.reportResult(session, error);
      return undefined;
    }
  }

  private async revokeGrant({ grantId }: SessionClient): Promise<undefined> {
    if (grantId !== undefined && this.settings.endsGrants) await this.model.revokeGrant?.(grantId);
  }

  private async notifyClient(session: SessionClient, initiator?: SignOutInitiator): Promise<string | undefined> {
    const isInitiator = initiator?.clientId === session.clientId && initiator.sid === this.sessionOf(session);
    const delay = isInitiator ? INITIATOR_DELAY : 0;
    const client = await this.model.getClient(session.clientId, null);
    if (client) {
      await this.addNotification(session, client, delay);
      return frontChannelLogoutUrl(client, { ...session, sid: this.sessionOf(session) });
    }
    // Do not wait for this: finding the client may require a slow fetch. A deleted client is not notified.
    const lookup = findClient(session.clientId, this.model, this.server);
    lookup.then((registered) => this.addNotification(session, registered, delay)).catch(() => undefined);
    return undefined;
  }

  private async addNotification(
    { issuer, clientId, userId, sub, sid }: SessionClient,
    client: CoreClient,
    delay: number,
  ): Promise<void> {
    const uri = BACKCHANNEL_LOGOUT_URI.of(client);
    if (uri === undefined) return;
    const message = { kind: 'logout', issuer, clientId, host: hostOf(uri), data: { userId, sub, sid } } as const;
    await this.notifications.add(message, new Date(Date.now() + RETRY_PERIOD), delay);
  }

  private readonly signed = new WeakMap<StoredNotification, { body: string; at: number }>();

  private readonly sender: NotificationSender = {
    send: async (notification) => {
      const { issuer, clientId, data } = notification;
      const client = await findClient(clientId, this.model, this.server);
      const uri = BACKCHANNEL_LOGOUT_URI.of(client);
      if (uri === undefined) throw new FetchError('url', 'the client no longer has a back-channel logout URI');
      const { userId, sub, sid } = data as Pick<SessionClient, 'userId' | 'sub' | 'sid'>;
      // Quick retries send the same token. Later ones send a new token, because a logout token is valid for two
      // minutes.
      let signed = this.signed.get(notification);
      if (!signed || Date.now() - signed.at > TOKEN_REUSE_PERIOD) {
        signed = { body: await this.formFor({ userId, sub, sid, issuer, clientId }, client), at: Date.now() };
        this.signed.set(notification, signed);
      }
      await this.settings.fetch.post(clientId, uri, { type: FORM, body: signed.body });
    },
    done: ({ issuer, clientId, data }, failure) =>
      this.reportResult({ userId: data['userId']!, clientId, issuer }, failure),
  };

  /** Returns the form with a signed logout token. OpenID Connect Back-Channel Logout §2.5 */
  private async formFor(session: SessionClient, client: CoreClient): Promise<string> {
    const jwt = { typ: LOGOUT_TOKEN, claims: logoutClaims({ ...session, sid: this.sessionOf(session) }) };
    const logoutToken = await this.provider.signFor(client, jwt);
    return new URLSearchParams({ logout_token: logoutToken }).toString();
  }

  /** Returns the `sid` by which the client knows the session. */
  private sessionOf(session: SessionClient): string {
    return this.provider.sessionOf(session);
  }

  private reportResult({ userId, clientId, issuer }: SessionClientFilter, failure: unknown): void {
    const { events } = this.server.options;
    const details = { endpoint: 'logout', issuer: issuer ?? this.server.options.issuer, clientId, userId };
    if (failure === undefined) {
      if (hasListener(events, 'logout.delivered')) reportEvent(events, 'logout.delivered', details);
    } else if (hasListener(events, 'logout.failed')) {
      reportEvent(events, 'logout.failed', {
        ...details,
        reason: failure instanceof Error ? failure.message : undefined,
      });
    }
  }
}

const isNotified = (client: CoreClient) =>
  BACKCHANNEL_LOGOUT_URI.of(client) !== undefined || FRONTCHANNEL_LOGOUT_URI.of(client) !== undefined;
