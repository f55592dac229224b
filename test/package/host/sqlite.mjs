// Usage: node sqlite.mjs DRIVER. Runs the model contract on a SQLite file with this driver.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSecret, oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { checkModel } from 'nest-oauth2/testing';
import typeorm from 'typeorm';

const { default: driver } = await import(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-'));
const dataSource = new typeorm.DataSource({
  type: 'better-sqlite3',
  driver,
  database: join(folder, 'oauth.sqlite'),
  enableWAL: true,
  entities: oauthEntities(),
  migrations: oauthMigrations(),
  migrationsRun: true,
});
await dataSource.initialize();

const client = { id: 'demo', secret: 'demo-secret' };
const users = { findByCredentials: () => undefined, findById: (id) => ({ id }) };
const model = new TypeOrmStore(dataSource, { users });
const grants = ['authorization_code', 'refresh_token'];
const redirectUris = ['https://app.example/callback'];
await model.saveClient({ id: client.id, secretHashes: [await hashSecret(client.secret)], grants, redirectUris });

const { ok, guarantees } = await checkModel(() => ({ model, client }));
await dataSource.destroy();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ ok, codes: guarantees['authorization codes'] }));
