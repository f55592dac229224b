import { clientItself } from '../tokens/client-subject.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { MetadataClient } from '../clients/registration/client-from-metadata.js';
import type { ClientIdDocumentModel } from '../features/client-id-documents/document-options.js';
import type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from '../features/device-authorization/device-model.js';
import type { PushedRequest, PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
} from '../features/registration/registration-model.js';
import type { RevocationModel } from '../features/revocation.js';
import type { TokenExchangeModel } from '../features/token-exchange/exchange-model.js';
import type { KeyModel } from '../jose/keys/key-model.js';
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
} from '../model/clients.js';
import type { AuthorizedApplication, ConsentRequest, ConsentModel } from '../model/consents.js';
import type { GrantList, GrantSelection, GrantsModel, Paging } from '../model/grants.js';
import type { HealthModel } from '../model/health.js';
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
} from '../model/model.js';
import type { NotBefore } from '../model/not-before.js';
import type { NotificationModel, StoredNotification } from '../model/notifications.js';
import type {
  SessionClient,
  SessionClientFilter,
  SessionClientModel,
  SignOutListener,
} from '../model/session-clients.js';
import type { SessionList, SessionListModel } from '../model/session-list.js';
import type { RememberedModel, RememberedSession, Session, SessionModel } from '../model/sessions.js';
import { coversScope } from '../tokens/scope.js';
import type { ActiveGrant } from './active-grant.js';
import { digest } from './client-secret.js';
import { scopeFor } from './client-scopes.js';
import type { GrantFilterInput } from './grant-filter.js';
import { StoredClients } from './stored-clients.js';
import type { Clients, StoredClient, Users } from './ports.js';
import { SecretCheck, type SecretCheckOptions } from './secret-check.js';
import type { OverridableMethods } from './store-context.js';
import { makeParts, type StoreParts } from './store-parts.js';
import type { ClientStorage, StoredRow, Storage } from './storage.js';

/** The name of the text that holds the signing keys. */
const SIGNING_KEYS = 'signing-keys';

/** The options of every store. */
export interface StoreOptions extends SecretCheckOptions {
  /** Where the application finds its users. */
  users: Users;
  /** Where the application finds its clients. If omitted, the storage keeps the clients. */
  clients?: Clients | undefined;
}

