import { randomBytes } from 'node:crypto';
import { newCode, newToken } from './fixtures.js';
import { authorizeRequest, clientCredentialsRequest, codeRequest, guardedRequest, refreshRequest } from './requests.js';

/** Number of different requests that are used in turn for operations whose requests can be repeated. */
const RING = 1024;

/**
 * The measured operations. `prepare` fills the candidate's store and returns the requests of one block. It is not
 * measured. Every response of a block must have `status`.
 */
export const operations = {
  'authenticate-valid': {
    title: 'authenticate, valid token, one scope, both headers',
    call: 'authenticate',
    status: 200,
    iterations: 20_000,
    prepare: (count, store) =>
      ring(count, () => guardedRequest(store.addToken(newToken({ refreshToken: undefined })).accessToken)),
  },
  'authenticate-unknown': {
    title: 'authenticate, unknown token (rejected)',
    call: 'authenticate',
    status: 401,
    iterations: 10_000,
    prepare: (count) => ring(count, () => guardedRequest(randomBytes(32).toString('hex'))),
  },
  'token-client-credentials': {
    title: 'token, client_credentials, Basic',
    call: 'token',
    status: 200,
    iterations: 4_000,
    prepare: (count) => ring(count, () => clientCredentialsRequest()),
  },
  'token-authorization-code': {
    title: 'token, authorization_code + PKCE S256',
    call: 'token',
    status: 200,
    iterations: 4_000,
    prepare: (count, store) => fill(count, () => codeRequest(store.addCode(newCode()).authorizationCode)),
  },
  'token-refresh': {
    title: 'token, refresh_token with rotation',
    call: 'token',
    status: 200,
    iterations: 4_000,
    prepare: (count, store) => fill(count, () => refreshRequest(store.addToken(newToken()).refreshToken)),
  },
  'authorize-code': {
    title: 'authorize, response_type=code',
    call: 'authorize',
    status: 302,
    iterations: 4_000,
    prepare: (count) => ring(count, () => authorizeRequest()),
  },
};

function fill(count, make) {
  return Array.from({ length: count }, make);
}

function ring(count, make) {
  const requests = fill(Math.min(count, RING), make);
  return fill(count, (_, index) => requests[index % requests.length]);
}
