import type { BrokenModel } from './broken-model.js';

export const BROKEN_LOOKUPS: readonly BrokenModel[] = [
  {
    mistake: 'ignores the expiry of access tokens',
    methods: (honest) => ({
      async getAccessToken(token) {
        const found = await honest.getAccessToken(token);
        return found && { ...found, accessTokenExpiresAt: new Date(Date.now() + 3_600_000) };
      },
    }),
    fails: 'lets no expired access token pass',
    finding: /the server accepts an access token that has expired: its `accessTokenExpiresAt` is returned as 2\d{3}-/,
    remedy: /save the expiry you are given and return that one/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'gives a code another hour of life',
    methods: (honest) => ({
      async getAuthorizationCode(code) {
        const found = await honest.getAuthorizationCode(code);
        return found && { ...found, expiresAt: new Date(found.expiresAt.getTime() + 3_600_000) };
      },
    }),
    fails: 'gives the expiry of an authorization code back as the Date it was',
    finding: /`getAuthorizationCode\(\)` returns `expiresAt` .+ for .+/,
    remedy: /timestamptz/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'returns dates as text',
    methods: (honest) => ({
      async getRefreshToken(token) {
        const found = await honest.getRefreshToken(token);
        return found && { ...found, refreshTokenExpiresAt: found.refreshTokenExpiresAt?.toISOString() as never };
      },
    }),
    fails: 'gives the expiry of a refresh token back as the Date it was',
    finding: /returns `refreshTokenExpiresAt` '2.+Z', which is no Date/,
    remedy: /new Date\(row\.expires_at\)/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'takes every token for one of the user that came last',
    methods: (honest) => {
      let last: unknown;
      return {
        saveToken: (token, client, user) => honest.saveToken(token, client, (last = user)),
        async getAccessToken(token) {
          const found = await honest.getAccessToken(token);
          return found && { ...found, user: last as never };
        },
      };
    },
    fails: 'finds an access token with the client, the user and the scope it was saved with',
    finding: /`getAccessToken\(\)` returns `user\.id` 'kit-other-user' for/,
    remedy: /./,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'lets any token into any route',
    methods: () => ({ verifyScope: () => true }),
    fails: 'lets a token into no route beyond its scope',
    finding: /is let in where 'kit:never' is demanded/,
    remedy: /as a whole word/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'looks for a scope anywhere in those of a token',
    methods: () => ({ verifyScope: (token, scope) => String(token.scope).includes(String(scope)) }),
    fails: 'lets a token into no route beyond its scope',
    finding: /is let in where 'kit' is demanded/,
    remedy: /as a whole word/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'trims tokens',
    methods: (honest) => ({ getAccessToken: (token) => honest.getAccessToken(token.trim()) }),
    fails: 'tells access tokens apart to the letter',
    finding: /finds the access token '\w+' by '\w+ ', with a space after it/,
    remedy: /utf8mb4_nopad_bin/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'folds the case of codes',
    methods: (honest) => ({ getAuthorizationCode: (code) => honest.getAuthorizationCode(code.toLowerCase()) }),
    fails: 'tells authorization codes apart to the letter',
    finding: /finds the authorization code '\w+' by '[\dA-F]+', in capitals/,
    remedy: /utf8mb4_0900_bin/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'keeps tokens as the properties of an object',
    methods: (honest) => ({
      getAccessToken: async (token) =>
        Object.fromEntries(honest.accessTokens)[token] ?? ({} as Record<string, never>)[token],
    }),
    fails: 'finds no access token that it never saved',
    finding: /`getAccessToken\('__proto__'\)` returns/,
    remedy: /key objects by Map/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'fails when it is asked for a token that it does not have',
    methods: (honest) => ({
      getRefreshToken: async (token) => ({ ...(await honest.getRefreshToken(token))!.client }) as never,
    }),
    fails: 'finds no refresh token that it never saved',
    finding: /`getRefreshToken\('no-such-thing-7f3a'\)` throws TypeError/,
    remedy: /return null when no row was found/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'forgets the scope of a token',
    methods: (honest) => ({
      saveToken: (token, client, user) => honest.saveToken({ ...token, scope: undefined }, client, user),
    }),
    fails: 'finds an access token with the client, the user and the scope it was saved with',
    finding: /`getAccessToken\(\)` returns `scope` undefined for 'notes:read notes:write'/,
    remedy: /save client, user and scope in the row/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'finds access and refresh tokens in one column',
    methods: (honest) => ({
      getAccessToken: async (token) =>
        (await honest.getAccessToken(token)) ?? ((await honest.getRefreshToken(token)) as never),
    }),
    fails: 'finds no access token that it never saved',
    finding: /`getAccessToken\('[\da-f]{64}'\)` returns \{ accessToken: '[\da-f]{64}'/,
    remedy: /return null when no row was found/,
    leaves: { 'access tokens': 'broken' },
  },
];
