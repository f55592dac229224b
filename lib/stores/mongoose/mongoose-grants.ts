import { randomUUID } from 'node:crypto';

import type { GrantFilter, GrantRow } from '../contract/storage.js';
import type { Database } from './collections.js';
import {
  type ClientDocument,
  dateOf,
  type GrantDocument,
  isStorable,
  requireStorable,
  type UserDocument,
} from './documents.js';
import { readCounts } from './revocation-counts.js';
import { counterIndex, counterName, countersOf, isCurrent, type UserCounters } from './user-counters.js';

/** Maximum number to which the revoked grants of a client or user are counted. */
const MAX_COUNT = 100_000;

/** Maximum number of grants to revoke with one command. */
const PAGE = 1000;

/** A grant with its client and the counters of its user, as one query reads them. */
type JoinedGrant = GrantDocument & { clients: ClientDocument[]; users: UserDocument[] };

/** The changes that extend a grant. */
interface Extension {
  lastUsedAt: Date | null;
  expiresAt: Date;
}

/**
 * Stores grants. A grant is active while it has no `revokedAt`, and the generation of its client and the counters of its
 * user equal those that it was saved with. So revoking any number of grants is one write.
 */
export class MongooseGrants {
  constructor(private readonly database: Database) {}

  /** Saves a new grant, or extends a known one. */
  async save(grant: GrantRow): Promise<void> {
    const { id, clientId, userId, createdAt, lastUsedAt, ...fields } = grant;
    // They are read before the grant is saved. If the client's or user's grants are revoked meanwhile, this one is too.
    const [client, user] = await Promise.all([
      readCounts<ClientDocument>(this.database, 'clients', requireStorable(clientId), { generation: 1 }),
      userId === null
        ? null
        : readCounts<UserDocument>(this.database, 'users', requireStorable(userId), { counters: 1 }),
    ]);
    const [attempt, expiresAt, isUsedNow] = [randomUUID(), new Date(grant.expiresAt), lastUsedAt === createdAt];
    const state = {
      clientGeneration: client?.generation ?? 0,
      userCounters: userId === null ? [] : countersOf(user?.counters, grant),
      revokedAt: null,
      ...(!isUsedNow && { lastUsedAt: dateOf(lastUsedAt) }),
    };
    // The filter matches no known grant, since the attempt is new. So a known grant is reported as a duplicate.
    const inserted = await this.database.runUnlessDuplicate('grants', (grants) =>
      grants.updateOne(
        { _id: requireStorable(id), attempt },
        {
          $set: { ...fields, clientId, userId, ...state, expiresAt, keepUntil: expiresAt },
          $currentDate: { createdAt: true, ...(isUsedNow && { lastUsedAt: true }) },
        },
        { upsert: true },
      ),
    );
    if (!inserted) await this.extend(id, { lastUsedAt: dateOf(lastUsedAt), expiresAt });
  }

  /** Sets the time of use of a grant, and a later expiry. A revoked grant is unchanged. */
  async extend(id: string, { lastUsedAt, expiresAt }: Extension): Promise<void> {
    const update = { $max: { expiresAt, keepUntil: expiresAt }, ...(lastUsedAt && { $set: { lastUsedAt } }) };
    await this.database.run('grants', (grants) => grants.updateOne({ _id: id, revokedAt: null }, update));
  }

  /** Keeps a grant from being deleted before a time, without a change that callers observe. */
  async keep(id: string, keepUntil: Date): Promise<void> {
    await this.database.run('grants', (grants) => grants.updateOne({ _id: id }, { $max: { keepUntil } }));
  }

  /**
   * Revokes the grants of a user, or those of one client or issuer among them, in one step: the increment of a counter
   * for each kind. Then marks the revoked grants. Returns how many were active before.
   */
  async revokeOfUser(filter: GrantFilter & { userId: string }): Promise<number> {
    const { kinds, userId } = filter;
    const names = kinds.map((kind) => counterName({ ...filter, kind }));
    const increments = Object.fromEntries(names.map((name) => [`counters.${name}`, 1]));
    const before = await this.database.upsert('users', (users) =>
      users.findOneAndUpdate(
        { _id: userId },
        { $inc: increments, $unset: { unusedSince: '' } },
        { upsert: true, returnDocument: 'before' },
      ),
    );
    const counters = before?.counters ?? {};
    const position = `userCounters.${counterIndex(filter)}`;
    const $or = kinds.map((kind, index) => ({ kind, [position]: { $lte: counters[names[index]!] ?? 0 } }));
    const affected = { ...matchOf(filter), $or };
    const grants = await this.read([{ $match: affected }, { $limit: MAX_COUNT }]);
    const count = grants.filter((grant) => isActive(grant, { ...grant, users: [{ _id: userId, counters }] })).length;
    await this.mark(affected);
    return count;
  }

