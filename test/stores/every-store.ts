import { hasMongo, mongoUrl, openMongo } from '../support/environment/mongo-server.js';
import { type AnyStore, IN_MEMORY, type KindOfStore, type OpenStore, users, WEB } from './in-memory.js';
import type { Connected } from './redis-server.js';
import { findDatabasesInTurn, open, ownPrefix } from './typeorm-databases.js';

export { type AnyStore, type KindOfStore, type OpenStore, WEB };

/**
 * Returns the stores whose database is available: one of each kind, and one on each SQL database.
 * @param findDatabases selects the libraries of the SQL databases
 */
export async function findStores(findDatabases = findDatabasesInTurn): Promise<KindOfStore[]> {
  const databases = await findDatabases();
  const { findRedis } = await import('./redis-server.js');
  const redis = await findRedis();
  return [
    IN_MEMORY,
    ...databases.map((each) => ({ name: each.name, open: () => openDatabase(each) })),
    ...redis.map((url) => ({ name: 'Redis', open: () => openRedis(url) })),
    ...(hasMongo() ? [{ name: 'Mongoose', open: openMongoose }] : []),
  ];
}

/** Opens all of these stores, one after the other: a busy database server lets too many new connections wait. */
export async function openEveryStore(): Promise<(OpenStore & { name: string })[]> {
  const opened: (OpenStore & { name: string })[] = [];
  for (const kind of await findStores()) opened.push({ name: kind.name, ...(await kind.open()) });
  return opened;
}

let count = 0;

async function openDatabase(database: Parameters<typeof open>[0]): Promise<OpenStore> {
  const opened = await open(database, ownPrefix(`every${count++}`), { store: { users } });
  await opened.store.saveClient(WEB);
  const { store: another } = await opened.another();
  // Prisma connects at the first call. On a busy machine, that took 12 seconds of a test that measures seconds.
  await another.ping();
  return { store: opened.store, another, close: opened.close };
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
