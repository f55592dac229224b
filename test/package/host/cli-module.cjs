// The modules of an application as a compiler of decorators leaves them, with a store whose clients outlive a process: in a file.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

exports.makeModules = function makeModules({ OAuth2Module }, { MemoryStore }, { Module }, file) {
  const users = { findByCredentials: () => undefined, findById: () => undefined };
  const open = (path) => {
    const clients = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
    const store = new MemoryStore({ clients, users });
    const { storage } = store;
    const keep = () => writeFileSync(path, JSON.stringify([...storage.clients.values()].map(({ client }) => client)));
    for (const name of ['saveClient', 'removeClient']) {
      const step = storage[name].bind(storage);
      storage[name] = (...given) => {
        const done = step(...given);
        keep();
        return done;
      };
    }
    return store;
  };
  class AppModule {
    onModuleInit() {
      console.log('a host that talks');
    }
  }
  const imports = [
    OAuth2Module.forRoot({ model: open(file) }),
    OAuth2Module.forRoot({ name: 'partners', paths: { prefix: 'partners' }, model: open(`${file}.partners`) }),
  ];
  Module({ imports })(AppModule);
  // What keeps a process alive.
  setInterval(() => undefined, 1e6);
  return { AppModule, store: open(file) };
};
