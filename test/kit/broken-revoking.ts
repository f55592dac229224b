import type { RevocationModel } from 'nest-oauth2/features';
import type { Token } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

/** A model whose way to end an access token is this. */
const revoking = (revokeAccessToken: (token: Token) => unknown) => ({ revokeAccessToken }) satisfies RevocationModel;

/** Deletes the rows of a map that this holds of. */
function drop<T>(rows: Map<string, T>, isOver: (row: T) => boolean): void {
  for (const [key, row] of rows) if (isOver(row)) rows.delete(key);
}

const ONE = 'ends an access token, and no other token';
const REVOKED = { 'token revocation': 'broken', 'access tokens': 'kept' } as const;
const ISSUED = { 'token families': 'broken', 'token revocation': 'kept' } as const;

/** Hands tokens over with another issuer than they were saved with. */
const withIssuer = (issuer: string | undefined) => (honest: CorrectModel) => ({
  getAccessToken: async (token: string) => {
    const found = await honest.getAccessToken(token);
    return found && { ...found, issuer };
  },
});

export const BROKEN_REVOKING: readonly BrokenModel[] = [
  {
    mistake: 'marks access tokens as revoked, and finds them all the same',
    methods: (honest) =>
      revoking(({ accessToken }) => Object.assign(honest.accessTokens.get(accessToken)!, { revokedAt: new Date() })),
    fails: ONE,
    finding: /`getAccessToken\(\)` still finds an access token that was revoked: .+revokedAt/,
    remedy: /SELECT … FROM access_tokens WHERE token = \? AND revoked_at IS NULL, wherever one is looked up/,
    leaves: REVOKED,
  },
  {
    mistake: "revokes all of its user's access tokens",
    methods: (honest) => revoking(({ user }) => drop(honest.accessTokens, (row) => row.user['id'] === user['id'])),
    fails: ONE,
    finding: /another access token is not let in any more/,
    remedy: /the one row, by the token itself/,
    leaves: REVOKED,
  },
  {
    mistake: 'takes the refresh token along',
    methods: (honest) =>
      revoking(({ accessToken }) => {
        honest.accessTokens.delete(accessToken);
        drop(honest.refreshTokens, (row) => 'accessToken' in row && row.accessToken === accessToken);
      }),
    fails: ONE,
    finding: /a refresh token has ended with the access token/,
    remedy: /DELETE FROM access_tokens WHERE token = \?/,
    leaves: REVOKED,
  },
  {
    mistake: 'throws where no access token is left to revoke',
    methods: (honest) =>
      revoking(async ({ accessToken }) => {
        if (!honest.accessTokens.delete(accessToken)) throw new Error('No record was found for an update');
      }),
    fails: 'ends an access token again, or one that it never saved, without harm',
    finding: /`revokeAccessToken\(\)` of an access token a second time throws .+No record was found/,
    remedy: /one that is gone already is as good/,
    leaves: REVOKED,
  },
  {
    mistake: 'wakes a revoked access token when it is revoked again',
    methods: (honest) =>
      revoking(({ accessToken, ...row }) => {
        if (!honest.accessTokens.delete(accessToken)) honest.accessTokens.set(accessToken, { accessToken, ...row });
      }),
    fails: 'ends an access token again, or one that it never saved, without harm',
    finding: /`getAccessToken\(\)` still finds an access token that was revoked twice/,
    remedy: /whatever the count/,
    leaves: REVOKED,
  },
  {
    mistake: 'revokes an access token by letting it expire',
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
    fails: 'ends an access token for processes whose clocks differ',
    finding: /still finds an access token that was revoked by a process whose clock is 5 seconds ahead/,
    remedy: /Never mark something as spent by an `expires_at` of now/,
    leaves: REVOKED,
  },
  {
    mistake: 'forgets the issuer of an access token',
    methods: withIssuer(undefined),
    fails: 'finds an access token with the issuer that gave it out',
    finding: /`getAccessToken\(\)` returns `issuer` undefined for 'https:\/\/kit\.example'/,
    remedy: /ALTER TABLE access_tokens ADD COLUMN issuer TEXT/,
    leaves: ISSUED,
  },
  {
    mistake: 'makes up an issuer for access tokens that have none',
    methods: (honest) => ({
      getAccessToken: async (token) => {
        const found = await honest.getAccessToken(token);
        return found && { ...found, issuer: found['issuer'] ?? 'https://id.example' };
      },
    }),
    fails: 'finds an access token with the issuer that gave it out',
    finding: /`getAccessToken\(\)` returns `issuer` 'https:\/\/id\.example' for undefined/,
    remedy: /what was saved without one has none/,
    leaves: ISSUED,
  },
  {
    mistake: 'forgets the issuer of a code',
    methods: (honest) => ({
      saveAuthorizationCode: (code, client, user) =>
        honest.saveAuthorizationCode({ ...code, issuer: undefined }, client, user),
    }),
    fails: 'finds an authorization code with the issuer that gave it out',
    finding: /`getAuthorizationCode\(\)` returns `issuer` undefined/,
    remedy: /ALTER TABLE codes/,
    leaves: ISSUED,
  },
  {
    mistake: 'returns the issuer of the refresh token that was saved last',
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
    fails: 'finds a refresh token with the issuer that gave it out',
    finding: /`getRefreshToken\(\)` returns `issuer` undefined for 'https:\/\/kit\.example'/,
    remedy: /ALTER TABLE refresh_tokens/,
    leaves: { 'token families': 'broken' },
  },
];
