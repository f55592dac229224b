import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_REPLAYS: readonly BrokenModel[] = [
  {
    mistake: 'keeps of a family only the refresh token that was spent last',
    methods(honest) {
      const lastSpent = new Map<unknown, string>();
      return {
        async revokeToken({ refreshToken, grantId }) {
          if (!(await honest.revokeToken({ refreshToken }))) return false;
          honest.refreshTokens.delete(lastSpent.get(grantId) ?? '');
          lastSpent.set(grantId, refreshToken);
          return true;
        },
      };
    },
    fails: 'ends the whole family when a refresh token is used again, generations later',
    finding: /the refresh token is forgotten three generations later: the access token is still let in/,
    remedy: /keep every spent row until it expires/,
    leaves: { 'token families': 'broken', 'refresh tokens': 'atomic' },
  },
  {
    mistake: 'forgets a code when its first refresh token is spent',
    methods: (honest) => ({
      async revokeToken({ refreshToken, grantId }) {
        for (const [code, row] of honest.codes) if (row.grantId === grantId) honest.codes.delete(code);
        return honest.revokeToken({ refreshToken });
      },
    }),
    fails: 'ends the whole family when an authorization code is used again, generations later',
    finding: /the authorization code is forgotten three generations later: the access token is still let in/,
    remedy: /no DELETE but WHERE expires_at < now\(\)/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'ends the family itself when it finds a code that is spent',
    methods: (honest) => ({
      async getAuthorizationCode(code) {
        const found = await honest.getAuthorizationCode(code);
        if (found?.revokedAt) await honest.revokeGrant(found.grantId!);
        return found;
      },
    }),
    fails: 'ends no family by a spent authorization code that comes without its proof, or too late',
    finding: /a spent code that comes without its verifier ends the family/,
    remedy: /the server calls `revokeGrant\(\)` once it knows that it was a replay/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'lets a code live for another day once it is spent',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const won = await honest.revokeAuthorizationCode({ authorizationCode });
        const row = honest.codes.get(authorizationCode);
        if (won && row) row.expiresAt = new Date(row.expiresAt.getTime() + 86_400_000);
        return won;
      },
    }),
    fails: 'ends no family by a spent authorization code that comes without its proof, or too late',
    finding: /a spent code that comes after it has expired ends the family/,
    remedy: /`expiresAt` of a spent code stays what it was/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'clears the challenge of a code that is spent',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const won = await honest.revokeAuthorizationCode({ authorizationCode });
        if (won) Object.assign(honest.codes.get(authorizationCode)!, { codeChallenge: null });
        return won;
      },
    }),
    fails: 'tells of a spent authorization code what it told of a live one',
    finding: /returns `codeChallenge` null of a spent code for '[\w-]{43}'/,
    remedy: /mark the row as spent and change nothing else of it/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'looks for the grant, and makes it where there is none',
    methods(honest) {
      const grants = new Set<unknown>();
      return {
        async saveToken(token, client, user) {
          const known = grants.has(token['grantId']);
          await tick();
          if (!known && grants.has(token['grantId'])) throw new Error('Unique constraint failed on the fields: (`id`)');
          grants.add(token['grantId']);
          return honest.saveToken(token, client, user);
        },
      };
    },
    fails: 'keeps all tokens that are saved at once on a new grant',
    finding: /39 of 40 tokens saved at once on a new grant were refused: Error: Unique constraint failed/,
    remedy: /createMany\(\{ data, skipDuplicates: true \}\)/,
    leaves: { 'token families': 'best effort', 'refresh tokens': 'atomic' },
  },
];
