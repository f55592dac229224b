import { clientItself } from '../../tokens/client-subject.js';
import type { PushedRequest, PushedRequestModel } from '../../features/pushed-requests/pushed-request.js';
import { digest } from '../clients/client-secret.js';
import { grantRow, rowOf } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';
import { newGrant } from '../contract/new-grant.js';
import type { Row } from '../contract/storage.js';

/**
 * The part of a store that stores pushed authorization requests. Each is stored with a grant of its own, which has no
 * user. RFC 9126
 */
export class PushedRequests implements PushedRequestModel {
  private readonly unopened = new WeakMap<PushedRequest, Extension>();

  constructor(private readonly context: Pick<StoreContext, 'storage'>) {}

  /**
   * Saves a pushed authorization request. It expires at `openUntil`, by the clock of the database, unless
   * `openPushedRequest()` is called before.
   */
  async savePushedRequest({ requestUri, expiresAt, ...pushed }: PushedRequest): Promise<void> {
    const client = { id: pushed.clientId, grants: [] };
    const grant = grantRow('tokens', { issuer: pushed.issuer }, client, clientItself(client));
    const row = rowOf(grant, 'request', requestUri, pushed.openUntil);
    row.lifetime = pushed.openUntil.getTime() - Date.now();
    const extension = expiresAt.getTime() - pushed.openUntil.getTime();
    row.data = JSON.stringify({ ...pushed, extension } satisfies UnopenedRequest);
    await this.context.storage.save(grant, [row]);
  }

  /**
   * Returns a pushed authorization request, or `undefined` if it is unknown, used or expired. Its times are by the
   * clock of this process.
   */
  async getPushedRequest(requestUri: string): Promise<PushedRequest | undefined> {
    const row = await this.context.storage.find('request', digest(requestUri));
    if (!row || row.revokedAt !== null) return undefined;
    const left = row.expiresIn ?? row.expiresAt - Date.now();
    if (left <= 0) return undefined;
    const { extension, ...pushed } = JSON.parse(row.data!) as UnopenedRequest;
    const lifetime = left + (extension ?? 0);
    const now = Date.now();
    // The database has verified that the request has not expired. If the clock of this process is ahead, the request
    // must not seem expired.
    const openUntil = new Date(Math.max(new Date(pushed.openUntil).getTime(), now + 1000));
    const request = { ...pushed, requestUri, openUntil, expiresAt: new Date(now + lifetime) };
    if (extension !== undefined) {
      this.unopened.set(request, { from: row, to: { ...row, lifetime, data: JSON.stringify(pushed) } });
    }
    return request;
  }

  /**
   * Extends the lifetime of a pushed authorization request, so that the user has time to sign in and consent. Does
   * nothing if it was extended before.
   */
  async openPushedRequest(request: PushedRequest): Promise<void> {
    const extension = this.unopened.get(request);
    if (extension) await this.extend(extension, request.expiresAt);
  }

  /**
   * Marks a pushed authorization request as used. Returns `true` for exactly one of several concurrent callers, and
   * `false` if it is unknown or already used.
   */
  async revokePushedRequest({ requestUri }: Pick<PushedRequest, 'requestUri'>): Promise<boolean> {
    return this.context.storage.consume('request', digest(requestUri));
  }

  /**
   * Extends the lifetime of a row and of its grant. If a concurrent request has already extended the row, the row stays
   * as it is.
   */
  private async extend({ from, to }: Extension, expiresAt: Date): Promise<void> {
    const { grantId: id, clientId, userId, issuer } = from;
    const grant = newGrant({ id, kind: 'tokens', clientId, userId, issuer, expiresAt: expiresAt.getTime() });
    await this.context.storage.save(grant, []);
    await this.context.storage.update(from, to);
  }
}

/** The row of a pushed authorization request, before and after its lifetime is extended. */
interface Extension {
  from: Row;
  to: Row;
}

/**
 * The stored data of a pushed authorization request that was not opened yet. `extension` is the number of milliseconds
 * by which opening it extends its lifetime.
 */
type UnopenedRequest = Omit<PushedRequest, 'requestUri' | 'expiresAt'> & { extension?: number };
