import { type ReportRule, rule } from '../rule.js';
import { DAY, isAbove, observe, option } from './observe.js';

/** Rules about tokens, codes and their lifetimes. */
export const TOKEN_RULES: readonly ReportRule[] = [
  rule('token-in-url', 'high', 'RFC 9700 §4.3.2', {
    should: 'Access tokens are sent in the header `Authorization`.',
    change: 'Remove the option `allowBearerTokensInQueryString`.',
    code: 'OAuth2Module.forRoot({ allowBearerTokensInQueryString: false, … })',
    risk: 'Tokens are in the logs of proxies, in histories and in the header `Referer`.',
    judge: ({ options }) =>
      option(
        'allowBearerTokensInQueryString',
        options.allowBearerTokensInQueryString && 'Access tokens are accepted in the URL.',
      ),
  }),
  rule('token-long-access', 'medium', 'RFC 9700 §4.9', {
    should: 'Access tokens last at most a day.',
    change: 'Shorten the lifetime. Clients refresh their tokens.',
    code: 'OAuth2Module.forRoot({ accessTokenLifetime: 3600, … })',
    risk: 'A stolen access token works until it expires or is revoked.',
    judge: ({ options: { accessTokenLifetime: seconds } }) =>
      option('accessTokenLifetime', isAbove(seconds, DAY) && `Access tokens last ${seconds} seconds.`),
  }),
  rule('token-long-jwt', 'medium', 'RFC 9068 §5', {
    should: 'JWT access tokens last at most an hour.',
    change: 'Shorten the lifetime, or let APIs introspect the tokens.',
    code: 'OAuth2Module.forRoot({ accessTokenLifetime: 900, … })',
    risk: 'APIs that verify JWTs themselves accept a revoked token until it expires.',
    judge: ({ options: { accessTokenLifetime: seconds }, has }) =>
      option(
        'accessTokenLifetime',
        has('jwtAccessTokens') && isAbove(seconds, 3600) && `JWT access tokens last ${seconds} seconds.`,
      ),
  }),
  rule('token-long-code', 'medium', 'RFC 6749 §4.1.2', {
    should: 'Authorization codes last at most ten minutes.',
    change: 'Shorten the lifetime. Clients redeem codes within seconds.',
    code: 'OAuth2Module.forRoot({ authorizationCodeLifetime: 60, … })',
    risk: 'A code from a log or a history can still be redeemed.',
    judge: ({ options: { authorizationCodeLifetime: seconds } }) =>
      option('authorizationCodeLifetime', isAbove(seconds, 600) && `Codes last ${seconds} seconds.`),
  }),
  rule('token-long-refresh', 'medium', 'RFC 9700 §4.14', {
    should: 'Refresh tokens expire after at most a year without use.',
    change: 'Shorten the lifetime. It begins again at each refresh.',
    code: 'OAuth2Module.forRoot({ refreshTokenLifetime: 1_209_600, … })',
    risk: 'A refresh token from an old backup or device still works.',
    judge: ({ options: { refreshTokenLifetime: seconds } }) =>
      option(
        'refreshTokenLifetime',
        isAbove(seconds, 366 * DAY) && `Refresh tokens last ${Math.floor(seconds / DAY)} days.`,
      ),
  }),
  rule('token-grant-unlimited', 'info', 'RFC 9700 §4.14.2', {
    should: 'A grant ends after a maximum time, whatever is refreshed.',
    change: 'Set the maximum lifetime of a grant, such as a year.',
    code: 'OAuth2Module.forRoot({ grantLifetime: 31_536_000, … })',
    risk: 'A client that is used each day keeps its access for years, without a question to the user.',
    judge: ({ options }) => option('grantLifetime', !options.grantLifetime && 'Grants have no maximum lifetime.'),
  }),
  rule('token-no-rotation', 'low', 'RFC 9700 §4.14.2', {
    should: 'Refresh tokens are replaced at each use, or bound to a key.',
    change: 'Remove the option, or add `dpop()` or `mutualTls()`.',
    code: 'OAuth2Module.forRoot({ alwaysIssueNewRefreshToken: true, … })',
    risk: 'The server cannot notice that a refresh token of a confidential client was stolen with its secret.',
    judge: ({ options, has }) =>
      option(
        'alwaysIssueNewRefreshToken',
        !options.alwaysIssueNewRefreshToken &&
          !has('dpop') &&
          !has('mutualTls') &&
          'Refresh tokens of confidential clients are used again and again.',
      ),
  }),
  rule('token-long-reuse', 'medium', 'RFC 9700 §4.14.2', {
    should: 'A used refresh token may be repeated for at most a minute.',
    change: 'Shorten the interval. Ten seconds are enough for a lost response.',
    code: 'OAuth2Module.forRoot({ refreshTokenReuseInterval: 10, … })',
    risk: 'A thief who is fast enough gets the same tokens as the client, and no replay is detected.',
    judge: ({ options: { refreshTokenReuseInterval: seconds } }) =>
      option('refreshTokenReuseInterval', isAbove(seconds, 60) && `The interval has ${seconds} seconds.`),
  }),
  rule('token-no-replay-detection', 'medium', 'RFC 9700 §4.14.2', {
    should: 'A replayed code or refresh token ends its whole token family.',
    change: 'Implement `revokeGrant()` in the model, or use one of the stores.',
    code: 'revokeGrant(grantId: string) { return table.delete({ grantId }); }',
    risk: 'The server notices a theft, and the thief keeps the tokens.',
    judge: ({ store }) =>
      observe(
        'model',
        store.can('saveToken') && !store.can('revokeGrant') && `\`${store.kind}\` has no method \`revokeGrant()\`.`,
      ),
  }),
  rule('token-not-atomic', 'low', 'RFC 9700 §2.1.1', {
    should: 'The model consumes a code and saves its tokens in one step.',
    change: 'Implement `redeem()` in the model, or use one of the stores.',
    code: 'redeem(redemption) { return database.transaction(() => …); }',
    risk: 'After a crash between both steps, a code is used and its client has no token.',
    judge: ({ store }) =>
      observe(
        'model',
        store.can('saveToken') && !store.can('redeem') && `\`${store.kind}\` has no method \`redeem()\`.`,
      ),
  }),
  rule('token-more-attributes', 'low', 'RFC 6749 §5.1', {
    should: 'The token response has only members that clients need.',
    change: 'Remove the option `allowExtendedTokenAttributes`.',
    code: 'OAuth2Module.forRoot({ allowExtendedTokenAttributes: false, … })',
    risk: 'Whatever the model adds to a token, such as internal data of a user, is sent to the client.',
    judge: ({ options }) =>
      option(
        'allowExtendedTokenAttributes',
        options.allowExtendedTokenAttributes && 'Properties of the saved token are sent to the client.',
      ),
  }),
  rule('token-not-bound', 'info', 'RFC 9700 §2.2.1', {
    should: 'Access tokens are bound to a key of the client.',
    change: 'Add `dpop()` here and at the APIs.',
    code: 'features: [dpop()]',
    risk: 'Whoever copies an access token can use it.',
    judge: ({ server }) =>
      observe('features', server.confirmationMethods.size === 0 && 'All access tokens are bearer tokens.'),
  }),
  rule('token-no-revocation', 'info', 'RFC 7009 §2', {
    should: 'Clients can revoke their tokens.',
    change: 'Add `revocation()`.',
    code: 'features: [revocation()]',
    risk: 'A sign-out in the client leaves its tokens valid.',
    judge: ({ has, store }) =>
      observe('features', store.can('saveToken') && !has('revocation') && 'There is no revocation endpoint.'),
  }),
  rule('id-token-lifetime', 'low', 'OpenID Connect Core §2', {
    should: 'ID tokens expire within a day.',
    change: 'Shorten the lifetime. A client reads an ID token once, at the sign-in.',
    code: 'openid({ idTokenLifetime: 3600 })',
    risk: 'A client that takes an ID token for a session keeps it too long.',
    judge: ({ settings }) => {
      const { idTokenLifetime: seconds } = settings('openid');
      return option('openid.idTokenLifetime', isAbove(seconds, DAY) && `ID tokens last ${seconds} seconds.`);
    },
  }),
];