  /** Revokes grants of a client in pages. Returns how many were active before. */
  async revokeOfClient(filter: GrantFilter & { clientId: string }): Promise<number> {
    const { clientId } = filter;
    const client = await this.database.run('clients', (clients) =>
      clients.findOne({ _id: clientId }, { projection: { generation: 1 } }),
    );
    return this.markInPages({ ...matchOf(filter), clientGeneration: client?.generation ?? 0 });
  }

  /** Revokes one grant. Returns 1 if it was active and matches the filter, otherwise 0. */
  async revokeOne(filter: GrantFilter): Promise<number> {
    const [grant] = await this.active([{ $match: matchOf(filter) }]);
    return grant ? this.mark(matchOf(filter)) : 0;
  }

  /** Returns when an active grant began. Returns `undefined` if the grant does not exist or was revoked. */
  async beginningOf(id: string): Promise<Date | undefined> {
    const [grant] = isStorable(id) ? await this.active([{ $match: { _id: id } }]) : [];
    return grant?.createdAt;
  }

  /** Returns the IDs of grants that match a filter, active or revoked. */
  async idsOf(filter: GrantFilter, limit: number): Promise<string[]> {
    const { revokedAt, ...match } = matchOf(filter);
    const found = await this.database.run('grants', (grants) =>
      grants.find(match, { projection: { _id: 1 }, limit }).toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  async delete(ids: string[]): Promise<void> {
    await this.database.run('grants', (grants) => grants.deleteMany({ _id: { $in: ids } }));
  }

  /** Returns how many grants of a client with a generation were not revoked otherwise. */
  countOfGeneration(clientId: string, clientGeneration: number): Promise<number> {
    const filter = { clientId, revokedAt: null, clientGeneration };
    return this.database.run('grants', (grants) => grants.countDocuments(filter, { limit: MAX_COUNT }));
  }

  /** Returns the grants that the stages select, without revoked ones. */
  async active(stages: object[]): Promise<GrantDocument[]> {
    return (await this.read(stages)).filter((grant) => isActive(grant, grant));
  }

  /** Returns the grants that the stages select, each with its client and the counters of its user. */
  read(stages: object[]): Promise<JoinedGrant[]> {
    const { clients, users } = this.database.names;
    const joined = [...stages, lookup(clients, 'clientId', 'clients'), lookup(users, 'userId', 'users')];
    return this.database.run('grants', (grants) => grants.aggregate<JoinedGrant>(joined).toArray());
  }

  /** Revokes grants in pages of their IDs, because one command for all of them might not end within the deadline. */
  private async markInPages(filter: object): Promise<number> {
    for (let count = 0, after = ''; ;) {
      const page = { $and: [filter, { _id: { $gt: after } }] };
      const found = await this.database.run('grants', (grants) =>
        grants
          .find(page, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(PAGE)
          .toArray(),
      );
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0) count += await this.mark({ ...filter, _id: { $in: ids } });
      if (ids.length < PAGE) return count;
      after = ids.at(-1)!;
    }
  }

  private async mark(filter: object): Promise<number> {
    const update = { $currentDate: { revokedAt: true } } as const;
    return (await this.database.run('grants', (grants) => grants.updateMany(filter, update))).modifiedCount;
  }
}

/** Whether a grant is active. */
export function isActive(
  grant: GrantDocument | undefined,
  { clients: [client], users: [user] }: { clients: ClientDocument[]; users: UserDocument[] },
): grant is GrantDocument {
  if (!grant || grant.revokedAt !== null || grant.clientGeneration !== (client?.generation ?? 0)) return false;
  const counters: UserCounters = user?.counters;
  return grant.userId === null || isCurrent(grant.userCounters, counters, grant);
}

/** Returns an aggregation stage that joins the document with the ID of a field. */
export const lookup = (from: string, localField: string, as: string) => ({
  $lookup: { from, localField, foreignField: '_id', as },
});

/** Returns the conditions of a filter for grants that were not revoked one by one. */
export function matchOf({ kinds, grantId, userId, clientId, issuer }: GrantFilter): Record<string, unknown> {
  const match: Record<string, unknown> = { revokedAt: null, kind: { $in: kinds } };
  if (grantId !== undefined) match['_id'] = grantId;
  if (userId !== undefined) match['userId'] = userId;
  if (clientId !== undefined) match['clientId'] = clientId;
  if (issuer !== undefined) match['issuer'] = issuer;
  return match;
}
