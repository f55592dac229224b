// The packages of a store are loaded when it is opened, because those of other stores would add to the measured memory.

/** The databases, and their addresses. */
export const databases = {
  postgres: { title: 'PostgreSQL', url: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test' },
  mariadb: { title: 'MariaDB', url: process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306/test' },
  redis: { title: 'Redis', url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' },
};

/**
 * Opens a store with tables or keys of its own.
 * @param options `prefix`: the prefix of tables, and of keys in Redis. `name`: the name under which PostgreSQL lists the
 *   connections. `connections`: the maximum number of connections to an SQL database.
 */
export async function openStore(kind, options) {
  return kind === 'redis' ? openRedis(options) : openSql(kind, options);
}

async function openSql(kind, { prefix, name, users, connections }) {
  const { DataSource } = await import('typeorm');
  const { oauthEntities, oauthMigrations, TypeOrmStore } = await import('nest-oauth2/stores/typeorm');
  const migrationsTableName = `${prefix}migrations`;
  const source = new DataSource({
    type: kind,
    url: databases[kind].url,
    poolSize: connections,
    ...(kind === 'postgres' && { applicationName: name }),
    entities: oauthEntities({ prefix }),
    migrations: oauthMigrations({ prefix }),
    migrationsTableName,
  });
  await source.initialize();
  return {
    model: new TypeOrmStore(source, { users, prefix }),
    create: () => source.runMigrations(),
    async analyze() {
      const command = kind === 'postgres' ? 'ANALYZE' : 'ANALYZE TABLE';
      for (const { tableName } of source.entityMetadatas) await source.query(`${command} ${tableName}`);
    },
    async drop() {
      await source.undoLastMigration();
      await source.query(`DROP TABLE ${migrationsTableName}`);
    },
    close: () => source.destroy(),
  };
}

async function openRedis({ prefix, users }) {
  const { Redis } = await import('ioredis');
  const { RedisStore } = await import('nest-oauth2/stores/redis');
  const client = new Redis(databases.redis.url, { maxRetriesPerRequest: 3 });
  return {
    model: new RedisStore({ client, users, prefix }),
    create: async () => {},
    analyze: async () => {},
    async drop() {
      for await (const keys of client.scanStream({ match: `${prefix}*`, count: 10_000 })) {
        if (keys.length > 0) await client.unlink(...keys);
      }
    },
    close: () => client.quit(),
  };
}
