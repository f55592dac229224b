import { OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { requiredScope, user } from '../fixtures.js';
import { guardedController, start } from '../http/applications.js';
import { applicationName, CONNECTIONS, IDLE, url } from './database.js';

const users = { findById: () => user, findByCredentials: () => user };

/**
 * Starts a Nest application with the module, the guard and the store, configured as in their documentation.
 * @param options `address`: the address of PostgreSQL, if the connections use a proxy
 */
export async function serve({ platform, isChosen = false, batching, address = url }) {
  const prefix = `bench_${process.pid}_`;
  const migrationsTableName = `${prefix}migrations`;
  const source = new DataSource({
    type: 'postgres',
    url: address,
    poolSize: CONNECTIONS,
    applicationName: applicationName(process.pid),
    extra: { idleTimeoutMillis: IDLE },
    entities: oauthEntities({ prefix }),
    migrations: oauthMigrations({ prefix }),
    migrationsTableName,
  });
  await source.initialize();
  await source.runMigrations();
  const model = new TypeOrmStore(source, { users, prefix, batching });
  const given = isChosen ? 'correct-horse-battery-staple' : undefined;
  await model.saveClient({ id: 'web', grants: ['client_credentials'], scopes: [requiredScope] });
  const { secret } = await model.rotateClientSecret('web', { secret: given });
  const app = await start(platform, {
    imports: [OAuth2Module.forRoot({ model })],
    controllers: [guardedController(OAuthGuard, Scopes(requiredScope))],
  });
  return {
    url: await app.getUrl(),
    client: { id: 'web', secret },
    async close() {
      await app.close();
      await source.undoLastMigration();
      await source.query(`DROP TABLE ${migrationsTableName}`);
      await source.destroy();
    },
  };
}
