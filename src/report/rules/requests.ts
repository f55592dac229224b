import { type ReportRule, rulesOf } from '../rule.js';
import { isAbove, listed } from './observe.js';

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
pkce-off | high | option:requirePKCE | RFC 9700 §2.1.1 | Public clients must use PKCE. | Set \`requirePKCE\` to \`'all'\`. | OAuth2Module.forRoot({ requirePKCE: 'all', … }) | An attacker redeems a code from a log, a history, or another application on the device.
pkce-confidential | info | option:requirePKCE | OAuth 2.1 §7.5.1 | Confidential clients use PKCE too. | Set \`requirePKCE\` to \`'all'\`, after a look at the clients that send no \`code_challenge\`. | OAuth2Module.forRoot({ requirePKCE: 'all', … }) | An attacker can make the client redeem a code of another session, unless it verifies \`state\` or \`nonce\`.
pkce-plain | high | option:enablePlainPKCE | RFC 9700 §2.1.1 | The challenge method is \`S256\`. | Remove the option \`enablePlainPKCE\`. | OAuth2Module.forRoot({ enablePlainPKCE: false, … }) | An attacker who sees the authorization request can redeem its code.
state-optional | medium | option:allowEmptyState | RFC 9700 §4.7.1 | A request without PKCE has a \`state\`. | Remove the option \`allowEmptyState\`. | OAuth2Module.forRoot({ requirePKCE: 'all', … }) | An attacker can sign a user of the client in with a foreign account (CSRF).
grant-without-authentication | high | option:requireClientAuthentication | RFC 6749 §3.2.1 | Confidential clients authenticate for each grant. | Remove \`requireClientAuthentication\`. Register clients without a secret with the method \`none\`. | npx nest-oauth2 clients change app --public | A client without a registered method is accepted by its ID alone.
grant-of-your-own | info | option:extendedGrantTypes | RFC 6749 §4.5 | Grants of your own are reviewed like a login. | Have a second person read each class. | OAuth2Module.forRoot({ extendedGrantTypes: { 'urn:example:grant': ReviewedGrant }, … }) | The class decides alone who gets tokens. No rule of this report sees its code.
grant-front-channel | medium | option:openid.responseTypes | RFC 9700 §2.1.2 | The authorization endpoint issues no access tokens. | Remove the response types with \`token\` from \`openid()\`. | openid({ responseTypes: [] }) | Access tokens are in URLs and histories, and cannot be bound to the client.
grant-password-published | low | metadata | RFC 9700 §2.4 | The metadata does not offer the password grant. | List the grant types to publish. A client can use the grant only if it is registered with it. | serverMetadata({ grantTypes: ['authorization_code', 'refresh_token'] }) | Developers of clients read the metadata and collect passwords.
device-code-lifetime | low | option:deviceAuthorization.lifetime | RFC 8628 §5.1 | Device codes last at most 30 minutes. | Shorten the lifetime. | deviceAuthorization({ lifetime: 900 }) | An attacker has more time to guess a user code, or to talk a user into entering one.
device-code-rate | medium | option:deviceAuthorization.rate | RFC 8628 §5.2 | The number of device codes is limited. | Remove \`rate: false\`, unless your proxy limits this endpoint. | deviceAuthorization({ rate: { requests: 60, per: 60 } }) | A flood of requests fills the store, and makes one of many user codes easy to guess.
assertion-reusable | medium | option:jwtBearer.reusable | RFC 7521 §5.2 | Each assertion is redeemed once. | Remove \`reusable\`. | jwtBearer({ issuers }) | An attacker redeems an assertion from a log again.
`;

/** Rules about authorization requests and grants: PKCE, `state`, grants and response types. */
export const REQUEST_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'pkce-off': ({ options }) => options.requirePKCE === 'none' && 'No client has to use PKCE.',
  'pkce-confidential': ({ options }) => options.requirePKCE === 'public' && 'Confidential clients may omit PKCE.',
  'pkce-plain': ({ options }) => options.enablePlainPKCE && 'The method `plain` is accepted.',
  'state-optional': ({ options }) =>
    options.allowEmptyState && options.requirePKCE !== 'all' && 'Requests may have neither `state` nor PKCE.',
  'grant-without-authentication': ({ options }) => {
    const open = Object.entries(options.requireClientAuthentication ?? {}).flatMap(([name, on]) => (on ? [] : [name]));
    return open.length > 0 && `Clients need not authenticate for ${listed(open)}.`;
  },
  'grant-of-your-own': ({ options }) => {
    const names = Object.keys(options.extendedGrantTypes ?? {});
    return names.length > 0 && `The application defines the grants ${listed(names)}.`;
  },
  'grant-front-channel': ({ settings }) => {
    const types = [settings('openid')['responseTypes'] ?? []].flat().map(String);
    const withToken = types.filter((type) => type.split(' ').includes('token'));
    return withToken.length > 0 && `Clients may use ${listed(withToken)}.`;
  },
  'grant-password-published': ({ metadata, has }) => {
    const published = [metadata['grant_types_supported'] ?? []].flat();
    return (
      (has('serverMetadata') || has('openid')) &&
      published.includes('password') &&
      'The metadata lists the grant `password`.'
    );
  },
  'device-code-lifetime': ({ settings }) => {
    const { lifetime } = settings('deviceAuthorization');
    return isAbove(lifetime, 1800) && `Codes last ${lifetime} seconds.`;
  },
  'device-code-rate': ({ settings }) => settings('deviceAuthorization')['rate'] === false && 'There is no limit.',
  'assertion-reusable': ({ settings }) =>
    settings('jwtBearer')['reusable'] === true && 'An assertion works several times.',
});
