import { verifyFoundUser } from '../contract/found-user.js';
import { clientItself } from '../../tokens/client-subject.js';
import { InvalidArgumentError } from '../../errors/index.js';
import type { MetadataClient } from '../../clients/registration/client-from-metadata.js';
import type { ClientIdDocumentModel } from '../../features/client-id-documents/document-options.js';
import type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from '../../features/device-authorization/device-model.js';
import type { PushedRequest, PushedRequestModel } from '../../features/pushed-requests/pushed-request.js';
import type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
} from '../../features/registration/registration-model.js';
import type { RevocationModel } from '../../features/revocation.js';
import type { TokenExchangeModel } from '../../features/token-exchange/exchange-model.js';
import type { KeyModel } from '../../jose/keys/key-model.js';
import type {
  ClientChange,
  ClientList,
  ClientsModel,
  CreateClientOptions,
  ListClientsOptions,
  ManagedClient,
  RotatedSecret,
  RotateOptions,
  SecretOptions,
} from '../../model/clients.js';
import { type AccountModel, hasAccounts } from '../../model/accounts.js';
import type { Count, CountModel } from '../../model/counts.js';
import type {
  AuthorizedApplication,
  ConsentModel,
  ConsentRequest,
  ConsentSelection,
  RememberedConsent,
} from '../../model/consents.js';
import type {
  AccountKey,
  CredentialKind,
  CredentialModel,
  NewCredential,
  StoredCredential,
} from '../../model/credentials.js';
import type { GrantList, GrantSelection, GrantsModel, Paging } from '../../model/grants.js';
import type { HealthModel } from '../../model/health.js';
import type {
  AuthorizationCode,
  Client,
  Falsy,
  Model,
  OnceModel,
  RefreshToken,
  Scope,
  Token,
  Unsaved,
  User,
} from '../../model/model.js';
import type { NotBefore } from '../../model/not-before.js';
import type { IdentityKey, IdentityModel, StoredIdentity } from '../../model/identities.js';
import type {
  FoundPersonalToken,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenModel,
  PersonalTokenUse,
} from '../../model/personal-tokens.js';
import type {
  StoredUpstreamTokens,
  UpstreamTokenModel,
  UpstreamTokensKey,
  UpstreamTokensValue,
} from '../../model/upstream-tokens.js';
import type { NotificationModel, StoredNotification } from '../../model/notifications.js';
import type {
  SessionClient,
  SessionClientFilter,
  SessionClientModel,
  SignOutListener,
} from '../../model/session-clients.js';
import type { SessionList, SessionListModel } from '../../model/session-list.js';
import type { RememberedModel, RememberedSession, Session, SessionModel } from '../../model/sessions.js';
import { findCandidate } from '../../limits/candidate.js';
import { coversScope } from '../../tokens/scope.js';
import type { ActiveGrant } from '../grants/active-grant.js';
import { digest } from '../clients/client-secret.js';
import { scopeFor } from '../clients/client-scopes.js';
import type { GrantFilterInput } from '../contract/grant-filter.js';
import { StoredClients } from '../clients/stored-clients.js';
import type { Clients, StoredClient, Users } from '../contract/ports.js';
import { SecretCheck, type SecretCheckOptions } from '../clients/secret-check.js';
import type { OverridableMethods } from '../clients/store-context.js';
import { makeParts, type StoreParts } from './store-parts.js';
import { verifyUsers } from './verify-users.js';
import type { ClientStorage } from '../contract/client-storage.js';
import type { StoredRow, Storage } from '../contract/storage.js';

/** The name under which `readText()` returns the encrypted signing keys. */
const SIGNING_KEYS = 'signing-keys';

/** The options of every store. */
export interface StoreOptions extends SecretCheckOptions {
  /** An object that finds the users of the application. */
  users: Users;
  /** An object that finds the clients of the application. If omitted, the store saves clients in its storage. */
  clients?: Clients | undefined;
}

/**
 * A model over any `Storage`: the base class of the ready-made stores. It hashes client secrets, codes and tokens, and
 * encrypts the secrets of clients with `client_secret_jwt`, so that a storage never receives plain text. Applications
 * may extend a store and override its methods.
 */
