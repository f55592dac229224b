import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_FAMILIES: readonly BrokenModel[] = [
  {
    mistake: 'does not store the token family',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, grantId: undefined }, client, user),
    }),
    fails: 'still finds an authorization code after its use, with `grantId` and `revokedAt`',
    finding: /`getAuthorizationCode\(\)` returns `grantId` undefined\. Saved was '[\da-f-]{36}'/,
    remedy: /returns it with `grantId` and `revokedAt`/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'deletes a refresh token when it is consumed',
    methods: (honest) => ({ revokeToken: async ({ refreshToken }) => honest.refreshTokens.delete(refreshToken) }),
    fails: 'lets the server revoke the whole family when a refresh token is replayed',
    finding: /After the replay, the server still accepts the access token that was issued for the refresh token/,
    remedy: /Store `grantId` with every code, access token and refresh token/,
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
    fails: 'revokes all tokens of a family, and no others',
    finding: /The server still accepts an access token of the revoked family/,
    remedy: /UPDATE access_tokens/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'revokes all tokens of all families',
    methods: (honest) => ({
      async revokeGrant() {
        honest.accessTokens.clear();
        honest.refreshTokens.clear();
      },
    }),
    fails: 'revokes all tokens of a family, and no others',
    finding: /Revoking one family also revoked an access token of another family/,
    remedy: /revoke by it/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'saves tokens in a revoked family',
    methods: (honest) => ({
      async revokeGrant(grantId) {
        for (const rows of [honest.accessTokens, honest.refreshTokens]) {
          for (const [token, row] of rows) if (row.grantId === grantId) rows.delete(token);
        }
      },
    }),
    fails: 'saves no valid token into a token family that is already revoked',
    finding: /The server accepts an access token that was saved into a revoked family/,
    remedy: /Store that the family is revoked/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'reads whether the family is revoked, and saves in a second step',
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
    fails: 'saves no valid token into a token family while it is revoked',
    finding: /The server accepts an access token that was saved into a revoked family/,
    remedy: /SELECT revoked_at FROM grants WHERE id = \? FOR UPDATE/,
    leaves: { 'token families': 'best effort', 'refresh tokens': 'absent' },
  },
];
