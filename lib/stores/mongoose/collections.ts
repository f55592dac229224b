import type { Connection, mongo } from 'mongoose';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Deadline } from '../contract/deadline.js';
import type { ClientDocument, GrantDocument, RowDocument, UserDocument, ValueDocument } from './documents.js';

/** The collections of a store. Each method sends one command, within the deadline. */
export interface Collections {
  clients: mongo.Collection<ClientDocument>;
  grants: mongo.Collection<GrantDocument>;
  tokens: mongo.Collection<RowDocument>;
  /** The collection of the rows again, for single-use values and texts. */
  values: mongo.Collection<ValueDocument>;
  users: mongo.Collection<UserDocument>;
}

/** The names of the collections of a store. */
export type CollectionNames = Record<keyof Collections, string>;

/** Sends commands through a Mongoose connection. */
export class Database {
  readonly names: CollectionNames;
  /** The options of all collections, which do not depend on the options of the connection. */
  private readonly options: mongo.CollectionOptions;

  constructor(
    private readonly connection: Connection,
    prefix: string,
    private readonly deadline: Deadline,
    timeoutMS: number,
  ) {
    if (typeof connection?.asPromise !== 'function')
      throw new InvalidArgumentError(
        'Invalid argument: MongooseStore needs a connection of Mongoose: pass `mongoose.connection`, or what `@InjectConnection()` injects',
      );
    const tokens = `${prefix}tokens`;
    this.names = {
      clients: `${prefix}clients`,
      grants: `${prefix}grants`,
      tokens,
      values: tokens,
      users: `${prefix}users`,
    };
    this.options = {
      // On a replica set, a write of the old primary can be lost, and a secondary may not know of a revocation yet.
      writeConcern: { w: 'majority', journal: true },
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      // After the deadline, the driver sends no command that still waits for a connection.
      timeoutMS,
      ignoreUndefined: false,
    };
  }

  /**
   * Sends a command to a collection.
   * @throws {TemporarilyUnavailableError} If the deadline passes or MongoDB is unavailable.
   */
  run<N extends keyof Collections, T>(name: N, command: (collection: Collections[N]) => Promise<T>): Promise<T> {
    return this.deadline.within(async (operation) => {
      const db = await this.open();
      if (operation.isTimedOut) throw new Error(operation.reason);
      return command(db.collection(this.names[name], this.options) as unknown as Collections[N]);
    });
  }

  /** Sends a write. Returns `undefined` if it would insert a second document with the same ID. */
  async runUnlessDuplicate<N extends keyof Collections, T>(
    name: N,
    command: (collection: Collections[N]) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.run(name, command);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return undefined;
    }
  }

  /**
   * Sends an upsert by ID. Sends it again if another caller has inserted the same document meanwhile, which the first
   * attempt then reports as a duplicate.
   */
  async upsert<N extends keyof Collections, T>(
    name: N,
    command: (collection: Collections[N]) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.run(name, command);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return this.run(name, command);
    }
  }

  /** Returns the time of the server, in milliseconds since the epoch. */
  readClock(): Promise<number> {
    return this.deadline.within(async () => {
      const db = await this.open();
      const options = { readPreference: 'primary', timeoutMS: this.options.timeoutMS! } as const;
      const { localTime } = await db.command({ hello: 1 }, options).catch((error: unknown) => {
        // Servers before MongoDB 4.4.2 do not know `hello`.
        if ((error as { code?: unknown }).code !== COMMAND_NOT_FOUND) throw error;
        return db.command({ isMaster: 1 }, options);
      });
      return (localTime as Date).getTime();
    });
  }

  private async open(): Promise<mongo.Db> {
    if (!this.connection.db) await this.connection.asPromise();
    if (this.connection.db) return this.connection.db;
    throw new InvalidArgumentError(
      'The connection of MongooseStore was not opened. Call `mongoose.connect()` or `connection.openUri()`',
    );
  }
}

const COMMAND_NOT_FOUND = 59;
const DUPLICATE_KEY = 11_000;

const isDuplicate = (error: unknown) => (error as { code?: unknown } | null)?.code === DUPLICATE_KEY;