/**
 * A model over any `Storage`: the base class of the ready-made stores. Client secrets, codes and tokens are hashed
 * here, so that a storage never gets one as text. An application may extend a store and override its methods.
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
    OnceModel,
    HealthModel,
    KeyModel
{
  protected readonly clients: Clients;
  protected readonly users: Users;
  protected readonly secrets: SecretCheck;
  /** The clients that the storage keeps. `undefined` if the application keeps its clients. */
  protected readonly storedClients: StoredClients | undefined;
  /** The parts that do the work. A subclass calls the methods of the store instead. */
  protected readonly parts: StoreParts;

  /**
   * Returns the secrets of a client that signs with them. `undefined` without the option `encryptSecretsWith`, since
   * hashed secrets cannot be read. OpenID Connect Core §9
   */
  readonly getClientSecrets: ((client: Client) => Promise<readonly string[]>) | undefined;

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
    const overridable: OverridableMethods = {
      clientOf: (row) => this.clientOf(row),
      getUserFromClient: (client) => this.getUserFromClient(client),
      once: (value, seconds) => this.once(value, seconds),
      hasConsented: (user, asked) => this.hasConsented(user, asked),
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
      ownClients: () => requireStoredClients(own),
    });
    const { knownClients } = this.parts;
    this.getClientSecrets = secrets.encryption.canDecrypt ? (client) => knownClients.secretsOf(client) : undefined;
  }

  // Clients and users

  /**
   * Finds a client that is enabled.
   * @param clientSecret The secret to verify. If `null`, no secret is verified.
   * @returns the client without its secrets, or `undefined` if it does not exist or the secret is wrong
   */
  getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    return this.parts.knownClients.getClient(clientId, clientSecret);
  }

  /** Finds the user with these credentials, for the password grant. */
  async getUser(username: string, password: string): Promise<User | Falsy> {
    return this.users.findByCredentials(username, password);
  }

  /** Returns the synthetic user of a client credentials grant. It can never collide with a user ID. RFC 6749 §4.4 */
  async getUserFromClient(client: StoredClient): Promise<User> {
    return clientItself(client);
  }

  /** Returns whether the client is registered for every value of the scope. */
  validateClientScope(client: StoredClient, scope: Scope): boolean {
    return coversScope(client.scopes, scope);
  }

  /**
   * Validates the requested scope against the scopes of the client.
   * @returns `true` for the requested scope, the client's `defaultScope` if none was requested, or `false` if the scope
   * is not allowed
   * @throws {InvalidScopeError} If no scope was requested, and the client has scopes without a default. RFC 6749 §3.3
   */
  async validateScope(_user: User, client: StoredClient, scope: Scope | undefined): Promise<boolean | string> {
    return scopeFor(client, scope);
  }

  // Authorization codes and tokens

  /** Saves an authorization code with its grant. Returns the code with its client and user. */
  saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: StoredClient, user: User) {
    return this.parts.codes.saveAuthorizationCode(code, client, user);
  }

  /** Finds an authorization code. A used one is found too, with `revokedAt`. */
  getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode<StoredClient> | undefined> {
    return this.parts.codes.getAuthorizationCode(authorizationCode);
  }

  /** Marks an authorization code as used. Returns `true` for exactly one of several concurrent callers. */
  revokeAuthorizationCode(code: Pick<AuthorizationCode, 'authorizationCode'>): Promise<boolean> {
    return this.parts.codes.revokeAuthorizationCode(code);
  }

  /** Saves an access token, and its refresh token if it has one. Returns the token with its client and user. */
  saveToken(token: Unsaved<Token>, client: StoredClient, user: User): Promise<Token<StoredClient>> {
    return this.parts.tokens.saveToken(token, client, user);
  }

  /** Saves a token that was exchanged for another one. It ends when the subject token ends. RFC 8693 */
  saveExchangedToken(
    subject: Token | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient>> {
    return this.parts.tokens.saveExchangedToken(subject, token, client, user);
  }

  /**
   * Marks an authorization code or refresh token as used and saves the new token, in one step.
   * @returns the token for exactly one of several concurrent callers, otherwise `undefined`
   */
  redeem(
    used: AuthorizationCode | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    return this.parts.tokens.redeem(used, token, client, user);
  }

  /** Finds an access token that was not revoked, with its client and user. */
  getAccessToken(accessToken: string): Promise<Token<StoredClient> | undefined> {
    return this.parts.tokens.getAccessToken(accessToken);
  }

  /** Finds a refresh token. A used one is found too, with `revokedAt`. */
  getRefreshToken(refreshToken: string): Promise<RefreshToken<StoredClient> | undefined> {
    return this.parts.tokens.getRefreshToken(refreshToken);
  }

  /** Marks a refresh token as used. Returns `true` for exactly one of several concurrent callers. */
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

  /** Finds a device authorization by its device code. Denied and used ones are found too. */
  getDeviceAuthorization(deviceCode: string): Promise<DeviceAuthorization<StoredClient> | undefined> {
    return this.parts.devices.getDeviceAuthorization(deviceCode);
  }

  /** Finds a device authorization by its user code. */
  getDeviceAuthorizationByUserCode(userCode: string): Promise<DeviceAuthorization<StoredClient> | undefined> {
    return this.parts.devices.getDeviceAuthorizationByUserCode(userCode);
  }

  /** Stores the decision of a user. Returns `true` for exactly one of several concurrent callers. */
  decideDeviceAuthorization(
    authorization: Pick<DeviceAuthorization, 'id'>,
    decision: DeviceDecision,
  ): Promise<boolean> {
    return this.parts.devices.decideDeviceAuthorization(authorization, decision);
  }

  /**
   * Stores a longer polling interval. Returns `false` if the device authorization was changed at the same time. RFC
   * 8628 §3.5
   */
  slowDownDevice(authorization: Pick<DeviceAuthorization, 'id'>, interval: number): Promise<boolean> {
    return this.parts.devices.slowDownDevice(authorization, interval);
  }

  /** Marks a device code as used. Returns `true` for exactly one of several concurrent callers. */
  revokeDeviceCode(authorization: Pick<DeviceAuthorization, 'id'>): Promise<boolean> {
    return this.parts.devices.revokeDeviceCode(authorization);
  }

  /**
   * Marks a device code as used and saves its token, in one step.
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

  // Sessions

  /** Saves the session of a browser, and the token that continues it if it has one. */
  saveSession(session: Session): Promise<void> {
    return this.parts.sessions.saveSession(session);
  }

  /** Finds a session that is neither ended nor expired, with its user. */
  getSession(sessionId: string): Promise<Session | undefined> {
    return this.parts.sessions.getSession(sessionId);
  }

  /** Ends a session, found by its id or by a token that continues it. Returns whether it was active. */
  revokeSession(session: Pick<Session, 'sessionId'>): Promise<boolean> {
    return this.parts.sessions.revokeSession(session);
  }

  /** Finds a session by the token that continues it. `replacedAgo` is set if the token was replaced. */
  findRememberedSession(token: string): Promise<RememberedSession | undefined> {
    return this.parts.sessions.findRememberedSession(token);
  }

  /**
   * Replaces a token that continues a session, and saves the session. Returns `true` for exactly one of several
   * concurrent callers.
   */
  continueSession(token: string, session: Session): Promise<boolean> {
    return this.parts.sessions.continueSession(token, session);
  }

  /** Returns the sessions of a user, or those in which users signed in at a client, page by page. */
  listSessions(selection: GrantSelection & Paging): Promise<SessionList> {
    return this.parts.sessionLists.listSessions(selection);
  }

  /** Ends one session of a user. Returns whether it was active. */
  endSession(session: { userId: string | number; id: string }): Promise<boolean> {
    return this.parts.sessionLists.endSession(session);
  }

  /**
   * Ends the sessions that `listSessions()` returns, one by one.
   * @param selection `except` is the `id` of a session that stays.
   * @returns how many were active
   */
  endSessions(selection: GrantSelection & { except?: string }): Promise<number> {
    return this.parts.sessionLists.endSessions(selection);
  }

  /**
   * Remembers that a user has signed in at a client, so that a sign-out reaches it. OpenID Connect Back-Channel Logout
   * §2
   */
  saveSessionClient(signIn: SessionClient, expiresAt: Date): Promise<void> {
    return this.parts.sessionClients.saveSessionClient(signIn, expiresAt);
  }

  /** Finds and removes sign-ins at clients. Each is returned to exactly one of several concurrent callers. */
  takeSessionClients(filter: SessionClientFilter): Promise<SessionClient[]> {
    return this.parts.sessionClients.takeSessionClients(filter);
  }

  /**
   * Sets the listener that is called with the sign-ins at an issuer that `revokeGrantsOf({ userId })` ends in this
   * process.
   */
  onSignOut(issuer: string, listener: SignOutListener): void {
    this.parts.sessionClients.onSignOut(issuer, listener);
  }

  // Grants and consents

  /** Returns the grants that have access to a user's account now. The grant that was used last comes first. */
  listGrants(userId: string | number): Promise<ActiveGrant[]> {
    return this.parts.userGrants.listGrants(userId);
  }

  /**
   * Returns the applications that have access to a user's account, or may get it again without asking. The one that was
   * used last comes first.
   * @param at If it has an `issuer`, only the applications at that issuer.
   */
  listApplications(userId: string | number, at?: { issuer?: string }): Promise<AuthorizedApplication<StoredClient>[]> {
    return this.parts.userGrants.listApplications(userId, at);
  }

  /** Returns the active grants of a user or of a client that have tokens, page by page. */
  pageGrants(selection: GrantSelection & Paging): Promise<GrantList> {
    return this.parts.grantPages.pageGrants(selection);
  }

  /** Revokes one grant with its codes and tokens. Returns whether it was active. */
  revokeGrant(grantId: string): Promise<boolean> {
    return this.parts.revocation.revokeGrant(grantId);
  }

  /**
   * Ends every grant that matches all fields of the filter, with its codes and tokens, in one step: `{ userId }`, `{
   * clientId }`, `{ userId, clientId }`, `{ userId, issuer }` or `{ userId, grantId }`. Remembered consents of these
   * grants end too, in steps of their own, and `{ userId }` also ends the user's sessions. In Redis, `{ clientId,
   * issuer }` ends grants one by one.
   *
   * @returns the number of grants that were alive, consents and sessions included. The grants of a client are counted
   * up to 100 000 in a database. In Redis, the count for `{ userId }` may include grants that `{ clientId }` ended
   * before.
   * @throws {InvalidArgumentError} If the filter is empty or a field is undefined: either would end the grants of
   * others.
   */
  revokeGrantsOf(filter: GrantFilterInput): Promise<number> {
    return this.parts.revocation.revokeGrantsOf(filter);
  }

  /**
   * Ends everything whose grant began before a moment, in one write: codes, tokens, sessions, device codes and pushed
   * requests.
   * @returns the moment that was applied
   * @throws {InvalidArgumentError} If the moment is invalid or in the future.
   */
  revokeBefore(which?: NotBefore): Promise<Date> {
    return this.parts.revocation.revokeBefore(which);
  }

  /**
   * Returns whether the user has consented to the request before. The `consent` setting of the client comes first. RFC
   * 8252 §8.6
   */
  hasConsented(user: User, asked: ConsentRequest<StoredClient>): Promise<boolean> {
    return this.parts.consents.hasConsented(user, asked);
  }

  /** Remembers a consent for a year, if an earlier consent may stand for a later one at all. */
  saveConsent(user: User, asked: ConsentRequest<StoredClient>): Promise<void> {
    return this.parts.consents.saveConsent(user, asked);
  }

  // Client administration

  /**
   * Saves a client, new or changed as a whole. Its secrets stay, unless `secret` or `secretHashes` replaces them. A
   * disabled client stays disabled, and a registered client keeps the token that manages it.
   * @throws {InvalidArgumentError} If the client is invalid, or the application keeps the clients.
   */
  saveClient(client: StoredClient, options?: SecretOptions): Promise<void> {
    return this.parts.managedClients.saveClient(client, options);
  }

  /**
   * Saves a new client. Returns `false` if there is a client with this id.
   * @throws {InvalidArgumentError} If the client is invalid, or the application keeps the clients.
   */
  createClient(client: StoredClient, options?: CreateClientOptions): Promise<boolean> {
    return this.parts.managedClients.createClient(client, options);
  }

  /**
   * Changes some fields of a client. Fields that are `null` or `undefined` are removed. Secrets are changed by
   * `rotateClientSecret()`.
   * @param changes The changed fields, or a function that returns them. The function may be called more than once.
   * @returns the changed client, or `undefined` if it does not exist
   * @throws {InvalidArgumentError} If the changed client is invalid, or the application keeps the clients.
   */
  changeClient(
    clientId: string,
    changes: ClientChange<StoredClient>,
  ): Promise<ManagedClient<StoredClient> | undefined> {
    return this.parts.managedClients.changeClient(clientId, changes);
  }

  /** Finds a client, disabled or not, without its secrets. */
  findClient(clientId: string): Promise<ManagedClient<StoredClient> | undefined> {
    return this.parts.managedClients.findClient(clientId);
  }

  /** Lists clients by their ids, page by page. */
  listClients(options?: ListClientsOptions): Promise<ClientList<StoredClient>> {
    return this.parts.managedClients.listClients(options);
  }

  /**
   * Gives a client a new secret. Its other secrets expire after `overlap` seconds, by the clock of the database.
   * @returns the secret, or `undefined` if the client does not exist
   * @throws {InvalidArgumentError} If the secret or a time is invalid, or the application keeps the clients.
   */
  rotateClientSecret(clientId: string, options?: RotateOptions): Promise<RotatedSecret | undefined> {
    return this.parts.managedClients.rotateClientSecret(clientId, options);
  }

  /**
   * Ends all secrets of a client but the newest.
   * @throws {InvalidArgumentError} If the client does not exist.
   */
  revokeOldClientSecrets(clientId: string): Promise<void> {
    return this.parts.managedClients.revokeOldClientSecrets(clientId);
  }

  /** Disables a client and ends its grants. Returns whether the client exists. */
  disableClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.disableClient(clientId);
  }

  /** Enables a disabled client again. Its earlier codes and tokens stay ended. Returns whether the client exists. */
  enableClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.enableClient(clientId);
  }

  /** Removes a client and ends its grants. Returns whether the client existed. */
  removeClient(clientId: string): Promise<boolean> {
    return this.parts.managedClients.removeClient(clientId);
  }

  // Dynamic client registration

  /**
   * Returns whether clients can register themselves: the storage keeps the clients, or a subclass overrides
   * `saveRegistration()`.
   */
  canRegister(): boolean {
    return Boolean(this.storedClients) || this.saveRegistration !== Store.prototype.saveRegistration;
  }

  /**
   * Saves a client that has registered itself. One with `expiresAt` waits for its first use, and is removed without it.
   * RFC 7591 §3
   */
  saveRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<void> {
    return this.parts.registrations.saveRegistration(registration, credentials);
  }

  /**
   * Finds a registration. Returns `undefined` if it does not exist, or the registration access token is wrong. RFC 7592
   * §2.1
   */
  getRegistration(
    clientId: string,
    registrationAccessToken: string,
  ): Promise<Registration<StoredClient & MetadataClient> | undefined> {
    return this.parts.registrations.getRegistration(clientId, registrationAccessToken);
  }

  /**
   * Replaces the metadata of a registered client, and its secret if there is one. Returns `false` if it does not exist.
   * RFC 7592 §2.2
   */
  updateRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<boolean> {
    return this.parts.registrations.updateRegistration(registration, credentials);
  }

  /** Removes a registered client and ends its grants. RFC 7592 §2.3 */
  revokeRegistration(registration: Registration): Promise<void> {
    return this.parts.registrations.revokeRegistration(registration);
  }

  /** Returns whether no saved client has this id: the document of a saved client is never read. CIMD §7.2 */
  mayUseClientIdDocument(clientId: string): Promise<boolean> {
    return this.parts.knownClients.mayUseClientIdDocument(clientId);
  }

  // Messages to clients, single-use values and signing keys

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

  /** Marks a single-use value as used for a number of seconds. Returns `true` for the first caller only. */
  async once(value: string, seconds: number): Promise<boolean> {
    return this.storage.once(digest(value), seconds);
  }

  /** Returns the encrypted signing keys, or `undefined` if none were saved. */
  async getSigningKeys(): Promise<string | undefined> {
    return this.storage.readText(SIGNING_KEYS);
  }

  /**
   * Saves the encrypted signing keys, if the saved ones are still `old`. Returns `true` for exactly one of several
   * concurrent callers.
   */
  async replaceSigningKeys(old: string | undefined, text: string): Promise<boolean> {
    return this.storage.replaceText(SIGNING_KEYS, old, text);
  }

  // Operation

  /** Verifies that the storage can find an access token. Rejects if the database does not respond. */
  async ping(): Promise<void> {
    await this.storage.find('access', digest(''));
  }

  /**
   * Deletes expired records.
   * @param options `batchSize` is the number of records per statement. Default: `1000`.
   * @returns how many records were deleted
   */
  async prune({ batchSize = 1000 }: { batchSize?: number } = {}): Promise<number> {
    return this.storage.prune(batchSize);
  }

  /** Finds the client of a row. An application may override this, for example to add fields of its own. */
  protected clientOf(row: StoredRow): Promise<StoredClient | undefined> {
    return this.parts.knownClients.clientOf(row);
  }
}

/** @throws {InvalidArgumentError} If `users` has no method `findById()`. */
function verifyUsers(users: Partial<Users> | undefined): void {
  if (typeof users?.findById === 'function') return;
  const fault = '`users` must be an object with a method `findById(id)`, which returns the user, or `undefined`';
  throw new InvalidArgumentError(`Invalid argument: ${fault}`);
}

/** @throws {InvalidArgumentError} If the application keeps the clients. */
function requireStoredClients(own: StoredClients | undefined): StoredClients {
  if (!own) throw new InvalidArgumentError('Invalid argument: the clients are kept by the host');
  return own;
}
