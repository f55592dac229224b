import { clientItself } from '../tokens/client-subject.js';
import type { PushedRequest, PushedRequestModel } from '../features/pushed-requests/pushed-request.js';
import { digest } from './client-secret.js';
import { grantRow, rowOf } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { Row } from './storage.js';

/**
 * The part of a store that stores pushed authorization requests. Each belongs to a grant of its own, which has no user.
 * RFC 9126
 */
export class PushedRequests implements PushedRequestModel {
  private readonly unopened = new WeakMap<PushedRequest, Extension>();

  constructor(private readonly context: Pick<StoreContext, 'storage'>) {}

  /** Saves a request. It expires at `openUntil`, by the clock of the database, unless it is opened before. */
  async savePushedRequest({ requestUri, expiresAt, ...pushed }: PushedRequest): Promise<void> {
    const client = { id: pushed.clientId, grants: [] };
    const grant = grantRow({ issuer: pushed.issuer }, client, clientItself(client));
    const row = rowOf(grant, 'request', requestUri, pushed.openUntil);
    row.lifetime = pushed.openUntil.getTime() - Date.now();
    const extension = expiresAt.getTime() - pushed.openUntil.getTime();
    row.data = JSON.stringify({ ...pushed, extension } satisfies UnopenedRequest);
    await this.context.storage.save(grant, [row]);
  }

  /** Finds a request that is neither used nor expired. The returned times are by the clock of this process. */
  async getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    const row = await this.context.storage.find('request', digest(requestUri));
    if (!row || row.revokedAt !== null) return undefined;
    const left = row.expiresIn ?? row.expiresAt - Date.now();
    if (left <= 0) return undefined;
    const { extension, ...pushed } = JSON.parse(row.data!) as UnopenedRequest;
    const lifetime = left + (extension ?? 0);
    const now = Date.now();
    // The database has already verified the time, and the clock of this process may be ahead.
    const openUntil = new Date(Math.max(new Date(pushed.openUntil).getTime(), now + 1000));
    const request = { ...pushed, requestUri, openUntil, expiresAt: new Date(now + lifetime) };
    if (extension !== undefined) {
      this.unopened.set(request, { from: row, to: { ...row, lifetime, data: JSON.stringify(pushed) } });
    }
    return request;
  }

  /**
   * Extends the lifetime of a pushed authorization request for the time of the interaction. Does nothing if it was
   * opened before.
   */
  async openPushedRequest(request: PushedRequest): Promise<void> {
    const extension = this.unopened.get(request);
    if (extension) await this.extend(extension, request.expiresAt);
  }

  /** Marks a request as used. Returns `true` for exactly one of several concurrent callers. */
  async revokePushedRequest({ requestUri }: Pick<PushedRequest, 'requestUri'>): Promise<boolean> {
    return this.context.storage.consume('request', digest(requestUri));
  }

  /** Extends a row and its grant. The row stays unchanged if a concurrent request has extended it. */
  private async extend({ from, to }: Extension, expiresAt: Date): Promise<void> {
    const { grantId: id, clientId, userId, issuer } = from;
    const times = { createdAt: Date.now(), lastUsedAt: null, expiresAt: expiresAt.getTime() };
    await this.context.storage.save({ id, clientId, userId, issuer, scope: null, data: null, ...times }, []);
    await this.context.storage.update(from, to);
  }
}

/** A row as it was read, and as it is after its request was opened. */
interface Extension {
  from: Row;
  to: Row;
}

/**
 * The stored form of an unopened request. `extension` is the number of milliseconds that opening it adds to its
 * lifetime.
 */
type UnopenedRequest = Omit<PushedRequest, 'requestUri' | 'expiresAt'> & { extension?: number };
