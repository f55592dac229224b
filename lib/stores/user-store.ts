import { isMadeClientItself } from '../clients/client-subject.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { Application, Asked, ConsentModel } from '../model/consents.js';
import type { Falsy, User } from '../model/model.js';
import type { RememberedModel, RememberedSession, Session, SessionModel } from '../model/sessions.js';
import { type ActiveGrant, activeGrant } from './active-grant.js';
import { digest } from './client-secret.js';
import { allScopes, coversConsent, isConsent, markConsent, mayRemember } from './consent.js';
import { isCurrent, type Marked, markOf } from './credential.js';
import { describedClient } from './described-client.js';
import { keepOnce, minute } from './keep-once.js';
import type { Clients, StoredClient, Users } from './ports.js';
import { RequestStore } from './request-store.js';
import { grantRow, withoutSecrets } from './rows.js';
import { isSessionClient } from './session-client.js';
import { sessionOf, sessionRows } from './session-row.js';
import type { Found, GrantRow, Storage } from './storage.js';
import { consentsOf, verifyUserId } from './user-records.js';

/** For how long a consent is remembered. */
const YEAR = 365 * 86_400_000;
const NOTHING: Marked = {};

/** What of a store is of users: where they are signed in, what they agreed to, and what they may end. */
export abstract class UserStore<S extends Storage>
  extends RequestStore<S>
  implements SessionModel, RememberedModel, Pick<ConsentModel<StoredClient>, 'hasConsented' | 'saveConsent'>
{
  constructor(
    storage: S,
    protected readonly clients: Clients,
    protected readonly users: Users,
  ) {
    super(storage);
    if (typeof (users as Partial<Users> | undefined)?.findById === 'function') return;
    const fault = '`users` must be an object with a method `findById(id)`, which returns the user, or `undefined`';
    throw new InvalidArgumentError(`Invalid argument: ${fault}`);
  }

  async getUser(username: string, password: string): Promise<User | Falsy> {
    return this.users.findByCredentials(username, password);
  }

  async saveSession(session: Session): Promise<void> {
    const { grant, rows } = sessionRows(session, await this.markOf(session.user));
    await this.storage.keep(grant, rows);
  }

  async getSession(sessionId: string): Promise<Session | undefined> {
    const row = await this.storage.find('session', digest(sessionId));
    if (!row || row.revokedAt !== null || row.expiresAt <= Date.now()) return undefined;
    const user = await this.users.findById(row.userId!);
    return user && isCurrent(this.users, user, row) ? sessionOf(row, sessionId, user) : undefined;
  }

  /** Ends a session, found by its id or by a token that continues it, with everything else on its grant. */
  async revokeSession({ sessionId }: Pick<Session, 'sessionId'>): Promise<boolean> {
    const row = await this.storage.find('session', digest(sessionId));
    const isEnded = await this.storage.spend('session', digest(sessionId));
    // An ended session is not listed.
    if (row) await this.storage.revokeGrants({ grantId: row.grantId });
    return isEnded;
  }

  async findRememberedSession(token: string): Promise<RememberedSession | undefined> {
    const row = await this.storage.find('session', digest(token));
    if (!row || row.expiresAt <= Date.now()) return undefined;
    const user = await this.users.findById(row.userId!);
    if (!user || !isCurrent(this.users, user, row)) return undefined;
    const replacedAgo = row.revokedAt === null ? undefined : (row.revokedAgo ?? Date.now() - row.revokedAt) / 1000;
    return { ...sessionOf(row, token, user), ...(replacedAgo !== undefined && { replacedAgo }) };
  }

  async continueSession(token: string, session: Session): Promise<boolean> {
    const row = await this.storage.find('session', digest(token));
    if (!row || row.revokedAt !== null) return false;
    // The password may have changed since the token was verified: the session keeps the mark of the password it began with.
    const { grant, rows } = sessionRows(session, JSON.parse(row.data!) as Marked, row.grantId);
    return this.storage.consumeAndSave({ kind: 'session', digest: digest(token) }, grant, rows);
  }

  /** Has this user agreed to as much before, for the same resources? What a client's `consent` says comes first. RFC 8252 §8.6 */
  async hasConsented(user: User, asked: Asked<StoredClient>): Promise<boolean> {
    if (asked.client.consent === 'never') return true;
    if (!mayRemember(asked.client, asked)) return false;
    return coversConsent(await this.storage.listGrants(consentsOf(String(user['id']))), asked);
  }

  /** Remembers it for a year, where an earlier consent may stand for a later one at all. */
  async saveConsent(user: User, asked: Asked<StoredClient>): Promise<void> {
    if (!mayRemember(asked.client, asked) || (await this.hasConsented(user, asked))) return;
    const grant = markConsent(grantRow(asked, asked.client, user), asked);
    const stored = { ...grant, userId: consentsOf(String(user['id'])), expiresAt: Date.now() + YEAR };
    const { userId, clientId, issuer, scope, data } = stored;
    await keepOnce(this.storage, [JSON.stringify([minute(), userId, clientId, issuer, scope, data])], stored);
  }

  /** What has access to a user's account at the moment, the latest used first. */
  async listGrants(userId: string | number): Promise<ActiveGrant[]> {
    const rows = (await this.grantsOf(userId)).filter((row) => !isConsent(row));
    const clients = await this.clientsOf(rows);
    return rows.map((row) => activeGrant(row, clients.get(row.clientId)));
  }

  /** The applications that have access, or may have it again without asking; the latest used first. With an issuer: at that one. */
  async listApplications(
    userId: string | number,
    { issuer }: { issuer?: string } = {},
  ): Promise<Application<StoredClient>[]> {
    const consents = await this.storage.listGrants(consentsOf(String(userId)));
    const all = [...(await this.grantsOf(userId)), ...consents].toSorted((a, b) => usedAt(b) - usedAt(a));
    const rows = issuer === undefined ? all : all.filter((row) => row.issuer === issuer);
    return [...(await this.clientsOf(rows))].map(([clientId, client]) => {
      const grants = rows.filter((row) => row.clientId === clientId);
      return {
        clientId,
        client: client && withoutSecrets(client),
        scope: allScopes(grants),
        createdAt: new Date(Math.min(...grants.map(({ createdAt }) => createdAt))),
        lastUsedAt: new Date(Math.max(...grants.map(usedAt))),
      };
    });
  }

  /** The client of something that was found. */
  protected async clientOf(row: Found): Promise<StoredClient | undefined> {
    const { clientId, client: known } = row;
    return (known === undefined ? await this.clients.findById(clientId) : known) || describedClient(row);
  }

  /** The same with what marks the password that the user has now, as the host keeps it: who signed in may be less than a row. */
  protected async withCredential<T extends object>(issued: T, user: User): Promise<T & Marked> {
    if (isMadeClientItself(user)) return issued;
    const kept = await this.users.findById(String(user['id']));
    return kept ? { ...issued, credential: markOf(this.users, kept) } : issued;
  }

  /** Returns the fingerprint of the user's credential, if the store has one. */
  private async markOf(user: User): Promise<Marked> {
    return this.users.credentialOf ? this.withCredential<Marked>({}, user) : NOTHING;
  }

  /** Those that a new password has not ended. */
  private async grantsOf(userId: string | number): Promise<GrantRow[]> {
    verifyUserId(String(userId));
    const rows = (await this.storage.listGrants(String(userId))).filter((row) => !isSessionClient(row));
    const user = this.users.credentialOf && rows.length > 0 ? await this.users.findById(String(userId)) : undefined;
    return user ? rows.filter((row) => isCurrent(this.users, user, row)) : rows;
  }

  private async clientsOf(rows: readonly GrantRow[]): Promise<Map<string, StoredClient | undefined>> {
    const ids = [...new Set(rows.map(({ clientId }) => clientId))];
    return new Map(
      await Promise.all(ids.map(async (id) => [id, (await this.clients.findById(id)) || described(id, rows)] as const)),
    );
  }
}

const usedAt = ({ lastUsedAt, createdAt }: GrantRow) => lastUsedAt ?? createdAt;

/** As it was at last, where a document described it. */
function described(id: string, rows: readonly GrantRow[]): StoredClient | undefined {
  const row = rows.find(
    ({ clientId, data }) => clientId === id && data !== null && describedClient({ clientId, data }),
  );
  return row && describedClient(row);
}
