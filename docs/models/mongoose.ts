import { type People, type Row, RowModel } from './row-model.js';

/**
 * A model over Mongoose.
 *
 *     const Grant = mongoose.model('OAuthGrant', new Schema({ _id: String, revokedAt: { type: Date, default: null } }));
 *     const OAuthRow = mongoose.model('OAuthRow', new Schema({
 *       key: { type: String, unique: true },
 *       grantId: { type: String, index: true },
 *       clientId: String, userId: String, issuer: String, scope: String,
 *       expiresAt: { type: Date, expires: 0 },   // MongoDB removes the document then
 *       revokedAt: { type: Date, default: null },
 *       redirectUri: String, codeChallenge: String, codeChallengeMethod: String, successor: String,
 *     }));
 */
export class MongooseModel extends RowModel {
  constructor(
    private readonly grants: Collection<{ _id: string; revokedAt: Date | null }>,
    private readonly rows: Collection<Row>,
    people: People,
  ) {
    super(people);
  }

  protected async insert(id: string, rows: Row[]): Promise<unknown> {
    // Not an upsert: of two at once one may fail, and which it was the caller cannot see.
    await this.grants.create({ _id: id, revokedAt: null }).catch(passIfTaken);
    return this.rows.insertMany(rows);
  }

  protected async find(key: string): Promise<Row | null> {
    const row = await this.rows.findOne({ key }).lean();
    // The grant last: what is revoked in between is not found.
    const alive = row && (await this.grants.findOne({ _id: row.grantId, revokedAt: null }).lean());
    return alive ? row : null;
  }

  protected async spend(key: string): Promise<boolean> {
    // Not `findOne` and then `save`: between the two there is room for another caller.
    const spent = await this.rows.findOneAndUpdate({ key, revokedAt: null }, { $set: { revokedAt: new Date() } });
    return spent !== null;
  }

  protected async exchange(key: string, successor: string | null, rows: Row[]): Promise<boolean> {
    // Without a transaction, which needs a replica set: nobody knows of what is saved first, so that it may break off
    // here. Whoever comes second takes it away again.
    await this.rows.insertMany(rows);
    const change = { $set: { revokedAt: new Date(), successor } };
    const spent = await this.rows.findOneAndUpdate({ key, revokedAt: null }, change);
    if (spent === null) await this.rows.deleteMany({ key: { $in: rows.map((row) => row.key) } });
    return spent !== null;
  }

  async revokeGrant(id: string): Promise<unknown> {
    return this.grants.findOneAndUpdate({ _id: id, revokedAt: null }, { $set: { revokedAt: new Date() } });
  }
}

/** E11000: there is such a document. */
function passIfTaken(error: { code?: unknown }): void {
  if (error.code !== 11000) throw error;
}

/** What is used of a Mongoose model. */
export interface Collection<T> {
  findOne(filter: Partial<T>): { lean(): PromiseLike<T | null> };
  findOneAndUpdate(filter: Partial<T>, update: { $set: Partial<T> }): PromiseLike<unknown>;
  create(document: T): Promise<unknown>;
  insertMany(documents: T[]): Promise<unknown>;
  deleteMany(filter: { key: { $in: string[] } }): PromiseLike<unknown>;
}
