import { challenge, client, redirectUri, requiredScope, verifier } from './fixtures.js';

// Returns the request that an adapter has after body parsing: six lower-case headers, a method, a query and a body.

export function guardedRequest(token) {
  return {
    method: 'GET',
    headers: {
      host: 'api.example.com',
      authorization: flat(`Bearer ${token}`),
      'user-agent': 'bench/1.0 (node)',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      connection: 'keep-alive',
    },
    query: {},
    body: {},
  };
}

export function tokenRequest(body, { id, secret } = client) {
  return {
    method: 'POST',
    headers: {
      host: 'auth.example.com',
      authorization: flat(`Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`),
      'user-agent': 'bench/1.0 (node)',
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(new URLSearchParams(body).toString().length),
    },
    query: {},
    body,
  };
}

export function clientCredentialsRequest(by = client) {
  return tokenRequest({ grant_type: 'client_credentials', scope: requiredScope }, by);
}

export function codeRequest(code, properties) {
  return tokenRequest({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...properties,
  });
}

export function refreshRequest(refreshToken) {
  return tokenRequest({ grant_type: 'refresh_token', refresh_token: refreshToken });
}

export function authorizeRequest(properties, { id } = client) {
  return {
    method: 'GET',
    headers: {
      host: 'auth.example.com',
      cookie: 'session=5f0c1b0e8f1d4b6f9b1c',
      'user-agent': 'bench/1.0 (node)',
      accept: 'text/html',
      'accept-language': 'en',
      'accept-encoding': 'gzip, deflate, br',
    },
    query: {
      response_type: 'code',
      client_id: id,
      redirect_uri: redirectUri,
      scope: requiredScope,
      state: 'af0ifjsldkj',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...properties,
    },
    body: {},
  };
}

/** Returns a flat string. Otherwise, V8 would flatten a concatenated string within the measured time. */
function flat(text) {
  return Buffer.from(text).toString('latin1');
}
