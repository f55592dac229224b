import { clientItself } from '../clients/client-subject.js';
import type { PushedRequest, PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import type { KeyModel } from '../jose/keys/key-model.js';
import type { HealthModel } from '../model/health.js';
import type { OnceModel } from '../model/model.js';
import { digest } from './client-secret.js';
import { grantRow, rowOf } from './rows.js';
import type { Row, Storage } from './storage.js';

const SIGNING_KEYS = 'signing-keys';

/**
 * What of a store knows no users: pushed authorization requests, each on a grant of its own that is nobody's yet, what is good
 * once, and the keys that tokens are signed with.
 */
export abstract class RequestStore<S extends Storage> implements PushedRequestModel, OnceModel, HealthModel, KeyModel {
  private readonly unopened = new WeakMap<PushedRequest, Extension>();

  constructor(protected readonly storage: S) {}

  /**
   * Saves a pushed authorization request. It expires at `openUntil`, by the clock of the database, unless it is opened before.
   */
  async savePushedRequest({ requestUri, expiresAt, ...pushed }: PushedRequest): Promise<void> {
    const client = { id: pushed.clientId, grants: [] };
    const grant = grantRow({ issuer: pushed.issuer }, client, clientItself(client));
    const row = rowOf(grant, 'request', requestUri, pushed.openUntil);
    row.lifetime = pushed.openUntil.getTime() - Date.now();
    const extension = expiresAt.getTime() - pushed.openUntil.getTime();
    row.data = JSON.stringify({ ...pushed, extension } satisfies UnopenedRequest);
    await this.storage.keep(grant, [row]);
  }

  /** Finds a pushed authorization request. The returned times are by the clock of this process. */
  async getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    const row = await this.storage.find('request', digest(requestUri));
    if (!row || row.revokedAt !== null) return undefined;
    const left = row.expiresIn ?? row.expiresAt - Date.now();
    if (left <= 0) return undefined;
    const { extension, ...pushed } = JSON.parse(row.data!) as UnopenedRequest;
    const lifetime = left + (extension ?? 0);
    const now = Date.now();
    // The database has verified the time. The clock of this process may be ahead.
    const openUntil = new Date(Math.max(new Date(pushed.openUntil).getTime(), now + 1000));
    const found = { ...pushed, requestUri, openUntil, expiresAt: new Date(now + lifetime) };
    if (extension !== undefined) {
      this.unopened.set(found, { from: row, to: { ...row, lifetime, data: JSON.stringify(pushed) } });
    }
    return found;
  }

  /** Keeps a request for the time of the interaction. Does nothing if it was opened before. */
  async openPushedRequest(request: PushedRequest): Promise<void> {
    const to = this.unopened.get(request);
    if (to) await this.extend(to, request.expiresAt);
  }

  async revokePushedRequest({ requestUri }: Pick<PushedRequest, 'requestUri'>): Promise<boolean> {
    return this.storage.spend('request', digest(requestUri));
  }

  /** True for the first caller that brings this, for so many seconds: whatever is good once. */
  async once(value: string, seconds: number): Promise<boolean> {
    return this.storage.once(digest(value), seconds);
  }

  async getSigningKeys(): Promise<string | undefined> {
    return this.storage.readText(SIGNING_KEYS);
  }

  async replaceSigningKeys(old: string | undefined, text: string): Promise<boolean> {
    return this.storage.replaceText(SIGNING_KEYS, old, text);
  }

  /** One look for what nobody has, within the deadline: it needs the connection and the tables, and finds nothing. */
  async ping(): Promise<void> {
    await this.storage.find('access', digest(''));
  }

  /** Forgets what has expired, so many rows at a time. @returns how many rows */
  async prune({ batchSize = 1000 }: { batchSize?: number } = {}): Promise<number> {
    return this.storage.prune(batchSize);
  }

  /** Extends a row and the grant that it belongs to. The row stays as it is if a concurrent request has extended it. */
  private async extend({ from, to }: Extension, expiresAt: Date): Promise<void> {
    const { grantId: id, clientId, userId, issuer } = from;
    const times = { createdAt: Date.now(), lastUsedAt: null, expiresAt: expiresAt.getTime() };
    await this.storage.keep({ id, clientId, userId, issuer, scope: null, data: null, ...times }, []);
    await this.storage.change(from, to);
  }
}

/** A row as it was found, and as it is after its request was opened. */
interface Extension {
  from: Row;
  to: Row;
}

/** The stored form of a request that was not opened yet, with the milliseconds that opening it adds to its lifetime. */
type UnopenedRequest = Omit<PushedRequest, 'requestUri' | 'expiresAt'> & { extension?: number };
