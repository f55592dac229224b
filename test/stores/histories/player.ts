import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import type { ClientRecord, GrantFilter, GrantKinds, GrantRow, Row, Store, StoredClient } from 'nest-oauth2/stores';

import { newGrant } from '../../../lib/stores/contract/new-grant.js';
import { storageOf } from '../../kit/storages.js';
import type { Call, Filter, History, Key, NewRow, SavedGrant } from './history.js';

const HOUR = 3_600_000;
const began = Date.now();

/** Returns a time as a number of hours, which does not depend on how long a test runs. */
const hoursUntil = (time: number) => Math.round((time - began) / HOUR);

/** Makes the calls of a history on a store, and returns results that can be compared with those of another store. */
export class Player {
  private readonly storage;
  private readonly other;
  private readonly savedGrants = new Set<number>();
  private readonly savedRows = new Set<string>();
  private readonly staleRows = new Map<string, Row>();
  private readonly staleClients = new Map<string, ClientRecord | undefined>();

  /**
   * @param prefix the prefix of all names, which no other history has
   * @param another a store on the same data, which makes the look-ups
   */
  constructor(
    private readonly history: History,
    private readonly prefix: string,
    private readonly store: Store,
    another: Store,
  ) {
    this.storage = storageOf(store) as Required<ReturnType<typeof storageOf>>;
    this.other = storageOf(another) as Required<ReturnType<typeof storageOf>>;
  }

  /** Makes a call. The result is `skipped` if its conditions are not met, for example if a new key is already used. */
  async play(call: Call): Promise<unknown> {
    const { storage, other } = this;
    switch (call.type) {
      case 'save':
        return this.areNew(call.rows, call.saved)
          ? storage.save(this.grant(call.saved), this.rows(call.rows))
          : 'skipped';
      case 'saveRows':
        return this.areNew(call.rows) ? storage.save(undefined, this.rows(call.rows)) : 'skipped';
      case 'consumeAndSave': {
        if (!this.savedGrants.has(call.saved.grant) || !this.areNew(call.rows, call.saved)) return 'skipped';
        const consumed = { ...this.key(call.key), ...(call.data !== null && { data: call.data }) };
        return storage.consumeAndSave(consumed, this.grant(call.saved), this.rows(call.rows));
      }
      case 'consume':
        return storage.consume(call.key.kind, this.key(call.key).digest);
      case 'update':
        return this.update(call);
      case 'revokeGrants':
        return storage.revokeGrants(this.filter(call.filter));
      case 'revokeBefore': {
        await this.store.revokeBefore({ issuers: [this.name('issuers', call.issuer)], consents: call.consents });
        // Grants that are saved in the same millisecond may be revoked or not.
        await setTimeout(5);
        return 'done';
      }
      case 'once':
        return storage.once(this.digest(call.name), 1000);
      case 'count': {
        const { count, expiresIn } = await storage.count(this.digest(call.name), 1000, call.by);
        return { count, isOpen: expiresIn > 900_000 };
      }
      case 'replaceText':
        return storage.replaceText(this.digest(call.name), call.old ?? undefined, call.text ?? 'null');
      case 'saveClient': {
        const id = this.name('clients', call.client);
        const found = await storage.findClient(id);
        const previous = call.isStale && this.staleClients.has(id) ? this.staleClients.get(id) : found;
        this.staleClients.set(id, found);
        return storage.saveClient(this.client(id, call.scope), previous, call.revokes);
      }
      case 'addNewClient':
        return storage.addNewClient(this.client(this.name('clients', call.client), call.scope));
      case 'removeClient':
        return storage.removeClient(this.name('clients', call.client));
      case 'prune':
        await storage.prune(10);
        return 'done';
      case 'find':
        return this.find(call.key);
      case 'hasGrant':
        return other.hasGrant(this.grantId(call.grant));
      case 'listGrants':
        return shown(await other.listGrants(this.name('users', call.user), kindsOf(call)));
      case 'pageGrants':
        return this.pageGrants(this.filter(call.filter), call.limit);
      case 'readText':
        return other.readText(this.digest(call.name));
      case 'findClient':
        return (await other.findClient(this.name('clients', call.client)))?.client;
      case 'listClients':
        return this.listClients(call.limit);
      default:
        throw new Error('The history has an unknown call');
    }
  }

  private async find(key: Key): Promise<unknown> {
    const { digest } = this.key(key);
    const found = await this.other.find(key.kind, digest);
    if (!found) return undefined;
    const { grantId, clientId, userId, issuer, scope, data, expiresAt, revokedAt, client } = found;
    const row = {
      grantId,
      clientId,
      userId,
      issuer,
      scope,
      data,
      hours: hoursUntil(expiresAt),
      isUsed: revokedAt !== null,
    };
    const own = client === undefined ? await this.other.findClient(clientId) : { client };
    // A storage need not return the hashes of the secrets together with a row.
    const { secretHashes: _, ...known } = own?.client ?? {};
    return { kind: found.kind, digest: found.digest, ...row, client: known };
  }

