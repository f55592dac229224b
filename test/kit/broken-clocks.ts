import type { BrokenModel } from './broken-model.js';

export const BROKEN_CLOCKS: readonly BrokenModel[] = [
  {
    mistake: 'spends a refresh token by letting it expire',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const row = honest.refreshTokens.get(refreshToken);
        if (!row || row.refreshTokenExpiresAt! <= new Date()) return false;
        row.refreshTokenExpiresAt = new Date();
        return true;
      },
    }),
    fails: 'spends a refresh token once for processes whose clocks differ',
    finding: /`revokeToken\(\)` returns true again for a refresh token .+ by a process whose clock is 5 seconds ahead/,
    remedy: /Never mark something as spent by an `expires_at` of now/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'takes a code for spent once the moment of that has come',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const row = honest.codes.get(authorizationCode);
        if (!row || (row.revokedAt && row.revokedAt <= new Date())) return false;
        row.revokedAt = new Date();
        return true;
      },
    }),
    fails: 'spends an authorization code once for processes whose clocks differ',
    finding: /`revokeAuthorizationCode\(\)` returns true again .+ whose clock is 5 seconds ahead/,
    remedy: /`revoked_at IS NULL` is alive and anything else is spent/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'ends of a family what is older than the moment of that',
    methods(honest) {
      const ends = new Map<unknown, Date>();
      const isOver = (token: { grantId?: string } | undefined) =>
        (ends.get(token?.grantId) ?? 0) >= (token as { savedAt?: Date }).savedAt!;
      return {
        saveToken: (token, client, user) => honest.saveToken({ ...token, savedAt: new Date() }, client, user),
        async getAccessToken(token) {
          const found = await honest.getAccessToken(token);
          return found && !isOver(found) ? found : undefined;
        },
        revokeGrant: (grantId) => ends.set(grantId, new Date()),
      };
    },
    fails: 'ends a family for processes whose clocks differ',
    finding: /an access token that a process whose clock is 5 seconds ahead has issued outlives its family/,
    remedy: /let a mark on the grant decide, not a comparison of moments/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'counts by the clock of each process how long ago a refresh token was spent',
    methods: (honest) => ({
      async getRefreshToken(token) {
        const found = await honest.getRefreshToken(token);
        if (!found?.revokedAt) return found;
        return { ...found, revokedAgo: Math.max(0, Date.now() - found.revokedAt.getTime()) / 1000 };
      },
    }),
    fails: 'counts by one clock how long ago a refresh token was spent',
    finding:
      /returns `revokedAgo` 5\.?\d* for what was spent at most \d\.\d seconds ago by a process whose clock is 5 seconds b/,
    remedy: /let the database subtract, or leave `revokedAgo` out/,
    leaves: { 'token families': 'broken', 'refresh tokens': 'atomic' },
  },
];
