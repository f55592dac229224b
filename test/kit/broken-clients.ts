import { Buffer } from 'node:buffer';

import type { BrokenModel } from './broken-model.js';
import { USER } from './correct-model.js';

export const BROKEN_CLIENTS: readonly BrokenModel[] = [
  {
    mistake: 'ignores the case of client ids',
    methods: (honest) => ({
      getClient: (id, secret) => honest.getClient(id.toLowerCase() === 'web-app' ? 'Web-App' : id, secret),
    }),
    fails: 'finds a client only by its exact ID',
    finding: /`getClient\(\)` finds the client 'Web-App' by 'WEB-APP', which is the ID in upper case/,
    remedy: /COLLATE NOCASE/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'compares only the first characters of a secret, as many as the request contains',
    methods: (honest) => ({
      getClient(id, secret) {
        const kept = honest.clients.get(id)?.secrets[0];
        return honest.getClient(id, secret && kept?.startsWith(secret) ? kept : secret);
      },
    }),
    fails: 'rejects a client with a wrong secret',
    finding: /`getClient\(\)` accepts a wrong secret: the correct one without its last character/,
    remedy: /timingSafeEqual/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'accepts any secret of its table',
    methods: (honest) => ({
      getClient(id, secret) {
        const known = [...honest.clients.values()].some(({ secrets }) => secrets.includes(String(secret)));
        return honest.getClient(id, known ? null : secret);
      },
    }),
    fails: 'rejects a client with the secret of another client',
    finding: /`getClient\(\)` accepts the secret of 'tv' for the client 'Web-App'/,
    remedy: /Compare the secret with the hash in the row of this client/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'treats a client without a registered secret as a public client',
    methods: (honest) => ({
      async getClient(id, secret) {
        const client = await honest.getClient(id, secret);
        return client && (secret === null ? { ...client, tokenEndpointAuthMethod: 'none' } : client);
      },
    }),
    fails: 'makes the server reject a token request of a confidential client without its secret',
    finding:
      /The server issues tokens for grant_type=\w+ to a request with the ID of the confidential client 'Web-App' and no secret/,
    remedy: /Read it from the row of the client/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'does not store the code challenge',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, codeChallenge: undefined }, client, user),
    }),
    fails: 'returns the PKCE code challenge that an authorization code was saved with',
    finding: /`getAuthorizationCode\(\)` returns `codeChallenge` undefined\. Saved was '[\w-]{43}'/,
    remedy: /the columns `code_challenge`/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'removes the query from the redirect URI',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, redirectUri: code.redirectUri?.split('?')[0] }, client, user),
    }),
    fails: 'returns the redirect URI that an authorization code was saved with',
    finding:
      /`getAuthorizationCode\(\)` returns `redirectUri` 'https:\/\/client\.example\/callback'\. Saved was 'https:\/\/client\.example\/callback\?tenant=7&next=%2Fhome'/,
    remedy: /a column `redirect_uri`/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'compares only the beginning of redirect URIs',
    methods: () => ({ validateRedirectUri: async (uri) => uri.startsWith('https://app.example') }),
    fails: 'makes the server redirect only to registered redirect URIs of the client',
    finding:
      /The server redirects the user to 'https:\/\/app\.example\.attacker\.example\/callback', which is not registered for the client/,
    remedy: /Do not use startsWith/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'generates sequential tokens',
    methods() {
      let last = 0;
      return { generateAccessToken: async () => Buffer.from(String((last += 1))).toString('base64url') };
    },
    fails: 'generates access tokens that cannot be guessed',
    finding: /`generateAccessToken\(\)` returns 'MQ', which has fewer than 128 random bits/,
    remedy: /randomBytes\(32\)/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'ignores the case of passwords',
    methods: (honest) => ({
      getUser: (username, password) =>
        honest.getUser(username, password.toLowerCase() === 'correct horse' ? USER.password : password),
    }),
    fails: 'rejects a user with a wrong password',
    finding: /`getUser\(\)` accepts a wrong password: the correct one in upper case/,
    remedy: /Verify the whole password/,
    leaves: { passwords: 'broken' },
  },
];
