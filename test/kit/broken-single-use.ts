import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_SINGLE_USE: readonly BrokenModel[] = [
  {
    mistake: 'reads a code, and deletes it in a second step',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const row = honest.codes.get(authorizationCode);
        await tick();
        if (!row || row.revokedAt) return false;
        await tick();
        row.revokedAt = new Date();
        return true;
      },
    }),
    fails: 'marks an authorization code as used for only one of many concurrent callers',
    finding: /`revokeAuthorizationCode\(\)` returned true to 40 of 40 concurrent callers\. Exactly one must succeed/,
    remedy: /UPDATE codes SET revoked_at = now\(\) WHERE code = \? AND revoked_at IS NULL/,
    leaves: { 'authorization codes': 'best effort', 'refresh tokens': 'atomic' },
  },
  {
    mistake: 'reads whether a refresh token was used, and marks it in a second step',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const spent = honest.refreshTokens.get(refreshToken)?.revokedAt;
        await tick();
        const row = honest.refreshTokens.get(refreshToken);
        if (row) row.revokedAt = new Date();
        return row !== undefined && !spent;
      },
    }),
    fails: 'makes the server issue tokens for only one of many concurrent requests with the same refresh token',
    finding: /The server issued tokens to 40 of 40 concurrent requests/,
    remedy: /findOneAndUpdate|GETDEL/,
    leaves: { 'authorization codes': 'atomic', 'refresh tokens': 'best effort' },
  },
  {
    mistake: 'always reports that it revoked a code',
    methods: () => ({ revokeAuthorizationCode: () => true }),
    fails: 'marks an authorization code as used only once',
    finding: /`revokeAuthorizationCode\(\)` returns true again for an authorization code that is already used/,
    remedy: /return whether it changed a row/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'reports that it revoked unknown refresh tokens',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const row = honest.refreshTokens.get(refreshToken);
        if (row?.revokedAt) return false;
        if (row) row.revokedAt = new Date();
        return true;
      },
    }),
    fails: 'returns false when a refresh token that was never saved is to be marked as used',
    finding: /`revokeToken\(\)` returns true for a refresh token that was never saved/,
    remedy: /Return true only if a row was changed/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'revokes without returning a result',
    methods: (honest) => ({
      revokeToken: async (token) => void (await honest.revokeToken(token)) as never,
    }),
    fails: 'marks a refresh token as used only once',
    finding: /`revokeToken\(\)` returns undefined to the first caller/,
    remedy: /affected rows === 1/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'lets a client use the tokens of another one',
    methods(honest) {
      let last: Awaited<ReturnType<typeof honest.getClient>>;
      return {
        getClient: async (id, secret) => (last = await honest.getClient(id, secret)),
        getRefreshToken: async (token) => {
          const found = await honest.getRefreshToken(token);
          return found && { ...found, client: last! };
        },
      };
    },
    fails: 'makes the server reject a refresh token that was issued to another client',
    finding: /The client 'tv' gets tokens for the refresh token of the client 'Web-App'/,
    remedy: /JOIN clients c ON c.id = t.client_id/,
    leaves: { 'refresh tokens': 'broken' },
  },
];
