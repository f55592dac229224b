import { isAlive, isText, Refusal, validScope, verifyChallenge } from './checks.js';
import { randomToken } from './random.js';

const BASIC = /^Basic ([A-Za-z\d+/]+=*)$/i;

export function tokenEndpoint(model) {
  const grants = new Map([
    ['client_credentials', clientCredentials],
    ['authorization_code', authorizationCode],
    ['refresh_token', refreshToken],
  ]);

  return async function token({ method, headers, body }) {
    if (method !== 'POST') throw new Refusal(400, 'invalid_request');
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      throw new Refusal(400, 'invalid_request');
    }
    const client = await findClient(headers.authorization);
    const grant = grants.get(body.grant_type);
    if (!grant) throw new Refusal(400, 'unsupported_grant_type');
    if (!client.grants.includes(body.grant_type)) throw new Refusal(400, 'unauthorized_client');
    const saved = await grant(body, client);
    return {
      status: 200,
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      body: {
        access_token: saved.accessToken,
        token_type: 'Bearer',
        expires_in: Math.floor((saved.accessTokenExpiresAt - Date.now()) / 1000),
        refresh_token: saved.refreshToken,
        scope: saved.scope,
      },
    };
  };

  async function findClient(authorization) {
    const match = BASIC.exec(authorization ?? '');
    if (!match) throw new Refusal(401, 'invalid_client');
    const credentials = Buffer.from(match[1], 'base64').toString();
    const colon = credentials.indexOf(':');
    const id = formDecode(credentials.slice(0, colon));
    const secret = formDecode(credentials.slice(colon + 1));
    if (colon < 1 || !isText(id) || !isText(secret)) throw new Refusal(401, 'invalid_client');
    const client = await model.getClient(id, secret);
    if (!client) throw new Refusal(401, 'invalid_client');
    return client;
  }

  async function clientCredentials({ scope }, client) {
    const user = await model.getUserFromClient(client);
    if (!user) throw new Refusal(400, 'invalid_grant');
    return model.saveToken(newAccessToken(await validScope(model, user, client, scope)), client, user);
  }

  async function authorizationCode(body, client) {
    if (!isText(body.code)) throw new Refusal(400, 'invalid_request');
    const code = await model.getAuthorizationCode(body.code);
    if (code?.client.id !== client.id || !isAlive(code.expiresAt)) throw new Refusal(400, 'invalid_grant');
    // Consume the code before the verifier is checked, so that a second guess of the verifier is impossible.
    if (!(await model.revokeAuthorizationCode(code))) throw new Refusal(400, 'invalid_grant');
    if (code.codeChallenge) verifyChallenge(code.codeChallenge, body.code_verifier);
    if (code.redirectUri !== body.redirect_uri) throw new Refusal(400, 'invalid_grant');
    const scope = await validScope(model, code.user, client, code.scope);
    return model.saveToken(withRefreshToken(newAccessToken(scope)), client, code.user);
  }

  async function refreshToken(body, client) {
    if (!isText(body.refresh_token)) throw new Refusal(400, 'invalid_request');
    const old = await model.getRefreshToken(body.refresh_token);
    if (old?.client.id !== client.id || !isAlive(old.refreshTokenExpiresAt)) throw new Refusal(400, 'invalid_grant');
    if (!(await model.revokeToken(old))) throw new Refusal(400, 'invalid_grant');
    return model.saveToken(withRefreshToken(newAccessToken(old.scope)), client, old.user);
  }
}

function newAccessToken(scope) {
  return { accessToken: randomToken(), accessTokenExpiresAt: new Date(Date.now() + 3_600_000), scope };
}

function withRefreshToken(token) {
  token.refreshToken = randomToken();
  token.refreshTokenExpiresAt = new Date(Date.now() + 1_209_600_000);
  return token;
}

function formDecode(text) {
  return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
}
