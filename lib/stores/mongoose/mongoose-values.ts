import { randomUUID } from 'node:crypto';

import type { Database } from './collections.js';
import { REVISION } from './documents.js';

export const textId = (name: string) => `text ${name}`;

/** Stores single-use values and texts, which belong to no grant. */
export class MongooseValues {
  constructor(private readonly database: Database) {}

  /**
   * Remembers a single-use value. The document has the time of its use by the clock of the server and the number of
   * milliseconds, because only an aggregation could add them, which an upsert with a condition does not allow.
   */
  async once(digest: string, seconds: number): Promise<boolean> {
    const [_id, attempt, milliseconds] = [`once ${digest}`, randomUUID(), Math.ceil(seconds * 1000)];
    const update = {
      $set: { milliseconds, keepUntil: new Date(Date.now() + milliseconds) },
      $currentDate: { usedAt: true },
    } as const;
    // The filter matches no existing document, since the attempt is new. So an existing one is reported as a duplicate.
    const inserted = await this.database.runUnlessDuplicate('values', (values) =>
      values.updateOne({ _id, attempt }, update, { upsert: true }),
    );
    if (inserted) return true;
    // An expired value that is not deleted yet counts as missing.
    const filter = { _id, $expr: isForgotten };
    const again = { ...update, $set: { ...update.$set, attempt } };
    const { modifiedCount } = await this.database.run('values', (values) => values.updateOne(filter, again));
    return modifiedCount === 1;
  }

  async readText(name: string): Promise<string | undefined> {
    return (await this.database.run('values', (values) => values.findOne({ _id: textId(name) })))?.text;
  }

  /** Returns the first characters of a text, or `undefined` if there is no text. */
  async readRevision(name: string): Promise<string | undefined> {
    const stages = [{ $match: { _id: textId(name) } }, { $project: REVISION }];
    const [read] = await this.database.run('values', (values) =>
      values.aggregate<{ revision: string }>(stages).toArray(),
    );
    return read?.revision;
  }

  async replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    const id = textId(name);
    if (old === undefined) {
      const inserted = await this.database.runUnlessDuplicate('values', (values) =>
        values.insertOne({ _id: id, text }),
      );
      return inserted !== undefined;
    }
    const filter = { _id: id, text: old };
    const { matchedCount } = await this.database.run('values', (values) =>
      values.updateOne(filter, { $set: { text } }),
    );
    return matchedCount === 1;
  }
}

/** An aggregation condition for single-use values that need not be remembered any longer. */
export const isForgotten = { $lt: [{ $add: ['$usedAt', '$milliseconds'] }, '$$NOW'] };
