import { InvalidScopeError } from '../errors/index.js';
import type { PushedRequest, PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import type { RevocationModel } from '../features/revocation.js';
import type { TokenExchangeModel } from '../features/token-exchange/exchange-model.js';
import type { AuthorizationCode, Model, RefreshToken, Scope, Token, Unsaved, User } from '../model/model.js';
import type { NotificationModel, StoredNotification } from '../model/notifications.js';
import { tellEnded } from '../tokens/ended.js';
import { coversScope, SCOPE_MISSING, scopeText } from '../tokens/scope.js';
import { digest } from './client-secret.js';
import { isCurrent, type Marked } from './credential.js';
import { snapshotOf } from './described-client.js';
import { DeviceStore } from './device-store.js';
import { exchangedFor, type ExchangedFor, exchangedUser } from './exchanged.js';
import { isRetired } from './managed-client.js';
import type { Clients, StoredClient, Users } from './ports.js';
import { dataOf, foundOf, grantable, grantRow, issuedRows, rowOf, spendingOf, withoutSecrets } from './rows.js';
import { SecretCheck, type SecretCheckOptions } from './secret-check.js';
import type { ClientStorage, Found, Storage } from './storage.js';
import type { OverridableMethods } from './store-context.js';
import { makeParts, type StoreParts } from './store-parts.js';

const SET_DEFAULT = 'send `scope` in the request, or set `defaultScope` of the client';

/** A model over any storage: secrets are hashed and rows become objects here, for all stores alike. */
export class Store<S extends Storage & ClientStorage = Storage & ClientStorage>
  extends DeviceStore<S>
  implements
    Model<StoredClient>,
    RevocationModel,
    PushedRequestModel,
    NotificationModel,
    Pick<TokenExchangeModel<StoredClient>, 'saveExchangedToken'>
{
  protected readonly secrets: SecretCheck;
  /** The parts that do the work. A subclass calls the methods of the store instead. */
  protected readonly parts: StoreParts;

  constructor(storage: S, clients: Clients, users: Users, options?: SecretCheckOptions) {
    super(storage, clients, users);
    this.secrets = new SecretCheck(clients, options);
    const overridable: OverridableMethods = {
      once: (value, seconds) => this.once(value, seconds),
    };
    this.parts = makeParts({ storage, overridable });
  }

  async getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    const client = await this.clients.findById(clientId);
    if (!client || isRetired(client)) return undefined;
    const isRight = clientSecret === null || (await this.secrets.isRight(client, clientSecret));
    return isRight ? withoutSecrets(client) : undefined;
  }

  validateClientScope(client: StoredClient, scope: Scope): boolean {
    return coversScope(client.scopes, scope);
  }

  /**
   * Grants what the client is registered for, and its `defaultScope` to one that asks for nothing. Without a default it
   * has to ask, unless there is nothing that it may ask for, or it asks for authorization details. RFC 6749 §3.3, RFC 9396 §3.1
   */
  async validateScope(_user: User, client: StoredClient, scope: Scope | undefined): Promise<boolean | string> {
    const { scopes, defaultScope = null } = client;
    if (scope) return coversScope(scopes, scope);
    const granted = scopeText(defaultScope);
    if (granted) return coversScope(scopes, granted) && granted;
    if (defaultScope === null && scopes?.length) {
      const detail = {
        rule: 'a client without a `defaultScope` asks for a scope',
        wanted: scopes,
        remedy: SET_DEFAULT,
      };
      throw new InvalidScopeError(SCOPE_MISSING).because(detail);
    }
    return true;
  }

  async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: StoredClient, user: User) {
    const kept = this.users.credentialOf ? await this.withCredential(code, user) : code;
    const grant = grantRow(kept, client, user);
    const row = rowOf(grant, 'code', code.authorizationCode, code.expiresAt);
    row.data = dataOf(kept, snapshotOf(client));
    await this.storage.keep(grant, [row]);
    return { client, user, ...code };
  }

  async getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode<StoredClient> | undefined> {
    const code = await this.storage.find('code', digest(authorizationCode));
    const found = code && (await this.found(code));
    return found && { ...grantable(found), authorizationCode, expiresAt: new Date(code.expiresAt) };
  }

  async revokeAuthorizationCode({ authorizationCode }: Pick<AuthorizationCode, 'authorizationCode'>): Promise<boolean> {
    return this.storage.spend('code', digest(authorizationCode));
  }

  async saveToken(token: Unsaved<Token>, client: StoredClient, user: User): Promise<Token<StoredClient>> {
    const kept = this.users.credentialOf ? await this.withCredential(token, user) : token;
    const { grant, rows } = issuedRows(kept, client, user);
    await this.storage.keep(grant, rows);
    return { client, user, ...token };
  }

  async saveExchangedToken(
    subject: Token | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient>> {
    const kept = this.users.credentialOf ? await this.withCredential(token, user) : token;
    const { grant, rows } = issuedRows(kept, client, user);
    for (const row of rows)
      row.data = dataOf(kept, { ...snapshotOf(client), exchangedFor: exchangedFor(subject, client, user) });
    await this.storage.keep(grant, rows);
    return { client, user, ...token };
  }

  /**
   * Keeps nothing when the family was revoked while its next token was on the way. The client is answered all the same,
   * as if the replay that revoked it had come a moment later: the one that won the code is always told so.
   */
  async redeem(
    spent: AuthorizationCode | RefreshToken,
    { successor, ...token }: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    // That of what is spent: a new password may have come in between.
    const kept = this.users.credentialOf ? { ...token, credential: (spent as Marked).credential } : token;
    const { grant, rows } = issuedRows(kept, client, user);
    return (await this.storage.consumeAndSave(spendingOf(spent, successor), grant, rows))
      ? { client, user, ...token }
      : undefined;
  }

  async getAccessToken(accessToken: string): Promise<Token<StoredClient> | undefined> {
    const token = await this.storage.find('access', digest(accessToken));
    if (!token || token.revokedAt !== null) return undefined;
    const found: Partial<Token<StoredClient>> | undefined = await this.found(token);
    if (!found) return undefined;
    if (this.users.credentialOf) delete (found as Marked).credential;
    if (found['exchangedFor']) {
      const user = await exchangedUser(this.storage, found['exchangedFor'] as ExchangedFor, found.user!);
      if (!user) return undefined;
      found.user = user;
    }
    const accessTokenExpiresAt = new Date(token.expiresAt);
    return Object.assign(found, { accessToken, accessTokenExpiresAt }) as Token<StoredClient>;
  }

  async getRefreshToken(refreshToken: string): Promise<RefreshToken<StoredClient> | undefined> {
    const token = await this.storage.find('refresh', digest(refreshToken));
    const found = token && (await this.found(token));
    return found && { ...grantable(found), refreshToken, refreshTokenExpiresAt: new Date(token.expiresAt) };
  }

  async revokeToken({ refreshToken }: Pick<RefreshToken, 'refreshToken'>): Promise<boolean> {
    return this.storage.spend('refresh', digest(refreshToken));
  }

  async revokeAccessToken({ accessToken }: Pick<Token, 'accessToken'>): Promise<boolean> {
    const isEnded = await this.storage.spend('access', digest(accessToken));
    tellEnded({ accessToken });
    return isEnded;
  }

  async revokeGrant(grantId: string): Promise<boolean> {
    const count = await this.storage.revokeGrants({ grantId });
    tellEnded({ grantId });
    return count > 0;
  }

  /** Saves a pushed authorization request. It expires at `openUntil` unless it is opened before. RFC 9126 §2 */
  savePushedRequest(request: PushedRequest): Promise<void> {
    return this.parts.pushedRequests.savePushedRequest(request);
  }

  /** Finds a pushed authorization request that is neither used nor expired. */
  getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    return this.parts.pushedRequests.getPushedRequest(requestUri);
  }

  /** Keeps a pushed authorization request for the time of the interaction. Does nothing if it was opened before. */
  openPushedRequest(request: PushedRequest): Promise<void> {
    return this.parts.pushedRequests.openPushedRequest(request);
  }

  /** Marks a pushed authorization request as used. Returns `true` for exactly one of several concurrent callers. */
  revokePushedRequest(request: Pick<PushedRequest, 'requestUri'>): Promise<boolean> {
    return this.parts.pushedRequests.revokePushedRequest(request);
  }

  /** Stores a message to a client until it is removed or expires. */
  saveNotification(notification: StoredNotification, expiresAt: Date): Promise<void> {
    return this.parts.notifications.saveNotification(notification, expiresAt);
  }

  /** Lists the stored messages to clients. Claimed ones are listed too. */
  listNotifications(): Promise<StoredNotification[]> {
    return this.parts.notifications.listNotifications();
  }

  /** Claims a message for a number of seconds. Returns `true` for exactly one of several concurrent callers. */
  claimNotification(id: string, seconds: number): Promise<boolean> {
    return this.parts.notifications.claimNotification(id, seconds);
  }

  /** Removes a message that was delivered. */
  removeNotification(id: string): Promise<void> {
    return this.parts.notifications.removeNotification(id);
  }

  private async found(row: Found) {
    const client = await this.clientOf(row);
    if (!client || isRetired(client)) return undefined;
    const user = row.userId === null ? await this.getUserFromClient(client) : await this.users.findById(row.userId);
    return user && isCurrent(this.users, user, row) ? foundOf(row, client, user) : undefined;
  }
}
