// What the command `prove` examines: an application whose key is in `private.json`, and a store in the SQLite file of `--empty`.
const { readFileSync } = require('node:fs');

exports.makeProof = function makeProof({ common, core, oauth, jose, memory, typeorm: stores, library, driver }) {
  const users = { findById: (id) => ({ id }), findByCredentials: () => undefined };
  class AppModule {}
  const imports = [
    oauth.OAuth2Module.forRoot({
      model: new memory.MemoryStore({ users, clients: [] }),
      secret: 'a secret of thirty-two characters',
      issuer: 'https://id.company.com',
      interaction: null,
      features: [jose.keys({ from: [JSON.parse(readFileSync('private.json', 'utf8'))] })],
    }),
  ];
  common.Module({ imports })(AppModule);
  return {
    application: () => core.NestFactory.create(AppModule, { logger: false }),
    lab: { signIn: false, scopes: ['notes:read'] },
    store: async (file) => {
      const [entities, migrations] = [stores.oauthEntities(), stores.oauthMigrations()];
      const settings = { type: 'better-sqlite3', driver, database: file, enableWAL: true };
      const database = new library.DataSource({ ...settings, entities, migrations, migrationsRun: true });
      await database.initialize();
      const model = new stores.TypeOrmStore(database, { users, deadline: 50 });
      return { model, cleanUp: () => database.destroy() };
    },
  };
};
