import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { hasListener, reportEvent } from '../../../lib/internal.js';
import {
  type CredentialModel,
  Request,
  type ServerContext,
  type StoredCredential,
  type User,
} from '../../../lib/index.js';
import { withContext } from '../../module/oauth2-context.js';
import { usersFilter } from '../../tenants/tenant-of.js';
import type { Mails } from '../mails.js';
import type { AccountUsers } from '../options.js';
import { startSweeping } from './sweeping.js';

/** The stored order to delete an account, as JSON. */
interface OrderData {
  readonly userId: string;
  /** When the account is deleted, in milliseconds since the epoch. */
  readonly due: number;
  /** Where the last e-mail goes. */
  readonly email?: string;
  readonly language: string;
  /** Set once the deletion has begun and can no longer be cancelled. `gone`: the application has no such user. */
  readonly stage?: 'begun' | 'gone';
  /** Identifies the attempt that has the order. */
  readonly attempt?: string;
  /** When the attempt began, in milliseconds since the epoch. `0` if it has failed. */
  readonly since?: number;
}

/** An order to delete an account. */
export interface DeletionOrder {
  readonly stored: StoredCredential;
  readonly data: OrderData;
}

/** The accounts of a server, as their deletion needs them. */
interface DeletionSource {
  readonly server: ServerContext;
  readonly users: AccountUsers;
  readonly mails: Mails;
  readonly realm: string;
}

/** The owner of the orders. No user has an empty ID, so the deletion of an account leaves its order until the end. */
const NO_USER = '';
/** Milliseconds after which another process may continue an attempt. */
const LEASE = 60_000;
/** The request in whose place an account is deleted, since no browser has sent one. */
const REQUEST = new Request({ headers: {}, method: 'POST', query: {}, body: {} });

/**
 * The deletions of accounts of one realm. The store keeps each order until everything else of the user is removed, so a
 * deletion that was interrupted is finished by any process. Each step can be repeated.
 */
export class Deletions {
  private readonly model: CredentialModel;
  private readonly logger = new Logger('OAuth2 accounts');

  /** @param gracePeriod seconds between an order and the deletion */
  constructor(
    private readonly accounts: DeletionSource,
    private readonly gracePeriod: number,
  ) {
    this.model = accounts.server.options.model as object as CredentialModel;
    startSweeping(new WeakRef(this));
  }

  get realm(): string {
    return this.accounts.realm;
  }

  /** When an account is deleted whose user orders it now. */
  get due(): Date {
    return new Date(Date.now() + this.gracePeriod * 1000);
  }

  /** Whether accounts are deleted without a grace period. */
  get isImmediate(): boolean {
    return this.gracePeriod === 0;
  }

  /** Returns the order to delete the account of a user. */
  async find(userId: string): Promise<DeletionOrder | undefined> {
    const stored = await this.model.findCredential(this.accounts.realm, 'deletion', keyOf(userId));
    return stored && orderIn(stored);
  }

  /** Stores an order. Returns `undefined` if the account has one already. */
  async add(user: User, to: Pick<OrderData, 'email' | 'language'>): Promise<DeletionOrder | undefined> {
    const userId = String(user['id']);
    const data: OrderData = { userId, due: this.due.getTime(), ...to };
    const { realm } = this.accounts;
    const credential = { kind: 'deletion', key: keyOf(userId), data: JSON.stringify(data) } as const;
    const isAdded = await this.model.addCredential({ realm, userId: NO_USER }, credential);
    return isAdded ? this.find(userId) : undefined;
  }

  /** Cancels an order. Returns `true` for exactly one caller, and `false` if the deletion has begun. */
  async cancel({ stored, data }: DeletionOrder): Promise<boolean> {
    return data.stage === undefined && this.model.removeCredential(stored);
  }

  /** Deletes the accounts whose grace period has ended, and finishes deletions that were interrupted. */
  async finishDue(): Promise<number> {
    const { server, realm } = this.accounts;
    // The users of the application may read the tenant of the current request.
    return withContext(server, REQUEST, async () => {
      const orders = (await this.model.findCredentials({ realm, userId: NO_USER }, ['deletion'])).map(orderIn);
      let count = 0;
      for (const order of orders) if (isDue(order) && (await this.finish(order))) count += 1;
      return count;
    });
  }

  /**
   * Deletes an account, or finishes its deletion. If it fails, the failure is logged, and another attempt follows.
   * @returns whether this attempt has finished it
   */
  async finish(found: DeletionOrder): Promise<boolean> {
    const order = await this.advance(found, {
      stage: found.data.stage ?? 'begun',
      attempt: newAttempt(),
      since: Date.now(),
    });
    // The user has cancelled, or another process has begun.
    if (!order) return false;
    try {
      return await this.run(order);
    } catch (error) {
      this.logger.error(`The account ${order.data.userId} could not be deleted yet: ${String(error)}`);
      const now = await this.find(order.data.userId);
      if (now && now.data.attempt === order.data.attempt) await this.advance(now, { since: 0 });
      return false;
    }
  }

  /** Removes what an interrupted deletion has left of an earlier user, when a new user gets the same ID. */
  async finishEarlier(user: User): Promise<void> {
    const order = await this.find(String(user['id']));
    if (!order) return;
    const gone = await this.advance(order, { stage: 'gone', attempt: newAttempt(), since: Date.now() });
    if (gone) await this.erase(gone);
  }

  private async run(order: DeletionOrder): Promise<boolean> {
    const { users } = this.accounts;
    const { userId, stage } = order.data;
    if (stage === 'gone') return this.erase(order);
    // Without its user, no session, token or link of the account is valid.
    const user = (await users.findById(userId)) || undefined;
    if (user) await users.delete!(user);
    const gone = await this.advance(order, { stage: 'gone' });
    return gone !== undefined && this.erase(gone);
  }

  /** Removes everything that the store has of the user, and reports it. */
  private async erase({ stored, data }: DeletionOrder): Promise<boolean> {
    const { server, realm, mails } = this.accounts;
    const at = usersFilter(server);
    const { userId, email, language } = data;
    await this.model.deleteAccount({ realm, userId }, at && { issuers: [at.issuer] });
    const { events, issuer } = server.options;
    if (hasListener(events, 'account.deleted')) {
      reportEvent(events, 'account.deleted', { endpoint: 'accounts', issuer, userId });
    }
    if (email !== undefined) await mails.order({ about: 'deleted', email, to: email, language });
    return this.model.removeCredential(stored);
  }

  /** Changes an order by compare-and-set. Returns `undefined` if it was changed or removed since it was found. */
  private async advance({ stored, data }: DeletionOrder, changes: Partial<OrderData>) {
    const next = { ...data, ...changes };
    const text = JSON.stringify(next);
    const isOwn = await this.model.replaceCredential(stored, text);
    return isOwn ? { stored: { ...stored, data: text }, data: next } : undefined;
  }
}

/** Whether an account must be deleted now, and no attempt is running. The clocks of processes may differ a little. */
function isDue({ data: { due, since = 0 } }: DeletionOrder): boolean {
  const now = Date.now();
  return due <= now && !(since <= now && now - since < LEASE);
}

const newAttempt = () => randomBytes(12).toString('base64url');

const keyOf = (userId: string) => JSON.stringify(['deletion', userId]);

const orderIn = (stored: StoredCredential): DeletionOrder => ({
  stored,
  data: JSON.parse(stored.data!) as OrderData,
});
