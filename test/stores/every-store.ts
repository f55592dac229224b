import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { MongooseStore } from 'nest-oauth2/stores/mongoose';
import type { RedisStore } from 'nest-oauth2/stores/redis';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { hasMongo, mongoUrl, openMongo } from '../support/environment/mongo-server.js';
import type { Connected } from './redis-server.js';
import { findSelectedDatabases, open, ownPrefix, users, WEB } from './typeorm-databases.js';

export type AnyStore = MemoryStore | MongooseStore | RedisStore | TypeOrmStore;

export interface OpenStore {
  store: AnyStore;
  /** Another store on the same data, as another process has it. In memory it is the same store. */
  another: AnyStore;
  close(): Promise<unknown>;
}

export interface KindOfStore {
  name: string;
  open(): Promise<OpenStore>;
}

export { WEB };

/**
 * Returns the stores whose database is available: by default one of each kind, and `TypeOrmStore` on each SQL database.
 * @param libraries `others` selects the stores of Drizzle and Prisma on each SQL database, and no other store. `all`
 * selects both.
 */
export async function findStores(libraries = process.env['TEST_LIBRARIES']): Promise<KindOfStore[]> {
  const databases = await findSelectedDatabases(libraries);
  const opened = databases.map((each) => ({ name: each.name, open: () => openDatabase(each) }));
  if (libraries === 'others') return opened;
  const { findRedis } = await import('./redis-server.js');
  const redis = await findRedis();
  return [
    { name: 'memory', open: openMemory },
    ...opened,
    ...redis.map((url) => ({ name: 'Redis', open: () => openRedis(url) })),
    ...(hasMongo() ? [{ name: 'Mongoose', open: openMongoose }] : []),
  ];
}

async function openMemory(): Promise<OpenStore> {
  const store = new MemoryStore({ clients: [WEB], users });
  return { store, another: store, close: async () => undefined };
}

let count = 0;

async function openDatabase(database: Parameters<typeof open>[0]): Promise<OpenStore> {
  const opened = await open(database, ownPrefix(`every${count++}`), { store: { users } });
  await opened.store.saveClient(WEB);
  return { store: opened.store, another: (await opened.another()).store, close: opened.close };
}

async function openRedis(url: string): Promise<OpenStore> {
  const { RedisStore } = await import('nest-oauth2/stores/redis');
  const { DRIVERS, Keys } = await import('./redis-server.js');
  const keys = new Keys([url]);
  const [one, other] = await Promise.all(DRIVERS.map(([, connect]) => connect([url])));
  const make = ({ client }: Connected) => new RedisStore({ client, users, prefix: keys.prefix, deadline: 50 });
  const store = make(one!);
  await store.saveClient(WEB);
  const close = async () => {
    await keys.remove();
    await Promise.all([one!.close(), other!.close()]);
  };
  return { store, another: make(other!), close };
}

async function openMongoose(): Promise<OpenStore> {
  const { MongooseStore } = await import('nest-oauth2/stores/mongoose');
  const connection = await openMongo(await mongoUrl());
  const other = await openMongo(await mongoUrl(), { dbName: connection.name });
  const [store, another] = [connection, other].map((each) => new MongooseStore(each, { users, deadline: 50 }));
  await store!.saveClient(WEB);
  const close = async () => {
    await connection.dropDatabase();
    await Promise.all([connection.close(), other.close()]);
  };
  return { store: store!, another: another!, close };
}
