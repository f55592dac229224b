// A signed token, and an API that checks it by itself: with what either format has of the entry.
exports.signAndCheck = async function signAndCheck({ OAuth2Server, Request, Response }, { MemoryStore }, jose) {
  const { generateKeyPairSync } = require('node:crypto');
  const issuer = 'https://id.example.com';
  const from = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })];
  const users = { findByCredentials: () => null, findById: () => null };
  const clients = [{ id: 'demo', secret: 'demo-secret', grants: ['client_credentials'] }];
  const features = [jose.keys({ from }), jose.jwtAccessTokens()];
  const server = new OAuth2Server({ model: new MemoryStore({ clients, users }), issuer, features });
  const ask = async (call, request) => {
    const response = new Response();
    await call(new Request({ query: {}, headers: {}, ...request }), response);
    return response.body;
  };
  const authorization = `Basic ${Buffer.from('demo:demo-secret').toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  const body = { grant_type: 'client_credentials' };
  const { access_token } = await ask((...of) => server.token(...of), { method: 'POST', headers, body });
  const jwks = await ask((...of) => server.handle('jwks', ...of), { method: 'GET' });
  const found = await new jose.JwtTokens({ issuer, audience: issuer, jwks }).getAccessToken(access_token);
  return { client: found.client.id, iss: found.iss };
};
