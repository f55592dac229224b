import { user } from '../../fixtures.js';
import { isText, Refusal, validScope } from './checks.js';
import { randomToken } from './random.js';

const CHALLENGE = /^[\w-]{43}$/;

export function authorizationEndpoint(model) {
  return async function authorize({ query }) {
    const { client_id: id, redirect_uri: redirectUri, state, code_challenge: codeChallenge } = query;
    if (!isText(id)) throw new Refusal(400, 'invalid_request');
    const client = await model.getClient(id, null);
    if (!client?.redirectUris.includes(redirectUri)) throw new Refusal(400, 'invalid_client');
    if (query.allowed === 'false') throw new Refusal(400, 'access_denied');
    if (!client.grants.includes('authorization_code')) throw new Refusal(400, 'unauthorized_client');
    if (query.response_type !== 'code') throw new Refusal(400, 'unsupported_response_type');
    if (!isText(state)) throw new Refusal(400, 'invalid_request');
    if (!isText(codeChallenge) || !CHALLENGE.test(codeChallenge) || query.code_challenge_method !== 'S256') {
      throw new Refusal(400, 'invalid_request');
    }

    const owner = await findUser();
    const code = {
      authorizationCode: randomToken(),
      expiresAt: new Date(Date.now() + 300_000),
      redirectUri,
      scope: await validScope(model, owner, client, query.scope),
      codeChallenge,
      codeChallengeMethod: 'S256',
    };
    const saved = await model.saveAuthorizationCode(code, client, owner);
    const separator = redirectUri.includes('?') ? '&' : '?';
    const parameters = `code=${encodeURIComponent(saved.authorizationCode)}&state=${encodeURIComponent(state)}`;
    const headers = { 'cache-control': 'no-store', location: redirectUri + separator + parameters };
    return { status: 302, headers, body: {} };
  };
}

async function findUser() {
  return user;
}
