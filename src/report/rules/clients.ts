import { type ReportRule, rulesOf } from '../rule.js';
import { DAY, isAbove, listed, perClient, shownUri, urlOf } from './observe.js';

const SECRET_METHODS: readonly unknown[] = [
  undefined,
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
];

/** The fields of a client with URLs that users open or this server calls. */
const URL_FIELDS = [
  'jwksUri',
  'logoUri',
  'policyUri',
  'tosUri',
  'initiateLoginUri',
  'backchannelLogoutUri',
  'frontchannelLogoutUri',
  'backchannelClientNotificationEndpoint',
];

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
client-public-with-client-credentials | high | | RFC 6749 §4.4 | Only clients that authenticate have the grant \`client_credentials\`. | Remove the grant, or give the client a secret or a key. | npx nest-oauth2 clients change web --grant authorization_code --grant refresh_token | An attacker who knows the client ID gets tokens of this client.
client-password-grant | high | | RFC 9700 §2.4 | No client has the grant \`password\`. | Use the authorization code grant with PKCE, and remove the grant. | npx nest-oauth2 clients change web --grant authorization_code --grant refresh_token | The client sees the password of each user. A second factor and passkeys do not work.
client-implicit-grant | high | | RFC 9700 §2.1.2 | No client has the grant \`implicit\`. | Use the authorization code grant with PKCE, and remove the grant. | npx nest-oauth2 clients change spa --grant authorization_code --grant refresh_token | Access tokens are in URLs, browser histories and logs, and cannot be bound to the client.
client-user-and-own-tokens | low* | | RFC 9700 §4.15 | A client either acts for users or for itself. | Register a second client for \`client_credentials\`, and remove the grant from this one. | await clients.create({ id: 'web-jobs', grants: ['client_credentials'], scopes: ['jobs'] }); npx nest-oauth2 clients change web --grant authorization_code --grant refresh_token | A stolen secret gives tokens of the client itself too. APIs must tell both kinds of tokens apart.
client-native-with-secret | medium | | RFC 8252 §8.5 | Native clients are public clients. | Set the authentication method \`none\`. PKCE protects the codes. | npx nest-oauth2 clients change app --public | Each user can read the secret from the application. It proves nothing.
client-without-secret | low | | RFC 6749 §2.3 | A client with a secret method has a secret. | Create a secret, or set the method \`none\` for a public client. | npx nest-oauth2 clients rotate web | The client cannot authenticate. If a grant needs no authentication, an attacker can use its ID.
client-old-secret | low | | RFC 9700 §2.5 | Secrets are replaced at least every two years. | Rotate the secret. The old one works for a day. | npx nest-oauth2 clients rotate web --overlap 86400 | A secret that leaked years ago still works.
client-consent-never | medium | | RFC 6749 §10.2 | Consent is skipped only for your own confidential web applications. | Ask once. Users confirm the first sign-in, and no later one. | npx nest-oauth2 clients change partner --consent once | A page that links to the authorization endpoint gets a code for each user who is signed in, without a question.
client-http-url | medium* | | RFC 7591 §5 | All URLs of a client use https. | Replace http by https. | npx nest-oauth2 clients change web --set 'jwksUri="https://app.example.com/jwks"' | A network attacker replaces the keys or the page, or reads what this server sends.
client-weak-key | high | | RFC 7518 §3.3 | RSA keys of clients have at least 2048 bits. | The client creates a new key, such as ES256, and you register its public key. | npx nest-oauth2 clients change web --set "jwks=$(cat public-jwks.json)" | An attacker computes the private key and authenticates as this client.
client-private-key-stored | high | | RFC 7517 §9.2 | Only public keys of clients are stored. | Replace the key, because it must count as compromised, and register only the public part. | npx nest-oauth2 clients change web --set "jwks=$(cat public-jwks.json)" | A reader of the client table or of its backup can authenticate as this client.
client-long-access-tokens | medium | | RFC 9700 §4.9 | Access tokens of a client last at most a day. | Remove the lifetime of the client, or shorten it. The client refreshes its tokens. | npx nest-oauth2 clients change web --access-token-lifetime 3600 | A stolen access token works until it expires or is revoked.
client-unsafe-origin | medium* | | RFC 9700 §2.6 | Allowed origins of a client are exact https origins. | List the origins of the pages of the client. | npx nest-oauth2 clients change spa --origin https://app.example.com | Pages that a network attacker can change call the token endpoint as this client.
clients-not-examined | info | clients | RFC 6749 §2 | The report examines every client. | Pass a function that lists the clients of your own table. | providers: [OAuth2Report.with({ clients: () => table.find() })] | A client that was not examined may have any of the findings of this report.
`;

