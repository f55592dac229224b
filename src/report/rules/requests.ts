import { type ReportRule, rule } from '../rule.js';
import { isAbove, listed, observe, option } from './observe.js';

/** Rules about authorization requests and grants: PKCE, `state`, grants and response types. */
export const REQUEST_RULES: readonly ReportRule[] = [
  rule('pkce-off', 'high', 'RFC 9700 §2.1.1', {
    should: 'Public clients must use PKCE.',
    change: "Set `requirePKCE` to `'all'`.",
    code: "OAuth2Module.forRoot({ requirePKCE: 'all', … })",
    risk: 'Whoever gets a code redeems it: from a log, a history, or another application on the device.',
    judge: ({ options }) => option('requirePKCE', options.requirePKCE === 'none' && 'No client has to use PKCE.'),
  }),
  rule('pkce-confidential', 'info', 'OAuth 2.1 §7.5.1', {
    should: 'Confidential clients use PKCE too.',
    change: "Set `requirePKCE` to `'all'`, after a look at the clients that send no `code_challenge`.",
    code: "OAuth2Module.forRoot({ requirePKCE: 'all', … })",
    risk: 'An attacker can make the client redeem a code of another session, unless it verifies `state` or `nonce`.',
    judge: ({ options }) =>
      option('requirePKCE', options.requirePKCE === 'public' && 'Confidential clients may omit PKCE.'),
  }),
  rule('pkce-plain', 'high', 'RFC 9700 §2.1.1', {
    should: 'The challenge method is `S256`.',
    change: 'Remove the option `enablePlainPKCE`.',
    code: 'OAuth2Module.forRoot({ enablePlainPKCE: false, … })',
    risk: 'Whoever sees the authorization request can redeem its code.',
    judge: ({ options }) => option('enablePlainPKCE', options.enablePlainPKCE && 'The method `plain` is accepted.'),
  }),
  rule('state-optional', 'medium', 'RFC 9700 §4.7.1', {
    should: 'A request without PKCE has a `state`.',
    change: 'Remove the option `allowEmptyState`.',
    code: "OAuth2Module.forRoot({ requirePKCE: 'all', … })",
    risk: 'An attacker can sign a user of the client in with a foreign account (CSRF).',
    judge: ({ options }) =>
      option(
        'allowEmptyState',
        options.allowEmptyState && options.requirePKCE !== 'all' && 'Requests may have neither `state` nor PKCE.',
      ),
  }),
  rule('grant-without-authentication', 'high', 'RFC 6749 §3.2.1', {
    should: 'Confidential clients authenticate for each grant.',
    change: 'Remove `requireClientAuthentication`. Register clients without a secret with the method `none`.',
    code: "await clients.change('app', { tokenEndpointAuthMethod: 'none' });",
    risk: 'A client without a registered method is accepted by its ID alone.',
    judge: ({ options }) => {
      const open = Object.entries(options.requireClientAuthentication ?? {}).flatMap(([name, on]) =>
        on ? [] : [name],
      );
      return option(
        'requireClientAuthentication',
        open.length > 0 && `Clients need not authenticate for ${listed(open)}.`,
      );
    },
  }),
  rule('grant-of-your-own', 'info', 'RFC 6749 §4.5', {
    should: 'Grants of your own are reviewed like a login.',
    change: 'Have a second person read each class.',
    code: "OAuth2Module.forRoot({ extendedGrantTypes: { 'urn:example:grant': ReviewedGrant }, … })",
    risk: 'The class decides alone who gets tokens. No rule of this report sees its code.',
    judge: ({ options }) => {
      const names = Object.keys(options.extendedGrantTypes ?? {});
      return option('extendedGrantTypes', names.length > 0 && `The application defines the grants ${listed(names)}.`);
    },
  }),
  rule('grant-front-channel', 'medium', 'RFC 9700 §2.1.2', {
    should: 'The authorization endpoint issues no access tokens.',
    change: 'Remove the response types with `token` from `openid()`.',
    code: 'openid({ responseTypes: [] })',
    risk: 'Access tokens are in URLs and histories, and cannot be bound to the client.',
    judge: ({ settings }) => {
      const types = [settings('openid')['responseTypes'] ?? []].flat().map(String);
      const withToken = types.filter((type) => type.split(' ').includes('token'));
      return option('openid.responseTypes', withToken.length > 0 && `Clients may use ${listed(withToken)}.`);
    },
  }),
  rule('grant-password-published', 'low', 'RFC 9700 §2.4', {
    should: 'The metadata does not offer the password grant.',
    change: 'List the grant types to publish. A client can use the grant only if it is registered with it.',
    code: "serverMetadata({ grantTypes: ['authorization_code', 'refresh_token'] })",
    risk: 'Developers of clients read the metadata and collect passwords.',
    judge: ({ metadata, has }) => {
      const published = [metadata['grant_types_supported'] ?? []].flat();
      return observe(
        'metadata',
        (has('serverMetadata') || has('openid')) &&
          published.includes('password') &&
          'The metadata lists the grant `password`.',
      );
    },
  }),
  rule('device-code-lifetime', 'low', 'RFC 8628 §5.1', {
    should: 'Device codes last at most 30 minutes.',
    change: 'Shorten the lifetime.',
    code: 'deviceAuthorization({ lifetime: 900 })',
    risk: 'An attacker has more time to guess a user code, or to talk a user into entering one.',
    judge: ({ settings }) => {
      const { lifetime } = settings('deviceAuthorization');
      return option('deviceAuthorization.lifetime', isAbove(lifetime, 1800) && `Codes last ${lifetime} seconds.`);
    },
  }),
  rule('device-code-rate', 'medium', 'RFC 8628 §5.2', {
    should: 'The number of device codes is limited.',
    change: 'Remove `rate: false`, unless your proxy limits this endpoint.',
    code: 'deviceAuthorization({ rate: { requests: 60, per: 60 } })',
    risk: 'A flood of requests fills the store, and makes one of many user codes easy to guess.',
    judge: ({ settings }) =>
      option('deviceAuthorization.rate', settings('deviceAuthorization')['rate'] === false && 'There is no limit.'),
  }),
  rule('assertion-reusable', 'medium', 'RFC 7521 §5.2', {
    should: 'Each assertion is redeemed once.',
    change: 'Remove `reusable`.',
    code: 'jwtBearer({ issuers })',
    risk: 'Whoever finds an assertion in a log redeems it again.',
    judge: ({ settings }) =>
      option('jwtBearer.reusable', settings('jwtBearer')['reusable'] === true && 'An assertion works several times.'),
  }),
];