  private async update({ key, isStale, grant, scope, data }: Extract<Call, { type: 'update' }>): Promise<unknown> {
    const { kind, digest } = this.key(key);
    const found = await this.storage.find(kind, digest);
    const from = (isStale && this.staleRows.get(kind + digest)) || found;
    if (found) this.staleRows.set(kind + digest, found);
    if (!from || !this.savedGrants.has(grant)) return 'skipped';
    const { clientId, userId, id: grantId } = this.grant({ grant, isUsed: false, hours: 0 });
    if (clientId !== from.clientId) return 'skipped';
    return this.storage.update(from, { ...from, grantId, userId, scope, data });
  }

  private async pageGrants(filter: GrantFilter, limit: number): Promise<unknown> {
    const grants: GrantRow[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.other.pageGrants(filter, after, limit);
      grants.push(...page.grants.map(({ grant }) => grant));
      if (page.next === undefined) return shown(grants);
      after = page.next;
    }
  }

  private async listClients(limit: number): Promise<StoredClient[]> {
    const clients: StoredClient[] = [];
    for (let after = this.prefix; ;) {
      const page = await this.other.listClients(after, limit);
      const own = page.clients.filter(({ client }) => client.id.startsWith(this.prefix));
      clients.push(...own.map(({ client }) => client));
      if (page.next === undefined || !page.next.startsWith(this.prefix)) return clients;
      after = page.next;
    }
  }

  /** Whether the keys of rows were never used and their grants are saved. Marks them as used. */
  private areNew(rows: readonly NewRow[], saved?: SavedGrant): boolean {
    const keys = new Set(rows.map(({ key }) => `${key.kind} ${key.digest}`));
    const areNew = keys.size === rows.length && [...keys].every((key) => !this.savedRows.has(key));
    if (!areNew || !rows.every(({ grant }) => grant === saved?.grant || this.savedGrants.has(grant))) return false;
    for (const key of keys) this.savedRows.add(key);
    if (saved) this.savedGrants.add(saved.grant);
    return true;
  }

  private grant({ grant, isUsed, hours }: SavedGrant): GrantRow {
    const { kind, client, user, issuer } = this.history.grants[grant]!;
    return newGrant({
      id: this.grantId(grant),
      kind,
      clientId: client === null ? '' : this.name('clients', client),
      userId: user === null ? null : this.name('users', user),
      issuer: issuer === null ? null : this.name('issuers', issuer),
      scope: grant === 0 ? null : `scope of ${grant}`,
      data: grant === 1 ? null : `{"grant":"${grant} \\u0000"}`,
      lastUsedAt: isUsed ? Date.now() : null,
      expiresAt: hours === 0 ? Date.now() - 1000 : began + hours * HOUR,
    });
  }

  private rows(rows: readonly NewRow[]): Row[] {
    return rows.map(({ key, grant, scope, data, hours, hasLifetime }) => {
      const { id: grantId, clientId, userId, issuer } = this.grant({ grant, isUsed: false, hours: 0 });
      const time = { expiresAt: began + hours * HOUR, ...(hasLifetime && { expiresAt: 0, lifetime: hours * HOUR }) };
      return { ...this.key(key), grantId, clientId, userId, issuer, scope, data, ...time };
    });
  }

  private filter({ grant, user, client, issuer, ...call }: Filter): GrantFilter {
    return {
      kinds: kindsOf(call),
      ...(grant !== undefined && { grantId: this.grantId(grant) }),
      ...(user !== undefined && { userId: this.name('users', user) }),
      ...(client !== undefined && { clientId: this.name('clients', client) }),
      ...(issuer !== undefined && { issuer: this.name('issuers', issuer) }),
    };
  }

  private name(list: 'clients' | 'users' | 'issuers', index: number): string {
    return this.prefix + this.history[list][index]!;
  }

  private client(id: string, scope: string): StoredClient {
    return { id, grants: ['client_credentials'], scopes: [scope], secretHashes: [`hash ${scope}`] };
  }

  private key({ kind, digest }: Key): Pick<Row, 'kind' | 'digest'> {
    return { kind, digest: this.digest(digest) };
  }

  /** Returns the digest of a name. Rows, single-use values, counters and texts use the same digests. */
  private digest(name: number): string {
    return hash('sha256', `${this.prefix}${name}`, 'base64url');
  }

  private grantId(grant: number): string {
    return `${this.prefix}grant-${grant}`;
  }
}

const kindsOf = ({ kinds }: Pick<Filter, 'kinds'>) => kinds as unknown as GrantKinds;

/** Returns the properties of grants that all stores return alike, sorted by their ID. */
function shown(grants: readonly GrantRow[]) {
  return grants
    .map(({ id, kind, clientId, userId, issuer, scope, data, lastUsedAt, expiresAt }) => {
      return {
        id,
        kind,
        clientId,
        userId,
        issuer,
        scope,
        data,
        isUsed: lastUsedAt !== null,
        hours: hoursUntil(expiresAt),
      };
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