/** Rules about registered clients, except their redirect URIs. */
export const CLIENT_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'client-public-with-client-credentials': perClient(
    ({ isPublic, grants }) =>
      isPublic && grants.includes('client_credentials') && 'The public client has the grant `client_credentials`.',
  ),
  'client-password-grant': perClient(
    ({ grants }) => grants.includes('password') && 'The client has the grant `password`.',
  ),
  'client-implicit-grant': perClient(
    ({ grants }) => grants.includes('implicit') && 'The client has the grant `implicit`.',
  ),
  'client-user-and-own-tokens': perClient(
    ({ grants }) =>
      grants.includes('client_credentials') &&
      grants.includes('authorization_code') &&
      'The client has both `authorization_code` and `client_credentials`.',
  ),
  'client-native-with-secret': perClient(
    ({ isNative, isPublic, isSelfRegistered, field }) =>
      isNative &&
      !isPublic &&
      // A registered installation has a secret of its own.
      !isSelfRegistered &&
      SECRET_METHODS.includes(field('tokenEndpointAuthMethod')) &&
      'The native client authenticates with a secret.',
  ),
  'client-without-secret': perClient(
    ({ isPublic, secrets, field }) =>
      !isPublic &&
      secrets?.length === 0 &&
      SECRET_METHODS.includes(field('tokenEndpointAuthMethod')) &&
      'The client has no valid secret, but its authentication method requires one.',
  ),
  'client-old-secret': perClient(({ secrets = [] }, facts) => {
    const age = (facts.now - Number(secrets[0]?.createdAt ?? facts.now)) / 1000 / DAY;
    return age > 730 && `The newest secret is ${Math.floor(age)} days old.`;
  }),
  'client-consent-never': perClient(({ field, isPublic, isSelfRegistered }) => {
    if (field('consent') !== 'never') return undefined;
    if (isSelfRegistered) return { is: 'The client registered itself, and users are never asked.', severity: 'high' };
    return isPublic && 'Users are never asked, and other applications can impersonate the public client.';
  }),
  'client-http-url': perClient(({ field }) => {
    const found = URL_FIELDS.filter((name) => urlOf(field(name))?.protocol === 'http:');
    if (found.length === 0) return undefined;
    const is = `The client has http URLs in ${listed(found)}.`;
    return found.includes('jwksUri') ? { is, severity: 'high' } : is;
  }),
  'client-weak-key': perClient(({ field }) => {
    const bits = jwksOf(field('jwks')).flatMap(({ n }) => (typeof n === 'string' ? [modulusBits(n)] : []));
    const weakest = Math.min(...bits);
    return weakest < 2048 && `The client has an RSA key with ${weakest} bits.`;
  }),
  'client-private-key-stored': perClient(
    ({ field }) =>
      jwksOf(field('jwks')).some((key) => 'd' in key || 'k' in key) &&
      'The registered key set contains a private or symmetric key.',
  ),
  'client-long-access-tokens': perClient(({ field }) => {
    const seconds = field('accessTokenLifetime');
    return isAbove(seconds, DAY) && `Access tokens of the client last ${seconds} seconds.`;
  }),
  'client-unsafe-origin': perClient(({ field }) => {
    const origins = [field('allowedOrigins') ?? []].flat().map(String);
    const unsafe = origins.filter((one) => one.includes('*') || one === 'null' || urlOf(one)?.protocol === 'http:');
    return unsafe.length > 0 && `The client allows the origins ${listed(unsafe.map(shownUri))}.`;
  }),
  'clients-not-examined': ({ store }) =>
    store.unlistedClients && `Clients were not examined: ${store.unlistedClients}.`,
});

/** Returns the keys of a registered key set. */
const jwksOf = (jwks: unknown): readonly Record<string, unknown>[] => {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : [];
};

const modulusBits = (n: string) => Buffer.from(n, 'base64url').length * 8;
