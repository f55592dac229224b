import { MemoryStore } from 'nest-oauth2/stores/memory';
import { checkModel } from 'nest-oauth2/testing';

const grants = ['authorization_code', 'refresh_token'];
const clients = [{ id: 'demo', secret: 'demo-secret', grants, redirectUris: ['https://app.example/callback'] }];
const users = { findByCredentials: () => undefined, findById: (id) => ({ id }) };

const makeModel = () => ({ model: new MemoryStore({ clients, users }), client: { id: 'demo', secret: 'demo-secret' } });
const { ok, guarantees } = await checkModel(makeModel);
console.log(JSON.stringify({ ok, codes: guarantees['authorization codes'] }));
