/** What the hosts of both formats do with what they have imported; resolves to what came of it. */

const client = { id: 'demo', secret: 'demo-secret', grants: ['client_credentials'] };
const nobody = { findByCredentials: async () => undefined, findById: async () => undefined };
const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };

const makeModel = ({ MemoryStore }) => new MemoryStore({ clients: [client], users: nobody });

async function askEngine({ OAuth2Server, Request, Response }, memory) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  const response = new Response();
  await new OAuth2Server({ model: makeModel(memory) }).token(
    new Request({ method: 'POST', query: {}, headers, body: form }),
    response,
  );
  return { status: response.status, token_type: response.body.token_type };
}

async function askApplication({ OAuth2Module, OAuthGuard, AccessToken }, memory, common, { NestFactory }) {
  // Decorators applied by hand: a host in plain JavaScript has no syntax for them.
  class Api {
    whoami(token) {
      return token.client.id;
    }
  }
  common.Controller('whoami')(Api);
  common.UseGuards(OAuthGuard)(Api);
  common.Get()(Api.prototype, 'whoami', Object.getOwnPropertyDescriptor(Api.prototype, 'whoami'));
  AccessToken()(Api.prototype, 'whoami', 0);

  class App {}
  common.Module({ imports: [OAuth2Module.forRoot({ model: makeModel(memory) })], controllers: [Api] })(App);

  const app = await NestFactory.create(App, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();

  const issued = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { token_type, access_token } = await issued.json();
  const stranger = await fetch(`${url}/whoami`);
  const bearer = await fetch(`${url}/whoami`, { headers: { authorization: `Bearer ${access_token}` } });
  await app.close();

  return {
    token: { status: issued.status, token_type },
    stranger: stranger.status,
    bearer: { status: bearer.status, body: await bearer.text() },
  };
}

module.exports = { askEngine, askApplication };
