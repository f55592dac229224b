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
    fails: 'makes the server reject an access token that has expired',
    finding:
      /The server accepts an access token that has expired\. `getAccessToken\(\)` returns its `accessTokenExpiresAt` as 2\d{3}-.+?Z/,
    remedy: /Save the expiry that is passed and return it/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'extends the expiry of a code by one hour',
    methods: (honest) => ({
      async getAuthorizationCode(code) {
        const found = await honest.getAuthorizationCode(code);
        return found && { ...found, expiresAt: new Date(found.expiresAt.getTime() + 3_600_000) };
      },
    }),
    fails: 'returns the expiry of an authorization code as the Date that was saved',
    finding: /`getAuthorizationCode\(\)` returns `expiresAt` 2\d{3}-.+?Z\. Saved was 2\d{3}-.+?Z/,
    remedy: /timestamptz/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'returns dates as strings',
    methods: (honest) => ({
      async getRefreshToken(token) {
        const found = await honest.getRefreshToken(token);
        return found && { ...found, refreshTokenExpiresAt: found.refreshTokenExpiresAt?.toISOString() as never };
      },
    }),
    fails: 'returns the expiry of a refresh token as the Date that was saved',
    finding: /`getRefreshToken\(\)` returns `refreshTokenExpiresAt` '2\d{3}-.+?Z'\. It must be a Date/,
    remedy: /new Date\(row\.expires_at\)/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'returns every token with the user that was saved last',
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
    fails: 'finds an access token with the client, user and scope it was saved with',
    finding: /`getAccessToken\(\)` returns `user\.id` 'kit-other-user'\. Saved was 'u-1'/,
    remedy: /./,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'accepts any token for every scope',
    methods: () => ({ verifyScope: () => true }),
    fails: 'makes the server reject a token at routes that require a scope outside the scope of the token',
    finding: /A token with the scope 'kit:read kit:write' is accepted for a route that requires 'kit:never'/,
    remedy: /as a whole word/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'searches for a scope as a part of the token’s scope string',
    methods: () => ({ verifyScope: (token, scope) => String(token.scope).includes(String(scope)) }),
    fails: 'makes the server reject a token at routes that require a scope outside the scope of the token',
    finding: /A token with the scope 'kit:read kit:write' is accepted for a route that requires 'kit'/,
    remedy: /as a whole word/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'trims tokens',
    methods: (honest) => ({ getAccessToken: (token) => honest.getAccessToken(token.trim()) }),
    fails: 'finds an access token only by its exact value',
    finding: /finds the access token '\w+' by '\w+ ', which is its value with a trailing space/,
    remedy: /utf8mb4_nopad_bin/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'ignores the case of codes',
    methods: (honest) => ({ getAuthorizationCode: (code) => honest.getAuthorizationCode(code.toLowerCase()) }),
    fails: 'finds an authorization code only by its exact value',
    finding: /finds the authorization code '\w+' by '[\dA-F]+', which is its value in upper case/,
    remedy: /utf8mb4_0900_bin/,
    leaves: { 'authorization codes': 'broken' },
  },
  {
    mistake: 'stores tokens as the properties of a plain object, so that `constructor` is found',
    methods: (honest) => ({
      getAccessToken: async (token) =>
        Object.fromEntries(honest.accessTokens)[token] ?? ({} as Record<string, never>)[token],
    }),
    fails: 'returns nothing for an access token that was never saved',
    finding: /`getAccessToken\('__proto__'\)` returns/,
    remedy: /Use a Map/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'throws if a token does not exist',
    methods: (honest) => ({
      getRefreshToken: async (token) => ({ ...(await honest.getRefreshToken(token))!.client }) as never,
    }),
    fails: 'returns nothing for a refresh token that was never saved',
    finding: /`getRefreshToken\('no-such-thing-7f3a'\)` throws TypeError/,
    remedy: /Return null if no row was found/,
    leaves: { 'refresh tokens': 'broken' },
  },
  {
    mistake: 'does not store the scope of a token',
    methods: (honest) => ({
      saveToken: (token, client, user) => honest.saveToken({ ...token, scope: undefined }, client, user),
    }),
    fails: 'finds an access token with the client, user and scope it was saved with',
    finding: /`getAccessToken\(\)` returns `scope` undefined\. Saved was 'notes:read notes:write'/,
    remedy: /Store client, user and scope in the row/,
    leaves: { 'access tokens': 'broken' },
  },
  {
    mistake: 'finds access tokens and refresh tokens in the same column',
    methods: (honest) => ({
      getAccessToken: async (token) =>
        (await honest.getAccessToken(token)) ?? ((await honest.getRefreshToken(token)) as never),
    }),
    fails: 'returns nothing for an access token that was never saved',
    finding: /`getAccessToken\('[\da-f]{64}'\)` returns \{ accessToken: '[\da-f]{64}'/,
    remedy: /Return null if no row was found/,
    leaves: { 'access tokens': 'broken' },
  },
];