export class Store<S extends Storage & ClientStorage = Storage & ClientStorage>
  implements
    Model<StoredClient>,
    RevocationModel,
    PushedRequestModel,
    DeviceAuthorizationModel<StoredClient>,
    Pick<TokenExchangeModel<StoredClient>, 'saveExchangedToken'>,
    SessionModel,
    RememberedModel,
    SessionClientModel,
    SessionListModel,
    GrantsModel,
    ConsentModel<StoredClient>,
    ClientsModel<StoredClient>,
    RegistrationModel<StoredClient & MetadataClient>,
    ClientIdDocumentModel,
    NotificationModel,
    IdentityModel,
    PersonalTokenModel,
    UpstreamTokenModel,
    OnceModel,
    CountModel,
    CredentialModel,
    HealthModel,
    KeyModel
{
  protected readonly clients: Clients;
  protected readonly users: Users;
  protected readonly secrets: SecretCheck;
  /** The clients that this store saves in its storage. `undefined` if the application stores its clients itself. */
  protected readonly storedClients: StoredClients | undefined;
  /** The objects that implement the methods of this store. Subclasses should call the methods of the store instead. */
  protected readonly parts: StoreParts;

  /**
   * Returns the secrets of a client with `client_secret_jwt`, as plain text. `undefined` without the option
   * `encryptSecretsWith`, since hashed secrets cannot be read. OpenID Connect Core §9
   */
  readonly getClientSecrets: ((client: Client) => Promise<readonly string[]>) | undefined;

  /**
   * Finds a user by name, before the password is verified. `undefined` if `users` has not both `findByUsername()` and
   * `verifyPassword()`, or a subclass overrides `getUser()`.
   */
  readonly findByUsername: AccountModel['findByUsername'] | undefined;
  /** Returns whether a password is that of a user. `undefined` in the same cases as `findByUsername`. */
  readonly verifyPassword: AccountModel['verifyPassword'] | undefined;

  /** @throws {InvalidArgumentError} If `users` has no method `findById()`, or an option is invalid. */
  constructor(
    protected readonly storage: S,
    { users, clients, ...options }: StoreOptions,
  ) {
    verifyUsers(users);
    this.users = users;
    this.storedClients = clients ? undefined : new StoredClients(storage);
    this.clients = clients ?? this.storedClients!;
    this.secrets = new SecretCheck(this.clients, options);
    if (hasAccounts(users) && this.getUser === Store.prototype.getUser) {
      this.findByUsername = async (username) => verifyFoundUser(await users.findByUsername(username), 'findByUsername');
      this.verifyPassword = (user, password) => users.verifyPassword(user, password);
    }
    const overridable: OverridableMethods = {
      clientOf: (row) => this.clientOf(row),
      getUserFromClient: (client) => this.getUserFromClient(client),
      once: (value, seconds) => this.once(value, seconds),
      hasConsented: (user, request) => this.hasConsented(user, request),
      revokeGrantsOf: (filter) => this.revokeGrantsOf(filter),
      listSessions: (selection) => this.listSessions(selection),
      endSession: (session) => this.endSession(session),
      createClient: (client) => this.createClient(client),
      removeClient: (clientId) => this.removeClient(clientId),
    };
    const { storedClients: own, clients: known, secrets } = this;
    this.parts = makeParts({
      storage,
      users,
      clients: known,
      secrets,
      overridable,
      requireStoredClients: () => requireStoredClients(own),
    });
    const { knownClients } = this.parts;
    this.getClientSecrets = secrets.encryption.canDecrypt ? (client) => knownClients.secretsOf(client) : undefined;
  }

  /**
   * Whether the store can verify passwords: `users` has `findByCredentials()`, or `findByUsername()` and
   * `verifyPassword()`, or the application has overridden `getUser()`.
   */
  get verifiesPasswords(): boolean {
    return (
      typeof this.users.findByCredentials === 'function' ||
      hasAccounts(this.users) ||
      this.getUser !== Store.prototype.getUser
    );
  }

  // Clients and users

  /**
   * Returns an enabled client without its secrets. Returns `undefined` if it does not exist, is disabled, or the secret
   * is wrong.
   * @param clientSecret The secret to verify. If `null`, no secret is verified.
   */
  getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    return this.parts.knownClients.getClient(clientId, clientSecret);
  }

  /**
   * Returns the user with this username and password, for the password grant. Returns a falsy value if they are wrong.
   */
  async getUser(username: string, password: string): Promise<User | Falsy> {
    const { users } = this;
    if (!hasAccounts(users))
      return verifyFoundUser(await users.findByCredentials?.(username, password), 'findByCredentials');
    return (await findCandidate(users, username))?.verify(password);
  }

  /** Returns the synthetic user of a client credentials grant. It can never collide with a user ID. RFC 6749 §4.4 */
  async getUserFromClient(client: StoredClient): Promise<User> {
    return clientItself(client);
  }

  /** Returns whether every value of the scope is registered for the client. */
  validateClientScope(client: StoredClient, scope: Scope): boolean {
    return coversScope(client.scopes, scope);
  }

  /**
   * Decides which scope the client gets.
   * @returns `true`: the requested scope. A string: the client's `defaultScope`, since no scope was requested. `false`:
   * none, since a value is not registered for the client.
   * @throws {InvalidScopeError} If no scope was requested, and the client has `scopes` but no `defaultScope`.
   * RFC 6749 §3.3
   */
  async validateScope(_user: User, client: StoredClient, scope: Scope | undefined): Promise<boolean | string> {
    return scopeFor(client, scope);
  }

  // Authorization codes and tokens

  /** Saves an authorization code and, if it is new, its grant. Returns the code with its client and user. */
  saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: StoredClient, user: User) {
    return this.parts.codes.saveAuthorizationCode(code, client, user);
  }

  /**
   * Returns a stored authorization code, or `undefined` if it is unknown or its grant was revoked. A used code is
   * returned too, with `revokedAt`.
   */
  getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode<StoredClient> | undefined> {
    return this.parts.codes.getAuthorizationCode(authorizationCode);
  }

  /**
   * Marks an authorization code as used. Returns `true` for exactly one of several concurrent callers, and `false` if
   * the code is unknown or already used.
   */
  revokeAuthorizationCode(code: Pick<AuthorizationCode, 'authorizationCode'>): Promise<boolean> {
    return this.parts.codes.revokeAuthorizationCode(code);
  }

  /** Saves an access token, and its refresh token if it has one. Returns the token with its client and user. */
  saveToken(token: Unsaved<Token>, client: StoredClient, user: User): Promise<Token<StoredClient>> {
    return this.parts.tokens.saveToken(token, client, user);
  }

  /**
   * Saves a token that was issued in exchange for a subject token. When the subject token or its grant is revoked, the
   * saved token is revoked too. RFC 8693
   */
  saveExchangedToken(
    subject: Token | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient>> {
    return this.parts.tokens.saveExchangedToken(subject, token, client, user);
  }

  /**
   * Marks an authorization code or refresh token as used and saves the new tokens, in one step.
   * @returns the new token for exactly one of several concurrent callers, otherwise `undefined`
   */
  redeem(
    used: AuthorizationCode | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    return this.parts.tokens.redeem(used, token, client, user);
  }

  /**
   * Returns an access token with its client and user, or `undefined` if it is unknown or was revoked. Its expiry may be
   * in the past.
   */
  getAccessToken(accessToken: string): Promise<Token<StoredClient> | undefined> {
    return this.parts.tokens.getAccessToken(accessToken);
  }

  /**
   * Returns a stored refresh token, or `undefined` if it is unknown or its grant was revoked. A used refresh token is
   * returned too, with `revokedAt`.
   */
  getRefreshToken(refreshToken: string): Promise<RefreshToken<StoredClient> | undefined> {
    return this.parts.tokens.getRefreshToken(refreshToken);
  }

  /**
   * Marks a refresh token as used. Returns `true` for exactly one of several concurrent callers, and `false` if it is
   * unknown or already used.
   */
  revokeToken(token: Pick<RefreshToken, 'refreshToken'>): Promise<boolean> {
    return this.parts.tokens.revokeToken(token);
  }

  /** Revokes one access token. Its grant and its refresh token stay valid. RFC 7009 §2.1 */
  revokeAccessToken(token: Pick<Token, 'accessToken'>): Promise<boolean> {
    return this.parts.tokens.revokeAccessToken(token);
  }

  // Device codes

  /** Saves a device code and its user code. RFC 8628 §3.2 */
  saveDeviceAuthorization(authorization: NewDeviceAuthorization, client: StoredClient): Promise<void> {
    return this.parts.devices.saveDeviceAuthorization(authorization, client);
  }

  /**
   * Returns a device authorization by its device code, also if it was denied or used. Returns `undefined` if it is
   * unknown or its grant was revoked.
   */
  getDeviceAuthorization(deviceCode: string): Promise<DeviceAuthorization<StoredClient> | undefined> {
    return this.parts.devices.getDeviceAuthorization(deviceCode);
  }

  /** Finds a device authorization by its user code. */
  getDeviceAuthorizationByUserCode(userCode: string): Promise<DeviceAuthorization<StoredClient> | undefined> {
    return this.parts.devices.getDeviceAuthorizationByUserCode(userCode);
  }

  /**
   * Stores the decision of a user about a device authorization. Returns `true` for exactly one of several concurrent
   * callers, and `false` if it was already decided.
   */
  decideDeviceAuthorization(
    authorization: Pick<DeviceAuthorization, 'id'>,
    decision: DeviceDecision,
  ): Promise<boolean> {
    return this.parts.devices.decideDeviceAuthorization(authorization, decision);
  }

  /**
   * Stores a longer polling interval. Returns `false` if the device authorization was changed by a concurrent request,
   * so nothing was stored. RFC 8628 §3.5
   */
  slowDownDevice(authorization: Pick<DeviceAuthorization, 'id'>, interval: number): Promise<boolean> {
    return this.parts.devices.slowDownDevice(authorization, interval);
  }

  /** Marks a device code as used. Returns `true` for exactly one of several concurrent callers. */
  revokeDeviceCode(authorization: Pick<DeviceAuthorization, 'id'>): Promise<boolean> {
    return this.parts.devices.revokeDeviceCode(authorization);
  }

  /**
   * Marks a device code as used and saves the token that is issued for it, in one step.
   * @returns the token for exactly one of several concurrent callers, otherwise `undefined`
   */
  redeemDeviceCode(
    authorization: Pick<DeviceAuthorization, 'id'>,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    return this.parts.devices.redeemDeviceCode(authorization, token, client, user);
  }

  // Pushed authorization requests

  /**
   * Saves a pushed authorization request. It expires at `openUntil` unless `openPushedRequest()` is called before.
   * RFC 9126 §2
   */
  savePushedRequest(request: PushedRequest): Promise<void> {
    return this.parts.pushedRequests.savePushedRequest(request);
  }

  /** Returns a pushed authorization request, or `undefined` if it is unknown, used or expired. */
  getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    return this.parts.pushedRequests.getPushedRequest(requestUri);
  }

  /**
   * Extends the lifetime of a pushed authorization request, so that the user has time to sign in and consent. Does
   * nothing if it was extended before.
   */
  openPushedRequest(request: PushedRequest): Promise<void> {
    return this.parts.pushedRequests.openPushedRequest(request);
  }

  /**
   * Marks a pushed authorization request as used. Returns `true` for exactly one of several concurrent callers, and
   * `false` if it is unknown or already used.
   */
  revokePushedRequest(request: Pick<PushedRequest, 'requestUri'>): Promise<boolean> {
    return this.parts.pushedRequests.revokePushedRequest(request);
  }

  // Sessions

  /** Saves the session of a browser, and its remember-me token if it has one. */
  saveSession(session: Session): Promise<void> {
    return this.parts.sessions.saveSession(session);
  }

  /**
   * Returns a session with its user. Returns `undefined` if it has ended or expired, or the user has a new password.
   */
  getSession(sessionId: string): Promise<Session | undefined> {
    return this.parts.sessions.getSession(sessionId);
  }

  /** Ends the session with this ID or with this remember-me token. Returns whether it was active. */
  revokeSession(session: Pick<Session, 'sessionId'>): Promise<boolean> {
    return this.parts.sessions.revokeSession(session);
  }

  /**
   * Returns a session by its remember-me token. If the token was already replaced, the result has `replacedAgo`, the
   * seconds since then.
   */
  findRememberedSession(token: string): Promise<RememberedSession | undefined> {
    return this.parts.sessions.findRememberedSession(token);
  }

  /**
   * Marks a remember-me token as used and saves the continued session with its new token, in one step. Returns `true`
   * for exactly one of several concurrent callers.
   */
  continueSession(token: string, session: Session): Promise<boolean> {
    return this.parts.sessions.continueSession(token, session);
  }

  /**
   * Returns a page of sessions. With `userId`, only sessions of this user. With `clientId`, only sessions with a
   * sign-in at this client.
   */
  listSessions(selection: GrantSelection & Paging): Promise<SessionList> {
    return this.parts.sessionLists.listSessions(selection);
  }

  /** Ends one session of a user. Returns `false` if the user has no active session with this ID. */
  endSession(session: { userId: string | number; id: string }): Promise<boolean> {
    return this.parts.sessionLists.endSession(session);
  }

  /**
   * Ends the sessions that `listSessions()` returns for this selection, one by one. If it selects all sessions of a
   * user, also ends logins that wait for a second factor.
   * @param selection `except` is the `id` of a session that does not end.
   * @returns the number of sessions that were active
   */
  endSessions(selection: GrantSelection & { except?: string }): Promise<number> {
    return this.parts.sessionLists.endSessions(selection);
  }

  /**
   * Records that a user has signed in at a client, so that a logout notifies the client. OpenID Connect Back-Channel
   * Logout §2
   */
  saveSessionClient(signIn: SessionClient, expiresAt: Date): Promise<void> {
    return this.parts.sessionClients.saveSessionClient(signIn, expiresAt);
  }

  /**
   * Removes the recorded sign-ins at clients that match a filter and returns them. Each is returned to exactly one of
   * several concurrent callers.
   */
  takeSessionClients(filter: SessionClientFilter): Promise<SessionClient[]> {
    return this.parts.sessionClients.takeSessionClients(filter);
  }

  /**
   * Sets the listener that is called with the sign-ins at an issuer which end because this process calls
   * `revokeGrantsOf({ userId })`.
   */
  onSignOut(issuer: string, listener: SignOutListener): void {
    this.parts.sessionClients.onSignOut(issuer, listener);
  }

  // Grants and consents

  /**
   * Returns the active grants of a user, without those from before the user's last change of password. The most
   * recently used grant comes first.
   */
  listGrants(userId: string | number): Promise<ActiveGrant[]> {
    return this.parts.userGrants.listGrants(userId);
  }

  /**
   * Returns the applications that have access to a user's account, or can get it again without asking for consent. The
   * most recently used application comes first.
   * @param at If it has an `issuer`, only applications with grants or consents at that issuer are returned.
   */
  listApplications(userId: string | number, at?: { issuer?: string }): Promise<AuthorizedApplication<StoredClient>[]> {
    return this.parts.userGrants.listApplications(userId, at);
  }

  /**
   * Returns a page of the active grants that have tokens. With `userId`, only grants of this user. With `clientId`,
   * only grants of this client.
   */
  pageGrants(selection: GrantSelection & Paging): Promise<GrantList> {
    return this.parts.grantPages.pageGrants(selection);
  }

  /** Revokes one grant with its codes and tokens. Returns `false` if it does not exist or was already revoked. */
  revokeGrant(grantId: string): Promise<boolean> {
    return this.parts.revocation.revokeGrant(grantId);
  }

  /**
   * Revokes all grants that match every field of the filter, with their codes and tokens, in one step: `{ userId }`,
   * `{ clientId }`, `{ userId, clientId }`, `{ userId, issuer }` or `{ userId, grantId }`. The remembered consents of
   * these grants are revoked too, in separate steps. `{ userId }` also ends the user's sessions.
   * `{ clientId, issuer }` revokes grants in pages: if the call rejects, call it again to revoke the rest.
   *
   * @returns the number of grants that were active, consents and sessions included. The grants of a client are counted
   * up to 100 000 in a database. In Redis, the count for `{ userId }` may include grants that `{ clientId }` revoked
   * before.
   * @throws {InvalidArgumentError} If the filter is empty or a field is undefined, which would revoke the grants of
   * others.
   */
  revokeGrantsOf(filter: GrantFilterInput): Promise<number> {
    return this.parts.revocation.revokeGrantsOf(filter);
  }

  /**
   * Revokes everything whose grant began before a time, in one write: codes, tokens, sessions, device codes and pushed
   * requests.
   * @returns the time before which grants are revoked
   * @throws {InvalidArgumentError} If the time is invalid or in the future.
   */
  revokeBefore(which?: NotBefore): Promise<Date> {
    return this.parts.revocation.revokeBefore(which);
  }

  /**
   * Returns whether the user need not be asked for consent: an earlier consent covers the request and may be reused, or
   * `consent` of the client is `never`. If the user refused a part of the scope, returns the part that was allowed.
   * For a request with `data.org_id`, the result is an object with this `organization`. RFC 8252 §8.6
   */
  hasConsented(user: User, request: ConsentRequest<StoredClient>): Promise<RememberedConsent> {
    return this.parts.consents.hasConsented(user, request);
  }

  /**
   * Remembers a consent for a year. Does nothing if an earlier consent covers the request, or if consents to it must
   * not be reused. If the user refused a part of the scope (`refusedScope`), earlier consents to that part end.
   */
  saveConsent(user: User, request: ConsentRequest<StoredClient>): Promise<void> {
    return this.parts.consents.saveConsent(user, request);
  }

  /**
   * Deletes the remembered consents of a user to a client, without revoking grants: the user is asked again at the next
   * request.
   * @returns how many consents were remembered
   * @throws {InvalidArgumentError} If `userId` or `clientId` is empty.
   */
  forgetConsent(selection: ConsentSelection): Promise<number> {
    return this.parts.consents.forgetConsent(selection);
  }

  // Accounts

  /** Returns the unexpired credentials of an account that have one of the kinds, in no particular order. */
  findCredentials(
    account: AccountKey,
    kinds: readonly [CredentialKind, ...CredentialKind[]],
  ): Promise<StoredCredential[]> {
    return this.parts.accounts.findCredentials(account, kinds);
  }

  /** Finds an unexpired credential by its key. Returns `undefined` if no account of the realm has it. */
  findCredential(realm: string, kind: CredentialKind, key: string): Promise<StoredCredential | undefined> {
    return this.parts.accounts.findCredential(realm, kind, key);
  }

  /**
   * Adds a credential to an account, which begins with its first credential. Returns `true` for exactly one of several
   * concurrent callers, and `false` if an account of the realm has a credential with this key.
   */
  addCredential(account: AccountKey, credential: NewCredential): Promise<boolean> {
    return this.parts.accounts.addCredential(account, credential);
  }

  /**
   * Replaces the data of a credential, if it was not changed since it was found. Returns `true` for exactly one of
   * several concurrent callers with different data.
   */
  replaceCredential(credential: StoredCredential, data: string): Promise<boolean> {
    return this.parts.accounts.replaceCredential(credential, data);
  }

  /**
   * Removes a credential, if it was not changed since it was found. Returns `true` for exactly one of several concurrent
   * callers.
   */
  removeCredential(credential: StoredCredential): Promise<boolean> {
    return this.parts.accounts.removeCredential(credential);
  }

  /**
   * Deletes the credentials of an account, and all grants, sessions and consents of its user, in batches. Clients at
   * which the user signed in are notified. If it fails, call it again. Then the same user ID may get an account again.
   * @param options `issuers` limits which grants are deleted, for a store that several realms share. If omitted, those
   * of all issuers.
   * @returns the number of deleted grants
   */
  deleteAccount(account: AccountKey, options?: { issuers?: readonly string[] }): Promise<number> {
    return this.parts.accounts.deleteAccount(account, options);
  }

  // Client administration

  /**
   * Creates a client, or replaces all fields of a client with this ID. Its secrets stay, unless `secret` or
   * `secretHashes` is set. A disabled client stays disabled, and a registered client keeps its registration access
   * token.
   * @throws {InvalidArgumentError} If the client is invalid, or the application stores the clients.
   */
  saveClient(client: StoredClient, options?: SecretOptions): Promise<void> {
    return this.parts.managedClients.saveClient(client, options);
  }

  /**
   * Saves a new client. Returns `false`, and saves nothing, if a client with this ID exists.
   * @throws {InvalidArgumentError} If the client is invalid, or the application stores the clients.
   */
  createClient(client: StoredClient, options?: CreateClientOptions): Promise<boolean> {
    return this.parts.managedClients.createClient(client, options);
  }

  /**
   * Changes some fields of a client. Fields whose new value is `null` or `undefined` are removed. To change secrets,
   * use `rotateClientSecret()`.
   * @param changes The changed fields, or a function that gets the client and returns them. The function may be called
   * more than once.
   * @returns the changed client, or `undefined` if no client with this ID exists
   * @throws {InvalidArgumentError} If the changed client is invalid, the changes contain a secret, or the application
   * stores the clients.
   */
  changeClient(
    clientId: string,
    changes: ClientChange<StoredClient>,
  ): Promise<ManagedClient<StoredClient> | undefined> {
    return this.parts.managedClients.changeClient(clientId, changes);
  }

  /**
   * Returns a client without its secrets, also if it is disabled. Returns `undefined` if no client with this ID exists.
   */
  findClient(clientId: string): Promise<ManagedClient<StoredClient> | undefined> {
    return this.parts.managedClients.findClient(clientId);
  }

  /** Returns a page of the clients that match the options, in the order of their IDs. */
  listClients(options?: ListClientsOptions): Promise<ClientList<StoredClient>> {
    return this.parts.managedClients.listClients(options);
  }

  /**
   * Adds a new secret to a client. Its other secrets expire after `overlap` seconds by the clock of the database, or
   * earlier if they already have an earlier expiry.
   * @returns the new secret, or `undefined` if no client with this ID exists
   * @throws {InvalidArgumentError} If the secret, `overlap` or `secretLifetime` is invalid, or the application stores
   * the clients.
   */
  rotateClientSecret(clientId: string, options?: RotateOptions): Promise<RotatedSecret | undefined> {
    return this.parts.managedClients.rotateClientSecret(clientId, options);
  }

  /**
   * Removes all secrets of a client except the newest.
   * @throws {InvalidArgumentError} If the client does not exist.
   */
  revokeOldClientSecrets(clientId: string): Promise<void> {
    return this.parts.managedClients.revokeOldClientSecrets(clientId);
  }

  /** Disables a client and revokes its grants. Returns whether a client with this ID exists. */
  disableClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.disableClient(clientId);
  }

  /**
   * Enables a disabled client again. Codes and tokens from before it was disabled stay revoked. Returns whether a
   * client with this ID exists.
   */
  enableClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.enableClient(clientId);
  }

  /** Removes a client and revokes its grants. Returns whether the client existed. */
  removeClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.removeClient(clientId);
  }

  // Dynamic client registration

  /**
   * Returns whether clients can register themselves: `true` if the store saves clients in its storage, or a subclass
   * overrides `saveRegistration()`.
   */
  canRegister(): boolean {
    return Boolean(this.storedClients) || this.saveRegistration !== Store.prototype.saveRegistration;
  }

  /**
   * Saves a client that has registered itself. If `expiresAt` is set, the client expires at that time, unless a code or
   * token is issued to it before. RFC 7591 §3
   */
  saveRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<void> {
    return this.parts.registrations.saveRegistration(registration, credentials);
  }

  /**
   * Returns a dynamically registered client for its registration access token. Returns `undefined` if the client does
   * not exist or is disabled, or if the token is wrong. RFC 7592 §2.1
   */
  getRegistration(
    clientId: string,
    registrationAccessToken: string,
  ): Promise<Registration<StoredClient & MetadataClient> | undefined> {
    return this.parts.registrations.getRegistration(clientId, registrationAccessToken);
  }

  /**
   * Replaces the metadata of a dynamically registered client, and its secret if a new one is passed. Returns `false` if
   * the client does not exist. RFC 7592 §2.2
   */
  updateRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<boolean> {
    return this.parts.registrations.updateRegistration(registration, credentials);
  }

  /** Removes a dynamically registered client and revokes its grants. RFC 7592 §2.3 */
  revokeRegistration(registration: Registration): Promise<void> {
    return this.parts.registrations.revokeRegistration(registration);
  }

  /**
   * Returns whether the client with this ID may come from a client ID metadata document. Returns `false` if a client is
   * saved under this ID, since saved clients take precedence. CIMD §7.2
   */
  mayUseClientIdDocument(clientId: string): Promise<boolean> {
    return this.parts.knownClients.mayUseClientIdDocument(clientId);
  }

  // Identities at other providers

  /** Finds an identity at another provider, and the user to whom it belongs. */
  findIdentity(key: IdentityKey): Promise<StoredIdentity | undefined> {
    return this.parts.identities.findIdentity(key);
  }

  /**
   * Adds an identity to a user. Returns `true` for exactly one of several concurrent callers, `false` if the identity
   * belongs to a user already.
   */
  addIdentity(identity: StoredIdentity): Promise<boolean> {
    return this.parts.identities.addIdentity(identity);
  }

  /** Removes an identity of a user. Returns `true` for exactly one of several concurrent callers. */
  removeIdentity(identity: IdentityKey & Pick<StoredIdentity, 'userId'>): Promise<boolean> {
    return this.parts.identities.removeIdentity(identity);
  }

  /** Returns the identities of a user at other providers. */
  listIdentities(user: Pick<StoredIdentity, 'realm' | 'userId'>): Promise<StoredIdentity[]> {
    return this.parts.identities.listIdentities(user);
  }

  // Personal access tokens

  /**
   * Saves a personal access token of a user, and returns its ID.
   * @throws {InvalidArgumentError} If the user cannot be found by the ID.
   */
  savePersonalToken(token: NewPersonalToken, user: User): Promise<string> {
    return this.parts.personalTokens.savePersonalToken(token, user);
  }

  /**
   * Returns a personal access token with its user, or `undefined` if it is unknown or revoked, or the user has a new
   * password or no longer exists. Its expiry may be in the past.
   */
  findPersonalToken(token: string): Promise<FoundPersonalToken | undefined> {
    return this.parts.personalTokens.findPersonalToken(token);
  }

  /** Saves when and where a personal access token was used. Returns `true` for exactly one of several concurrent callers. */
  recordPersonalTokenUse(found: FoundPersonalToken, use: PersonalTokenUse): Promise<boolean> {
    return this.parts.personalTokens.recordPersonalTokenUse(found, use);
  }

  /** Returns the active, unexpired personal access tokens of a user, the newest first. */
  listPersonalTokens(selection: { userId: string | number; issuer?: string }): Promise<PersonalToken[]> {
    return this.parts.personalTokens.listPersonalTokens(selection);
  }

  /** Revokes a personal access token of a user. Returns whether it was active. */
  revokePersonalToken(token: { id: string; userId: string | number; issuer?: string }): Promise<boolean> {
    return this.parts.personalTokens.revokePersonalToken(token);
  }

  // Tokens of other providers

  /** Finds the tokens of another provider by their ID. `undefined` if they do not exist, have expired or were revoked. */
  findUpstreamTokens(id: string): Promise<StoredUpstreamTokens | undefined> {
    return this.parts.upstreamTokens.findUpstreamTokens(id);
  }

  /**
   * Adds the tokens of another provider. Returns `true` for exactly one of several concurrent callers, and `false` if an
   * entry with this ID exists.
   */
  addUpstreamTokens(key: UpstreamTokensKey, value: UpstreamTokensValue): Promise<boolean> {
    return this.parts.upstreamTokens.addUpstreamTokens(key, value);
  }

  /**
   * Replaces the tokens of another provider, if they were not changed since they were found. Returns `true` for exactly
   * one of several concurrent callers with different data.
   */
  replaceUpstreamTokens(
    from: StoredUpstreamTokens,
    to: Pick<UpstreamTokensValue, 'data'> & Partial<UpstreamTokensValue>,
  ): Promise<boolean> {
    return this.parts.upstreamTokens.replaceUpstreamTokens(from, to);
  }

  /** Removes the tokens of another provider. Returns whether they were active. */
  removeUpstreamTokens(id: string): Promise<boolean> {
    return this.parts.upstreamTokens.removeUpstreamTokens(id);
  }

  /** Returns the tokens that other providers have issued for a user. */
  listUpstreamTokens(user: Pick<UpstreamTokensKey, 'userId' | 'issuer'>): Promise<StoredUpstreamTokens[]> {
    return this.parts.upstreamTokens.listUpstreamTokens(user);
  }

  // Messages to clients, single-use values, counters and signing keys

  /** Stores a message to a client until it is removed or expires, so that its delivery can be retried. */
  saveNotification(notification: StoredNotification, expiresAt: Date): Promise<void> {
    return this.parts.notifications.saveNotification(notification, expiresAt);
  }

  /** Returns the messages to clients that are stored, also those that a process has claimed. */
  listNotifications(): Promise<StoredNotification[]> {
    return this.parts.notifications.listNotifications();
  }

  /**
   * Claims a message for a number of seconds, so that only the caller delivers it. Returns `true` for exactly one of
   * several concurrent callers.
   */
  claimNotification(id: string, seconds: number): Promise<boolean> {
    return this.parts.notifications.claimNotification(id, seconds);
  }

  /** Removes a message to a client, so that it is not delivered again. */
  removeNotification(id: string): Promise<void> {
    return this.parts.notifications.removeNotification(id);
  }

  /**
   * Remembers a single-use value for a number of seconds. Returns `true` for exactly one of several concurrent callers,
   * and `false` for the same value until the seconds have passed.
   */
  async once(value: string, seconds: number): Promise<boolean> {
    return this.storage.once(digest(value), seconds);
  }

  /**
   * Adds to a counter, which all processes share, and returns its new state. The first addition opens a window, which
   * ends `seconds` later by the clock of the database. After its end, the next addition opens a new window.
   * @param by A negative number is taken back, and the count never falls below 0. `0` only reads. Default: `1`.
   * @throws {InvalidArgumentError} If `by` is not an integer, or `seconds` is not a positive number.
   */
  async countWithin(key: string, seconds: number, by = 1): Promise<Count> {
    if (!Number.isSafeInteger(by) || !(seconds > 0 && Number.isFinite(seconds)))
      throw new InvalidArgumentError('Invalid argument: `by` must be an integer, and `seconds` a positive number');
    return this.storage.count(digest(key), seconds, by);
  }

  /** Returns the encrypted signing keys, or `undefined` if none were saved. */
  async getSigningKeys(): Promise<string | undefined> {
    return this.storage.readText(SIGNING_KEYS);
  }

  /**
   * Replaces the encrypted signing keys if the saved ones are still `old`. Returns `true` for exactly one of several
   * concurrent callers.
   */
  async replaceSigningKeys(old: string | undefined, text: string): Promise<boolean> {
    return this.storage.replaceText(SIGNING_KEYS, old, text);
  }

  // Operation

  /**
   * Verifies that the storage can look up an access token. Rejects if the look-up fails or the database does not
   * respond.
   */
  async ping(): Promise<void> {
    await this.storage.find('access', digest(''));
  }

  /**
   * Deletes expired records.
   * @param options `batchSize` is the number of records per statement. Default: `1000`. After `signal` is aborted, no
   * further statement begins, and what remains is deleted by the next call.
   * @returns how many records were deleted
   */
  async prune({ batchSize = 1000, signal }: { batchSize?: number; signal?: AbortSignal } = {}): Promise<number> {
    return this.storage.prune(batchSize, signal);
  }

  /**
   * Returns the client of a row, or `undefined` if it no longer exists or is disabled. An application may override
   * this, for example to add fields of its own.
   */
  protected clientOf(row: StoredRow): Promise<StoredClient | undefined> {
    return this.parts.knownClients.clientOf(row);
  }
}

/** @throws {InvalidArgumentError} If the application stores the clients. */
function requireStoredClients(own: StoredClients | undefined): StoredClients {
  if (!own)
    throw new InvalidArgumentError(
      'Invalid argument: this store has the option `clients`, so it cannot save clients. Change them where your application stores them',
    );
  return own;
}
