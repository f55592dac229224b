import type { Count } from '../../model/counts.js';
import { readClient } from '../contract/client-texts.js';
import { isRevokedBefore, NOT_BEFORE, RevocationTimesCache, withoutRevokedBefore } from '../contract/not-before.js';
import { isWholeClient } from '../contract/grant-kinds.js';
import { DAY, GRANT_GRACE_PERIOD } from '../contract/schema.js';
import type {
  ConsumedRow,
  GrantFilter,
  GrantKinds,
  GrantPage,
  GrantRow,
  Row,
  RowKind,
  RowKinds,
  Storage,
  StoredRow,
} from '../contract/storage.js';
import type { Database } from './collections.js';
import { isStorable, type JoinedRow, readGrant, readRow, REVISION, rowId } from './documents.js';
import { MongooseCounters } from './mongoose-counters.js';
import { MongooseClients } from './mongoose-clients.js';
import { isActive, lookup, matchOf, MongooseGrants } from './mongoose-grants.js';
import { MongooseRows } from './mongoose-rows.js';
import { MongooseValues, textId } from './mongoose-values.js';
import { pruneCollection } from './prune.js';
import { pruneCounts } from './revocation-counts.js';

/** An aggregation condition for grants that have not expired. */
const UNEXPIRED = { $match: { $expr: { $gte: ['$expiresAt', '$$NOW'] } } };

/** The storage on MongoDB. Each method works without a transaction: the write of one document decides its result. */
export class MongooseStorage extends MongooseClients implements Storage {
  private readonly grants: MongooseGrants;
  private readonly rows: MongooseRows;
  private readonly values: MongooseValues;
  private readonly counters: MongooseCounters;
  private readonly revocationTimes = new RevocationTimesCache(() => this.readText(NOT_BEFORE));

  /** @param storesClients whether the clients are stored in MongoDB too, and not by the application */
  constructor(
    database: Database,
    private readonly storesClients: boolean,
  ) {
    super(database);
    this.grants = new MongooseGrants(database);
    this.rows = new MongooseRows(database, this.grants);
    this.values = new MongooseValues(database);
    this.counters = new MongooseCounters(database);
  }

