const { MemoryStore } = require('nest-oauth2/stores/memory');
const { checkModel } = require('nest-oauth2/testing');

const grants = ['authorization_code', 'refresh_token'];
const clients = [{ id: 'demo', secret: 'demo-secret', grants, redirectUris: ['https://app.example/callback'] }];
const users = { findByCredentials: () => undefined, findById: (id) => ({ id }) };

const makeModel = () => ({ model: new MemoryStore({ clients, users }), client: { id: 'demo', secret: 'demo-secret' } });
void checkModel(makeModel).then(({ ok, guarantees }) =>
  console.log(JSON.stringify({ ok, codes: guarantees['authorization codes'] })),
);
