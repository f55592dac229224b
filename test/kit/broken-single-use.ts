import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_SINGLE_USE: readonly BrokenModel[] = [
  {
    mistake: 'gets a code, then deletes it',
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
    fails: 'lets one of many win who spend an authorization code at once',
    finding: /`revokeAuthorizationCode\(\)` returned true to 40 of 40 callers at once/,
    remedy: /UPDATE codes SET revoked_at = now\(\) WHERE code = \? AND revoked_at IS NULL/,
    leaves: { 'authorization codes': 'best effort', 'refresh tokens': 'atomic' },
  },
  {
    mistake: 'looks whether a refresh token was spent, then marks it',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const spent = honest.refreshTokens.get(refreshToken)?.revokedAt;
        await tick();
        const row = honest.refreshTokens.get(refreshToken);
        if (row) row.revokedAt = new Date();
        return row !== undefined && !spent;
      },
    }),
    fails: 'has the server give tokens once to many who bring one refresh token at once',
    finding: /the server gave tokens to 40 of 40 callers at once/,
    remedy: /findOneAndUpdate|GETDEL/,
    leaves: { 'authorization codes': 'atomic', 'refresh tokens': 'best effort' },
  },
  {
    mistake: 'always says that it revoked a code',
    methods: () => ({ revokeAuthorizationCode: () => true }),
    fails: 'spends an authorization code once',
    finding: /`revokeAuthorizationCode\(\)` returns true again for an authorization code that is spent/,
    remedy: /return whether it changed a row/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'says that it revoked refresh tokens nobody has',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const row = honest.refreshTokens.get(refreshToken);
        if (row?.revokedAt) return false;
        if (row) row.revokedAt = new Date();
        return true;
      },
    }),
    fails: 'spends no refresh token that it never saved',
    finding: /`revokeToken\(\)` returns true for a refresh token that was never saved/,
    remedy: /return whether a row changed, not true/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'revokes, and says nothing',
    methods: (honest) => ({
      revokeToken: async (token) => void (await honest.revokeToken(token)) as never,
    }),
    fails: 'spends a refresh token once',
    finding: /`revokeToken\(\)` returns undefined to the first caller/,
    remedy: /affected rows === 1/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'shares tokens between clients',
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
    fails: 'lets no client use a refresh token of another',
    finding: /client 'tv' gets tokens for the refresh token of client 'Web-App'/,
    remedy: /JOIN clients c ON c.id = t.client_id/,
    leaves: { 'refresh tokens': 'broken' },
  },
];
