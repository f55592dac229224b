import { type ReportRule, rulesOf } from '../rule.js';
import { DAY, isAbove } from './observe.js';

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
token-in-url | high | option:allowBearerTokensInQueryString | RFC 9700 §4.3.2 | Access tokens are sent in the header \`Authorization\`. | Remove the option \`allowBearerTokensInQueryString\`. | OAuth2Module.forRoot({ allowBearerTokensInQueryString: false, … }) | Tokens are in the logs of proxies, in histories and in the header \`Referer\`.
token-long-access | medium | option:accessTokenLifetime | RFC 9700 §4.9 | Access tokens last at most a day. | Shorten the lifetime. Clients refresh their tokens. | OAuth2Module.forRoot({ accessTokenLifetime: 3600, … }) | A stolen access token works until it expires or is revoked.
token-long-jwt | medium | option:accessTokenLifetime | RFC 9068 §5 | JWT access tokens last at most an hour. | Shorten the lifetime, or let APIs introspect the tokens. | OAuth2Module.forRoot({ accessTokenLifetime: 900, … }) | APIs that verify JWTs themselves accept a revoked token until it expires.
token-long-code | medium | option:authorizationCodeLifetime | RFC 6749 §4.1.2 | Authorization codes last at most ten minutes. | Shorten the lifetime. Clients redeem codes within seconds. | OAuth2Module.forRoot({ authorizationCodeLifetime: 60, … }) | A code from a log or a history can still be redeemed.
token-long-refresh | medium | option:refreshTokenLifetime | RFC 9700 §4.14 | Refresh tokens expire after at most a year without use. | Shorten the lifetime. It begins again at each refresh. | OAuth2Module.forRoot({ refreshTokenLifetime: 1_209_600, … }) | A refresh token from an old backup or device still works.
token-grant-unlimited | info | option:grantLifetime | RFC 9700 §4.14.2 | A grant ends after a maximum time, whatever is refreshed. | Set the maximum lifetime of a grant, such as a year. | OAuth2Module.forRoot({ grantLifetime: 31_536_000, … }) | A client that is used each day keeps its access for years, without a question to the user.
token-no-rotation | low | option:alwaysIssueNewRefreshToken | RFC 9700 §4.14.2 | Refresh tokens are replaced at each use, or bound to a key. | Remove the option, or add \`dpop()\` or \`mutualTls()\`. | OAuth2Module.forRoot({ alwaysIssueNewRefreshToken: true, … }) | The server cannot notice that a refresh token of a confidential client was stolen with its secret.
token-long-reuse | medium | option:refreshTokenReuseInterval | RFC 9700 §4.14.2 | A used refresh token may be repeated for at most a minute. | Shorten the interval. Ten seconds are enough for a lost response. | OAuth2Module.forRoot({ refreshTokenReuseInterval: 10, … }) | A thief who is fast enough gets the same tokens as the client, and no replay is detected.
token-no-replay-detection | medium | model | RFC 9700 §4.14.2 | A replayed code or refresh token ends its whole token family. | Implement \`revokeGrant()\` in the model, or use one of the stores. | revokeGrant(grantId: string) { return table.delete({ grantId }); } | The server notices a theft, and the thief keeps the tokens.
token-not-atomic | low | model | RFC 9700 §2.1.1 | The model consumes a code and saves its tokens in one step. | Implement \`redeem()\` in the model, or use one of the stores. | redeem(consumed, token, client, user) { return database.transaction(() => …); } | After a crash between both steps, a code is used and its client has no token.
token-more-attributes | low | option:allowExtendedTokenAttributes | RFC 6749 §5.1 | The token response has only members that clients need. | Remove the option \`allowExtendedTokenAttributes\`. | OAuth2Module.forRoot({ allowExtendedTokenAttributes: false, … }) | Whatever the model adds to a token, such as internal data of a user, is sent to the client.
token-not-bound | info | features | RFC 9700 §2.2.1 | Access tokens are bound to a key of the client. | Add \`dpop()\` here and at the APIs. | features: [dpop()] // of 'nest-oauth2/jose' | A copied access token can be used by the thief.
token-no-revocation | info | features | RFC 7009 §2 | Clients can revoke their tokens. | Add \`revocation()\`. | features: [revocation()] // of 'nest-oauth2/features' | A sign-out in the client leaves its tokens valid.
id-token-lifetime | low | option:openid.idTokenLifetime | OpenID Connect Core §2 | ID tokens expire within a day. | Shorten the lifetime. A client reads an ID token once, at the sign-in. | openid({ idTokenLifetime: 3600 }) | A client that takes an ID token for a session keeps it too long.
`;

/** Rules about tokens, codes and their lifetimes. */
export const TOKEN_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'token-in-url': ({ options }) => options.allowBearerTokensInQueryString && 'Access tokens are accepted in the URL.',
  'token-long-access': ({ options: { accessTokenLifetime: seconds } }) =>
    isAbove(seconds, DAY) && `Access tokens last ${seconds} seconds.`,
  'token-long-jwt': ({ options: { accessTokenLifetime: seconds }, has }) =>
    has('jwtAccessTokens') && isAbove(seconds, 3600) && `JWT access tokens last ${seconds} seconds.`,
  'token-long-code': ({ options: { authorizationCodeLifetime: seconds } }) =>
    isAbove(seconds, 600) && `Codes last ${seconds} seconds.`,
  'token-long-refresh': ({ options: { refreshTokenLifetime: seconds } }) =>
    isAbove(seconds, 366 * DAY) && `Refresh tokens last ${Math.floor(seconds / DAY)} days.`,
  'token-grant-unlimited': ({ options }) => !options.grantLifetime && 'Grants have no maximum lifetime.',
  'token-no-rotation': ({ options, has }) =>
    !options.alwaysIssueNewRefreshToken &&
    !has('dpop') &&
    !has('mutualTls') &&
    'Refresh tokens of confidential clients are used again and again.',
  'token-long-reuse': ({ options: { refreshTokenReuseInterval: seconds } }) =>
    isAbove(seconds, 60) && `The interval has ${seconds} seconds.`,
  'token-no-replay-detection': ({ store }) =>
    store.can('saveToken') && !store.can('revokeGrant') && `\`${store.kind}\` has no method \`revokeGrant()\`.`,
  'token-not-atomic': ({ store }) =>
    store.can('saveToken') && !store.can('redeem') && `\`${store.kind}\` has no method \`redeem()\`.`,
  'token-more-attributes': ({ options }) =>
    options.allowExtendedTokenAttributes && 'Properties of the saved token are sent to the client.',
  'token-not-bound': ({ server }) => server.confirmationMethods.size === 0 && 'All access tokens are bearer tokens.',
  'token-no-revocation': ({ has, store }) =>
    store.can('saveToken') && !has('revocation') && 'There is no revocation endpoint.',
  'id-token-lifetime': ({ settings }) => {
    const { idTokenLifetime: seconds } = settings('openid');
    return isAbove(seconds, DAY) && `ID tokens last ${seconds} seconds.`;
  },
});
