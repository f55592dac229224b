import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_FAMILIES: readonly BrokenModel[] = [
  {
    mistake: 'forgets the family',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, grantId: undefined }, client, user),
    }),
    fails: 'goes on finding an authorization code that is spent, with its family and when it was spent',
    finding: /`getAuthorizationCode\(\)` returns `grantId` undefined for '[\da-f-]{36}'/,
    remedy: /returns `grantId` and `revokedAt` until it expires/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'deletes a refresh token when it is spent',
    methods: (honest) => ({ revokeToken: async ({ refreshToken }) => honest.refreshTokens.delete(refreshToken) }),
    fails: 'ends the whole family when a refresh token is used again',
    finding: /the access token that came of the refresh token is still let in/,
    remedy: /keep `grantId` with every code, access and refresh token/,
    leaves: { 'token families': 'broken', 'refresh tokens': 'atomic' },
  },
  {
    mistake: 'revokes only the refresh tokens of a family',
    methods: (honest) => ({
      async revokeGrant(grantId) {
        for (const [token, row] of honest.refreshTokens) {
          if (row.grantId === grantId) honest.refreshTokens.delete(token);
        }
      },
    }),
    fails: 'ends with a family all of its tokens, and no others',
    finding: /an access token of the family is still let in/,
    remedy: /UPDATE access_tokens/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'revokes every token there is',
    methods: (honest) => ({
      async revokeGrant() {
        honest.accessTokens.clear();
        honest.refreshTokens.clear();
      },
    }),
    fails: 'ends with a family all of its tokens, and no others',
    finding: /an access token of another family is not let in any more/,
    remedy: /end them by it/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'saves tokens into a family that was revoked',
    methods: (honest) => ({
      async revokeGrant(grantId) {
        for (const rows of [honest.accessTokens, honest.refreshTokens]) {
          for (const [token, row] of rows) if (row.grantId === grantId) rows.delete(token);
        }
      },
    }),
    fails: 'saves no token into a family that has ended',
    finding: /an access token saved into the ended family is let in/,
    remedy: /remember the revoked family/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'looks whether the family was revoked, then saves',
    methods: (honest) => ({
      async revokeGrant(grantId) {
        honest.ended.add(grantId);
        await tick();
        for (const rows of [honest.accessTokens, honest.refreshTokens]) {
          for (const [token, row] of rows) if (row.grantId === grantId) rows.delete(token);
        }
      },
      async saveToken(token, client, user) {
        const ended = honest.ended.has(String(token['grantId']));
        await tick();
        if (ended) return undefined;
        await tick();
        honest.accessTokens.set(token.accessToken, { ...token, client, user });
        return { ...token, client, user };
      },
      getAccessToken: async (token) => honest.accessTokens.get(token),
      getRefreshToken: undefined,
    }),
    fails: 'leaves no token alive that is saved while its family ends',
    finding: /an access token saved into the ended family is let in/,
    remedy: /SELECT revoked_at FROM grants WHERE id = \? FOR UPDATE/,
    leaves: { 'token families': 'best effort', 'refresh tokens': 'absent' },
  },
];
