import type { BrokenModel } from './broken-model.js';

export const BROKEN_CLOCKS: readonly BrokenModel[] = [
  {
    mistake: 'consumes a refresh token by setting its expiry to the current time',
    methods: (honest) => ({
      async revokeToken({ refreshToken }) {
        const row = honest.refreshTokens.get(refreshToken);
        if (!row || row.refreshTokenExpiresAt! <= new Date()) return false;
        row.refreshTokenExpiresAt = new Date();
        return true;
      },
    }),
    fails: 'accepts a refresh token once, even if the clocks of processes differ',
    finding: /`revokeToken\(\)` returns true again for a refresh token .+ by a process whose clock is 5 seconds ahead/,
    remedy: /Never set `expires_at` to now to mark a row as used/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'treats a code as consumed only after the stored time of consumption',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const row = honest.codes.get(authorizationCode);
        if (!row || (row.revokedAt && row.revokedAt <= new Date())) return false;
        row.revokedAt = new Date();
        return true;
      },
    }),
    fails: 'accepts an authorization code once, even if the clocks of processes differ',
    finding: /`revokeAuthorizationCode\(\)` returns true again .+ whose clock is 5 seconds ahead/,
    remedy: /`revoked_at IS NULL` means unused/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'revokes only those tokens of a family that are older than the revocation by the clock of the process',
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
    fails: 'revokes all tokens of a family, even if the clocks of processes differ',
    finding:
      /The server accepts an access token that was issued by a process whose clock is 5 seconds ahead, although the family was revoked after the token was saved/,
    remedy: /Decide by a mark on the grant, never by comparing times/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'measures the age of a used refresh token with the clock of each process',
    methods: (honest) => ({
      async getRefreshToken(token) {
        const found = await honest.getRefreshToken(token);
        if (!found?.revokedAt) return found;
        return { ...found, revokedAgo: Math.max(0, Date.now() - found.revokedAt.getTime()) / 1000 };
      },
    }),
    fails: 'returns in `revokedAgo` how long ago a refresh token was used, even if the clocks of processes differ',
    finding:
      /returns `revokedAgo` 5\.?\d* for a token that a process whose clock is 5 seconds behind used at most \d\.\d seconds ago/,
    remedy: /Let the database subtract the times, or omit `revokedAgo`/,
    leaves: { 'token families': 'broken', 'refresh tokens': 'atomic' },
  },
];
