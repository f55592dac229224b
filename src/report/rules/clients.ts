import { type ReportRule, rule } from '../rule.js';
import { DAY, isAbove, listed, observe, perClient, shownUri, urlOf } from './observe.js';

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

/** Rules about registered clients, except their redirect URIs. */
export const CLIENT_RULES: readonly ReportRule[] = [
  rule('client-public-with-client-credentials', 'high', 'RFC 6749 §4.4', {
    should: 'Only clients that authenticate have the grant `client_credentials`.',
    change: 'Remove the grant, or give the client a secret or a key.',
    code: "await clients.change('web', { grants: ['authorization_code', 'refresh_token'] });",
    risk: 'Anybody who knows the client ID gets tokens of this client.',
    judge: (facts) =>
      perClient(
        facts,
        ({ isPublic, grants }) =>
          isPublic && grants.includes('client_credentials') && 'The public client has the grant `client_credentials`.',
      ),
  }),
  rule('client-password-grant', 'high', 'RFC 9700 §2.4', {
    should: 'No client has the grant `password`.',
    change: 'Use the authorization code grant with PKCE, and remove the grant.',
    code: "await clients.change('web', { grants: ['authorization_code', 'refresh_token'] });",
    risk: 'The client sees the password of each user. A second factor and passkeys do not work.',
    judge: (facts) =>
      perClient(facts, ({ grants }) => grants.includes('password') && 'The client has the grant `password`.'),
  }),
  rule('client-implicit-grant', 'high', 'RFC 9700 §2.1.2', {
    should: 'No client has the grant `implicit`.',
    change: 'Use the authorization code grant with PKCE, and remove the grant.',
    code: "await clients.change('spa', { grants: ['authorization_code', 'refresh_token'] });",
    risk: 'Access tokens are in URLs, browser histories and logs, and cannot be bound to the client.',
    judge: (facts) =>
      perClient(facts, ({ grants }) => grants.includes('implicit') && 'The client has the grant `implicit`.'),
  }),
  rule('client-user-and-own-tokens', 'low', 'RFC 9700 §4.15', {
    should: 'A client either acts for users or for itself.',
    change: 'Register a second client for `client_credentials`.',
    code: "await clients.create({ id: 'web-jobs', grants: ['client_credentials'], scopes: ['jobs'] });",
    risk: 'A stolen secret gives tokens of the client itself too. APIs must tell both kinds of tokens apart.',
    isFineInDevelopment: true,
    judge: (facts) =>
      perClient(
        facts,
        ({ grants }) =>
          grants.includes('client_credentials') &&
          grants.includes('authorization_code') &&
          'The client has both `authorization_code` and `client_credentials`.',
      ),
  }),
  rule('client-native-with-secret', 'medium', 'RFC 8252 §8.5', {
    should: 'Native clients are public clients.',
    change: 'Set the authentication method `none`. PKCE protects the codes.',
    code: "await clients.change('app', { tokenEndpointAuthMethod: 'none' });",
    risk: 'Each user can read the secret from the application. It proves nothing.',
    judge: (facts) =>
      perClient(
        facts,
        ({ isNative, isPublic, isSelfRegistered, field }) =>
          isNative &&
          !isPublic &&
          // A registered installation has a secret of its own.
          !isSelfRegistered &&
          SECRET_METHODS.includes(field('tokenEndpointAuthMethod')) &&
          'The native client authenticates with a secret.',
      ),
  }),
  rule('client-without-secret', 'low', 'RFC 6749 §2.3', {
    should: 'A client with a secret method has a secret.',
    change: 'Create a secret, or set the method `none` for a public client.',
    code: "const { secret } = await clients.rotateSecret('web');",
    risk: 'The client cannot authenticate. If a grant needs no authentication, anybody may use its ID.',
    judge: (facts) =>
      perClient(
        facts,
        ({ isPublic, secrets, field }) =>
          !isPublic &&
          secrets?.length === 0 &&
          SECRET_METHODS.includes(field('tokenEndpointAuthMethod')) &&
          'The client has no valid secret, but its authentication method requires one.',
      ),
  }),
  rule('client-old-secret', 'low', 'RFC 9700 §2.5', {
    should: 'Secrets are replaced at least every two years.',
    change: 'Rotate the secret. The old one works for a day.',
    code: "const { secret } = await clients.rotateSecret('web', { overlap: 86_400 });",
    risk: 'A secret that leaked years ago still works.',
    judge: (facts) =>
      perClient(facts, ({ secrets = [] }) => {
        const age = (facts.now - Number(secrets[0]?.createdAt ?? facts.now)) / 1000 / DAY;
        return age > 730 && `The newest secret is ${Math.floor(age)} days old.`;
      }),
  }),
  rule('client-consent-never', 'medium', 'RFC 6749 §10.2', {
    should: 'Consent is skipped only for your own confidential web applications.',
    change: 'Ask once. Users confirm the first sign-in, and no later one.',
    code: "await clients.change('partner', { consent: 'once' });",
    risk: 'A page that links to the authorization endpoint gets a code for each user who is signed in, without a question.',
    judge: (facts) =>
      perClient(facts, ({ field, isPublic, isSelfRegistered }) => {
        if (field('consent') !== 'never') return undefined;
        if (isSelfRegistered)
          return { is: 'The client registered itself, and users are never asked.', severity: 'high' };
        return isPublic && 'Users are never asked, and other applications can impersonate the public client.';
      }),
  }),
  rule('client-http-url', 'medium', 'RFC 7591 §5', {
    should: 'All URLs of a client use https.',
    change: 'Replace http by https.',
    code: "await clients.change('web', { jwksUri: 'https://app.example.com/jwks' });",
    risk: 'A network attacker replaces the keys or the page, or reads what this server sends.',
    isFineInDevelopment: true,
    judge: (facts) =>
      perClient(facts, ({ field }) => {
        const found = URL_FIELDS.filter((name) => urlOf(field(name))?.protocol === 'http:');
        if (found.length === 0) return undefined;
        const is = `The client has http URLs in ${listed(found)}.`;
        return found.includes('jwksUri') ? { is, severity: 'high' } : is;
      }),
  }),
  rule('client-weak-key', 'high', 'RFC 7518 §3.3', {
    should: 'RSA keys of clients have at least 2048 bits.',
    change: 'The client creates a new key, such as ES256, and you register its public key.',
    code: "await clients.change('web', { jwks: { keys: [publicJwk] } });",
    risk: 'An attacker computes the private key and authenticates as this client.',
    judge: (facts) =>
      perClient(facts, ({ field }) => {
        const bits = jwksOf(field('jwks')).flatMap(({ n }) => (typeof n === 'string' ? [modulusBits(n)] : []));
        const weakest = Math.min(...bits);
        return weakest < 2048 && `The client has an RSA key with ${weakest} bits.`;
      }),
  }),
  rule('client-private-key-stored', 'high', 'RFC 7517 §9.2', {
    should: 'Only public keys of clients are stored.',
    change: 'Replace the key, because it must count as compromised, and register only the public part.',
    code: "await clients.change('web', { jwks: { keys: [publicJwk] } });",
    risk: 'Whoever can read the client table or its backup authenticates as this client.',
    judge: (facts) =>
      perClient(
        facts,
        ({ field }) =>
          jwksOf(field('jwks')).some((key) => 'd' in key || 'k' in key) &&
          'The registered key set contains a private or symmetric key.',
      ),
  }),
  rule('client-long-access-tokens', 'medium', 'RFC 9700 §4.9', {
    should: 'Access tokens of a client last at most a day.',
    change: 'Remove the lifetime of the client, or shorten it. The client refreshes its tokens.',
    code: "await clients.change('web', { accessTokenLifetime: 3600 });",
    risk: 'A stolen access token works until it expires or is revoked.',
    judge: (facts) =>
      perClient(facts, ({ field }) => {
        const seconds = field('accessTokenLifetime');
        return isAbove(seconds, DAY) && `Access tokens of the client last ${seconds} seconds.`;
      }),
  }),
  rule('client-unsafe-origin', 'medium', 'RFC 9700 §2.6', {
    should: 'Allowed origins of a client are exact https origins.',
    change: 'List the origins of the pages of the client.',
    code: "await clients.change('spa', { allowedOrigins: ['https://app.example.com'] });",
    risk: 'Pages that a network attacker can change call the token endpoint as this client.',
    isFineInDevelopment: true,
    judge: (facts) =>
      perClient(facts, ({ field }) => {
        const origins = [field('allowedOrigins') ?? []].flat().map(String);
        const unsafe = origins.filter((one) => one.includes('*') || one === 'null' || urlOf(one)?.protocol === 'http:');
        return unsafe.length > 0 && `The client allows the origins ${listed(unsafe.map(shownUri))}.`;
      }),
  }),
  rule('clients-not-examined', 'info', 'RFC 6749 §2', {
    should: 'The report examines every client.',
    change: 'Pass a function that lists the clients of your own table.',
    code: 'providers: [OAuth2Report.with({ clients: () => table.find() })]',
    risk: 'A client that was not examined may have any of the findings of this report.',
    judge: ({ store }) =>
      observe('clients', store.unlistedClients && `Clients were not examined: ${store.unlistedClients}.`),
  }),
];

/** Returns the keys of a registered key set. */
const jwksOf = (jwks: unknown): readonly Record<string, unknown>[] => {
  const { keys } = (jwks ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : [];
};

const modulusBits = (n: string) => Buffer.from(n, 'base64url').length * 8;
