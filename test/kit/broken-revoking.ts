import type { RevocationModel } from 'nest-oauth2/features';
import type { Token } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

/** Returns a model with this implementation of revokeAccessToken(). */
const revoking = (revokeAccessToken: (token: Token) => unknown) => ({ revokeAccessToken }) satisfies RevocationModel;

/** Deletes the rows of a map that match. */
function drop<T>(rows: Map<string, T>, isOver: (row: T) => boolean): void {
  for (const [key, row] of rows) if (isOver(row)) rows.delete(key);
}

const ONE = 'revokes one access token, and no other token';
const REVOKED = { 'token revocation': 'broken', 'access tokens': 'kept' } as const;
const ISSUED = { 'token families': 'broken', 'token revocation': 'kept' } as const;

/** Returns tokens with another issuer than the saved one. */
const withIssuer = (issuer: string | undefined) => (honest: CorrectModel) => ({
  getAccessToken: async (token: string) => {
    const found = await honest.getAccessToken(token);
    return found && { ...found, issuer };
  },
});

export const BROKEN_REVOKING: readonly BrokenModel[] = [
  {
    mistake: 'marks access tokens as revoked, but still finds them',
    methods: (honest) =>
      revoking(({ accessToken }) => Object.assign(honest.accessTokens.get(accessToken)!, { revokedAt: new Date() })),
    fails: ONE,
    finding: /`getAccessToken\(\)` finds an access token that was revoked: .+revokedAt/,
    remedy: /SELECT … FROM access_tokens WHERE token = \? AND revoked_at IS NULL, in every look-up/,
    leaves: REVOKED,
  },
  {
    mistake: 'revokes all access tokens of the user',
    methods: (honest) => revoking(({ user }) => drop(honest.accessTokens, (row) => row.user['id'] === user['id'])),
    fails: ONE,
    finding: /Revoking one access token also revoked another one/,
    remedy: /the row of this token/,
    leaves: REVOKED,
  },
  {
    mistake: 'also revokes the refresh token',
    methods: (honest) =>
      revoking(({ accessToken }) => {
        honest.accessTokens.delete(accessToken);
        drop(honest.refreshTokens, (row) => 'accessToken' in row && row.accessToken === accessToken);
      }),
    fails: ONE,
    finding: /Revoking an access token also revoked a refresh token/,
    remedy: /DELETE FROM access_tokens WHERE token = \?/,
    leaves: REVOKED,
  },
  {
    mistake: 'throws if the access token does not exist any more',
    methods: (honest) =>
      revoking(async ({ accessToken }) => {
        if (!honest.accessTokens.delete(accessToken)) throw new Error('No record was found for an update');
      }),
    fails: 'does not fail when an access token is revoked that is already revoked or was never saved',
    finding: /`revokeAccessToken\(\)` throws .+No record was found[^]+for an access token that is already revoked/,
    remedy: /Succeed even if the row is already marked or missing/,
    leaves: REVOKED,
  },
  {
    mistake: 'makes a revoked access token valid again when it is revoked again',
    methods: (honest) =>
      revoking(({ accessToken, ...row }) => {
        if (!honest.accessTokens.delete(accessToken)) honest.accessTokens.set(accessToken, { accessToken, ...row });
      }),
    fails: 'does not fail when an access token is revoked that is already revoked or was never saved',
    finding: /`getAccessToken\(\)` finds an access token that was revoked twice/,
    remedy: /ignore the row count/,
    leaves: REVOKED,
  },
  {
    mistake: 'revokes an access token by setting its expiry to the current time',
    methods: (honest) => ({
      ...revoking(({ accessToken }) => {
        const row = honest.accessTokens.get(accessToken);
        if (row) row.accessTokenExpiresAt = new Date();
      }),
      getAccessToken: async (token) => {
        const found = await honest.getAccessToken(token);
        return found && found.accessTokenExpiresAt > new Date() ? found : undefined;
      },
    }),
    fails: 'revokes an access token, even if the clocks of processes differ',
    finding: /`getAccessToken\(\)` finds an access token that was revoked by a process whose clock is 5 seconds ahead/,
    remedy: /Never set `expires_at` to now to mark a row as used/,
    leaves: REVOKED,
  },
  {
    mistake: 'does not store the issuer of an access token',
    methods: withIssuer(undefined),
    fails: 'returns an access token with the issuer it was saved with',
    finding: /`getAccessToken\(\)` returns `issuer` undefined\. Saved was 'https:\/\/kit\.example'/,
    remedy: /ALTER TABLE access_tokens ADD COLUMN issuer TEXT/,
    leaves: ISSUED,
  },
  {
    mistake: 'returns an issuer for access tokens that were saved without one',
    methods: (honest) => ({
      getAccessToken: async (token) => {
        const found = await honest.getAccessToken(token);
        return found && { ...found, issuer: found['issuer'] ?? 'https://id.example' };
      },
    }),
    fails: 'returns an access token with the issuer it was saved with',
    finding: /`getAccessToken\(\)` returns `issuer` 'https:\/\/id\.example'\. Saved was undefined/,
    remedy: /Return no issuer if none was saved/,
    leaves: ISSUED,
  },
  {
    mistake: 'does not store the issuer of a code',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, issuer: undefined }, client, user),
    }),
    fails: 'returns an authorization code with the issuer it was saved with',
    finding: /`getAuthorizationCode\(\)` returns `issuer` undefined/,
    remedy: /ALTER TABLE codes/,
    leaves: ISSUED,
  },
  {
    mistake: 'returns the issuer of the last saved refresh token',
    methods(honest) {
      let last: string | undefined;
      return {
        saveToken: (token, client, user) =>
          honest.saveToken({ ...token, issuer: (last = token['issuer']) }, client, user),
        getAccessToken: undefined,
        getRefreshToken: async (token) => {
          const found = await honest.getRefreshToken(token);
          return found && { ...found, issuer: last };
        },
      };
    },
    fails: 'returns a refresh token with the issuer it was saved with',
    finding: /`getRefreshToken\(\)` returns `issuer` undefined\. Saved was 'https:\/\/kit\.example'/,
    remedy: /ALTER TABLE refresh_tokens/,
    leaves: { 'token families': 'broken' },
  },
];