  async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    // A row is found only with its grant, so their order does not matter.
    await Promise.all([grant && this.grants.save(grant), this.rows.insert(rows)]);
  }

  consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    return this.rows.consumeAndSave(consumed, grant, rows);
  }

  async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const [row] = await this.joinedRows([{ $match: { _id: rowId({ kind, digest }) } }]);
    return row && this.readActive(row);
  }

  async insertRow(row: Row): Promise<boolean> {
    const { kind, digest, grantId } = row;
    const began = await this.grants.beginningOf(grantId);
    const isFree = async () => {
      const current = await this.find(kind, digest);
      return current === undefined || current.expiresIn! <= 0;
    };
    if (!began || !(await this.rows.insertOne(row, isFree))) return false;
    // A grant that was revoked or erased meanwhile must not get the row, also if it was saved again.
    if ((await this.grants.beginningOf(grantId))?.getTime() === began.getTime()) return true;
    await this.rows.remove(row);
    return false;
  }

  removeRow(row: Row): Promise<boolean> {
    return this.rows.remove(row);
  }

  async listRows(grantId: string, kinds: RowKinds): Promise<StoredRow[]> {
    const match = { grantId, usedAt: null, pending: null, _id: { $regex: `^(?:${kinds.join('|')}) ` } };
    const rows = await this.joinedRows([{ $match: match }, UNEXPIRED]);
    return (await Promise.all(rows.map((row) => this.readActive(row)))).filter((row) => row !== undefined);
  }

  async eraseGrants(filter: GrantFilter, limit: number): Promise<number> {
    const { grantId, userId } = filter;
    if (![grantId, userId].every((id = '') => isStorable(id)) || (grantId ?? userId) === undefined) return 0;
    const ids = await this.grants.idsOf(filter, limit);
    if (ids.length > 0) await this.grants.delete(ids);
    // An earlier call may have ended before it had deleted the rows. A new grant with this ID must not get them.
    const isGone = grantId !== undefined && !(await this.hasGrant(grantId));
    const ended = isGone ? [...new Set([...ids, grantId])] : ids;
    if (ended.length > 0) await this.rows.deleteOf(ended);
    return ids.length;
  }

  consume(kind: RowKind, digest: string): Promise<boolean> {
    return this.rows.consume({ kind, digest });
  }

  update(from: Row, to: Row): Promise<boolean> {
    return this.rows.update(from, to);
  }

  once(digest: string, seconds: number): Promise<boolean> {
    return this.values.once(digest, seconds);
  }

  count(digest: string, seconds: number, by = 1): Promise<Count> {
    return this.counters.add(digest, Math.ceil(seconds * 1000), by);
  }

  readText(name: string): Promise<string | undefined> {
    return this.values.readText(name);
  }

  replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    return this.values.replaceText(name, old, text);
  }

  async revokeGrants(filter: GrantFilter): Promise<number> {
    const { kinds, grantId, userId, clientId, issuer } = filter;
    if (![grantId, userId, clientId, issuer].every((id = '') => isStorable(id))) return 0;
    if (grantId !== undefined) return this.grants.revokeOne(filter);
    if (userId !== undefined) return this.grants.revokeOfUser({ ...filter, userId });
    if (clientId === undefined) return 0;
    if (issuer !== undefined || !isWholeClient(kinds)) return this.grants.revokeOfClient({ ...filter, clientId });
    return this.grants.countOfGeneration(clientId, await this.endGeneration(clientId));
  }

  async hasGrant(id: string): Promise<boolean> {
    return (await this.grants.active([{ $match: { _id: id } }])).length > 0;
  }

  async listGrants(userId: string, kinds: GrantKinds): Promise<GrantRow[]> {
    if (!isStorable(userId)) return [];
    const match = { ...matchOf({ kinds, userId }), lastUsedAt: { $ne: null } };
    const [grants, times] = await Promise.all([
      this.grants.active([{ $match: match }, UNEXPIRED, { $sort: { lastUsedAt: -1 } }]),
      this.currentRevocationTimes(),
    ]);
    return withoutRevokedBefore(times, grants.map(readGrant));
  }

  async pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const { grantId, userId, clientId, issuer } = filter;
    if (![grantId, userId, clientId, issuer, after].every((id = '') => isStorable(id))) return { grants: [] };
    const match = { $and: [matchOf(filter), { _id: { $gt: after ?? '' } }] };
    const [read, times] = await Promise.all([
      this.grants.read([{ $match: match }, UNEXPIRED, { $sort: { _id: 1 } }, { $limit: limit }]),
      this.currentRevocationTimes(),
    ]);
    const active = read.filter((grant) => isActive(grant, grant)).map(readGrant);
    const grants = withoutRevokedBefore(times, active).map((grant) => ({ grant, cursor: grant.id }));
    return read.length < limit ? { grants } : { grants, next: readGrant(read.at(-1)!).id };
  }

  async prune(batchSize: number, signal?: AbortSignal): Promise<number> {
    const now = await this.readClock();
    const expired = { before: new Date(now), batchSize, signal };
    const count = await pruneCollection(this.database, 'tokens', expired);
    const before = new Date(now - GRANT_GRACE_PERIOD);
    const pruned = count + (await pruneCollection(this.database, 'grants', { ...expired, before }));
    const unused = { ...expired, before: new Date(now - DAY) };
    return (
      pruned +
      (await pruneCounts(this.database, 'clients', unused)) +
      (await pruneCounts(this.database, 'users', unused))
    );
  }

  /** Returns the rows that the stages select, each with its grant, its client and the counters of its user. */
  private joinedRows(stages: object[]): Promise<JoinedRow[]> {
    const { clients, grants, users } = this.database.names;
    const joined = [
      ...stages,
      lookup(grants, 'grantId', 'grants'),
      lookup(clients, 'clientId', 'clients'),
      lookup(users, 'userId', 'users'),
      this.notBefore(),
      { $addFields: { now: '$$NOW' } },
    ];
    return this.database.run('tokens', (tokens) => tokens.aggregate<JoinedRow>(joined).toArray());
  }

  /** Returns a row, or `undefined` if its grant is not active. */
  private async readActive(row: JoinedRow): Promise<StoredRow | undefined> {
    const grant = row.grants[0];
    if (!isActive(grant, row)) return undefined;
    const times = await this.revocationTimes.get(row.notBefore[0]?.revision);
    if (isRevokedBefore(times, readGrant(grant))) return undefined;
    if (!(await this.rows.settle(row))) return undefined;
    const stored = readRow(row);
    const metadata = row.clients[0]?.metadata;
    if (this.storesClients) stored.client = metadata ? readClient(row.clientId, metadata) : null;
    return stored;
  }

  /** Returns the times before which `revokeBefore()` has revoked grants, by issuer. */
  private async currentRevocationTimes() {
    return this.revocationTimes.get(await this.values.readRevision(NOT_BEFORE));
  }

  /** Returns an aggregation stage that joins the revision of the times of `revokeBefore()`. */
  private notBefore() {
    const pipeline = [{ $match: { _id: textId(NOT_BEFORE) } }, { $project: REVISION }];
    return { $lookup: { from: this.database.names.values, pipeline, as: 'notBefore' } };
  }
}
