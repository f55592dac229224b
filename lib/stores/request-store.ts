import { clientItself } from '../clients/client-itself.js';
import type { PushedRequest, PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import type { KeyModel } from '../jose/keys/key-model.js';
import type { HealthModel } from '../model/health.js';
import type { OnceModel } from '../model/model.js';
import { digest } from './client-secret.js';
import { grantRow, rowOf } from './rows.js';
import type { Storage } from './storage.js';

const SIGNING_KEYS = 'signing-keys';

/**
 * What of a store knows no users: pushed authorization requests, each on a grant of its own that is nobody's yet, what is good
 * once, and the keys that tokens are signed with.
 */
export abstract class RequestStore<S extends Storage> implements PushedRequestModel, OnceModel, HealthModel, KeyModel {
  constructor(protected readonly storage: S) {}

  async savePushedRequest({ requestUri, expiresAt, ...pushed }: PushedRequest): Promise<void> {
    const client = { id: pushed.clientId, grants: [] };
    const grant = grantRow({ issuer: pushed.issuer }, client, clientItself(client));
    const row = rowOf(grant, 'request', requestUri, expiresAt);
    row.data = JSON.stringify(pushed);
    await this.storage.keep(grant, [row]);
  }

  async getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    const row = await this.storage.find('request', digest(requestUri));
    if (!row || row.revokedAt !== null) return undefined;
    const pushed = JSON.parse(row.data!) as PushedRequest;
    return {
      ...pushed,
      requestUri,
      openUntil: new Date(pushed.openUntil),
      expiresAt: new Date(row.expiresAt),
    };
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
}
