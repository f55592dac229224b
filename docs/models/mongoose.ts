import { type Directory, type Row, RowModel } from './row-model.js';

/**
 * A model that stores codes and tokens with Mongoose.
 *
 *     const Grant = mongoose.model('OAuthGrant', new Schema({ _id: String, revokedAt: { type: Date, default: null } }));
 *     const OAuthRow = mongoose.model('OAuthRow', new Schema({
 *       key: { type: String, unique: true },
 *       grantId: { type: String, index: true },
 *       clientId: String, userId: String, issuer: String, scope: String,
 *       expiresAt: { type: Date, expires: 0 },   // MongoDB then removes the document
 *       revokedAt: { type: Date, default: null },
 *       redirectUri: String, codeChallenge: String, codeChallengeMethod: String, successor: String,
 *     }));
 */
export class MongooseModel extends RowModel {
  constructor(
    private readonly grants: Collection<{ _id: string; revokedAt: Date | null }>,
    private readonly rows: Collection<Row>,
    directory: Directory,
  ) {
    super(directory);
  }

  protected async insert(id: string, rows: Row[]): Promise<unknown> {
    // Not an upsert: two concurrent upserts can fail with the same duplicate key error.
    await this.grants.create({ _id: id, revokedAt: null }).catch(ignoreDuplicateKey);
    return this.rows.insertMany(rows);
  }

  protected async find(key: string): Promise<Row | null> {
    const row = await this.rows.findOne({ key }).lean();
    // Read the grant after the row, so that a revocation between the two reads takes effect.
    const grant = row && (await this.grants.findOne({ _id: row.grantId, revokedAt: null }).lean());
    return grant ? row : null;
  }

  protected async consume(key: string): Promise<boolean> {
    // Not `findOne()` followed by `save()`: a second request could consume the row between the two calls.
    const consumed = await this.rows.findOneAndUpdate({ key, revokedAt: null }, { $set: { revokedAt: new Date() } });
    return consumed !== null;
  }

  protected async consumeAndInsert(key: string, successor: string | null, rows: Row[]): Promise<boolean> {
    // A transaction would need a replica set, so save the new rows first. A failure after this line is harmless: the new
    // tokens have not been issued to any client.
    await this.rows.insertMany(rows);
    const change = { $set: { revokedAt: new Date(), successor } };
    const consumed = await this.rows.findOneAndUpdate({ key, revokedAt: null }, change);
    // Another request consumed the row first: delete the new rows again.
    if (consumed === null) await this.rows.deleteMany({ key: { $in: rows.map((row) => row.key) } });
    return consumed !== null;
  }

  async revokeGrant(id: string): Promise<unknown> {
    return this.grants.findOneAndUpdate({ _id: id, revokedAt: null }, { $set: { revokedAt: new Date() } });
  }
}

/** Ignores the MongoDB error E11000: a document with this key exists. */
function ignoreDuplicateKey(error: Error & { code?: unknown }): void {
  if (error.code !== 11000) throw error;
}

/** The methods of a Mongoose model that `MongooseModel` calls. */
export interface Collection<T> {
  findOne(filter: Partial<T>): { lean(): PromiseLike<T | null> };
  findOneAndUpdate(filter: Partial<T>, update: { $set: Partial<T> }): PromiseLike<unknown>;
  create(document: T): Promise<unknown>;
  insertMany(documents: T[]): Promise<unknown>;
  deleteMany(filter: { key: { $in: string[] } }): PromiseLike<unknown>;
}
