import { Buffer } from 'node:buffer';

import type { BrokenModel } from './broken-model.js';
import { USER } from './correct-model.js';

export const BROKEN_CLIENTS: readonly BrokenModel[] = [
  {
    mistake: 'folds the case of client ids',
    methods: (honest) => ({
      getClient: (id, secret) => honest.getClient(id.toLowerCase() === 'web-app' ? 'Web-App' : id, secret),
    }),
    fails: 'finds a client by its very id',
    finding: /finds the client 'Web-App' by 'WEB-APP', in capitals/,
    remedy: /COLLATE NOCASE/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'compares as much of a secret as it is given',
    methods: (honest) => ({
      getClient(id, secret) {
        const kept = honest.clients.get(id)?.secrets[0];
        return honest.getClient(id, secret && kept?.startsWith(secret) ? kept : secret);
      },
    }),
    fails: 'refuses a client with a wrong secret',
    finding: /takes a secret that is wrong: the right one without its last character/,
    remedy: /timingSafeEqual/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'takes any secret of its table',
    methods: (honest) => ({
      getClient(id, secret) {
        const known = [...honest.clients.values()].some(({ secrets }) => secrets.includes(String(secret)));
        return honest.getClient(id, known ? null : secret);
      },
    }),
    fails: 'refuses a client with the secret of another',
    finding: /the secret of 'tv' opens 'Web-App'/,
    remedy: /look for id and secret in one row/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'takes a client without a secret for a public one',
    methods: (honest) => ({
      async getClient(id, secret) {
        const client = await honest.getClient(id, secret);
        return client && (secret === null ? { ...client, tokenEndpointAuthMethod: 'none' } : client);
      },
    }),
    fails: 'has the server refuse a client that owes its secret and brings none',
    finding: /the server gives tokens by `\w+` to whoever says 'Web-App' and brings no secret/,
    remedy: /read it from the client's row/,
    leaves: { 'client authentication': 'broken' },
  },
  {
    mistake: 'drops the code challenge',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, codeChallenge: undefined }, client, user),
    }),
    fails: 'keeps the code challenge of PKCE',
    finding: /returns `codeChallenge` undefined for '[\w-]{43}'/,
    remedy: /columns `code_challenge`/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'cuts the redirect URI off at its query',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, redirectUri: code.redirectUri?.split('?')[0] }, client, user),
    }),
    fails: 'keeps the redirect URI of an authorization code',
    finding: /returns `redirectUri` 'https:\/\/client\.example\/callback' for/,
    remedy: /a column `redirect_uri`/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'compares the beginning of redirect URIs',
    methods: () => ({ validateRedirectUri: async (uri) => uri.startsWith('https://app.example') }),
    fails: 'trusts no redirect URI but those of the client',
    finding: /the server sends the user to 'https:\/\/app\.example\.attacker\.example\/callback'/,
    remedy: /no startsWith/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'numbers its tokens',
    methods() {
      let last = 0;
      return { generateAccessToken: async () => Buffer.from(String((last += 1))).toString('base64url') };
    },
    fails: 'makes access tokens that nobody can guess',
    finding: /`generateAccessToken\(\)` returns 'MQ': fewer than 128 random bits/,
    remedy: /randomBytes\(32\)/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'folds the case of passwords',
    methods: (honest) => ({
      getUser: (username, password) =>
        honest.getUser(username, password.toLowerCase() === 'correct horse' ? USER.password : password),
    }),
    fails: 'refuses a user with a wrong password',
    finding: /takes a password that is wrong: the right one in capitals/,
    remedy: /verify the whole password/,
    leaves: { passwords: 'broken' },
  },
];
