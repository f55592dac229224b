import { setImmediate as tick } from 'node:timers/promises';

import type { BrokenModel } from './broken-model.js';

export const BROKEN_REPLAYS: readonly BrokenModel[] = [
  {
    mistake: 'keeps only the last used refresh token of a family',
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
    fails: 'lets the server revoke the whole family when a refresh token is replayed after several rotations',
    finding: /A replay of the refresh token three rotations later is not detected: the access token is still accepted/,
    remedy: /Keep every used row until it expires/,
    leaves: { 'token families': 'broken', 'refresh tokens': 'atomic' },
  },
  {
    mistake: 'deletes a code when its first refresh token is used',
    methods: (honest) => ({
      async revokeToken({ refreshToken, grantId }) {
        for (const [code, row] of honest.codes) if (row.grantId === grantId) honest.codes.delete(code);
        return honest.revokeToken({ refreshToken });
      },
    }),
    fails: 'lets the server revoke the whole family when an authorization code is replayed after several rotations',
    finding:
      /A replay of the authorization code three rotations later is not detected: the access token is still accepted/,
    remedy: /Delete rows only WHERE expires_at < now\(\)/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'revokes the family as soon as a used code is looked up',
    methods: (honest) => ({
      async getAuthorizationCode(code) {
        const found = await honest.getAuthorizationCode(code);
        if (found?.revokedAt) await honest.revokeGrant(found.grantId!);
        return found;
      },
    }),
    fails:
      'keeps the family valid when a used authorization code arrives without its code verifier or after its expiry',
    finding:
      /The family was revoked because a used code was sent without its code verifier\. It must be revoked only if the request is otherwise valid/,
    remedy: /the server calls `revokeGrant\(\)` when it detects a replay/,
    leaves: { 'token families': 'broken', 'authorization codes': 'atomic' },
  },
  {
    mistake: 'extends the expiry of a code when it is consumed',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const won = await honest.revokeAuthorizationCode({ authorizationCode });
        const row = honest.codes.get(authorizationCode);
        if (won && row) row.expiresAt = new Date(row.expiresAt.getTime() + 86_400_000);
        return won;
      },
    }),
    fails:
      'keeps the family valid when a used authorization code arrives without its code verifier or after its expiry',
    finding:
      /The family was revoked because a used code was sent after its expiry\. An expired code must not revoke anything/,
    remedy: /Do not change `expiresAt` of a used code/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'removes the code challenge of a consumed code',
    methods: (honest) => ({
      async revokeAuthorizationCode({ authorizationCode }) {
        const won = await honest.revokeAuthorizationCode({ authorizationCode });
        if (won) Object.assign(honest.codes.get(authorizationCode)!, { codeChallenge: null });
        return won;
      },
    }),
    fails: 'returns a used authorization code with its expiry, redirect URI and PKCE challenge unchanged',
    finding: /`getAuthorizationCode\(\)` returns `codeChallenge` null for a used code\. Saved was '[\w-]{43}'/,
    remedy: /Mark the row as used and change nothing else/,
    leaves: { 'token families': 'broken' },
  },
  {
    mistake: 'looks the grant up, and creates it in a second step if it is missing',
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
    fails: 'saves all tokens when many callers save the first token of a grant concurrently',
    finding:
      /39 of 40 tokens that were saved concurrently with a new grant could not be saved: Error: Unique constraint failed on the fields: \(`id`\)/,
    remedy: /createMany\(\{ data, skipDuplicates: true \}\)/,
    leaves: { 'token families': 'best effort', 'refresh tokens': 'atomic' },
  },
];
