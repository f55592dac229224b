import { isLoopbackName } from '../../../lib/adapter/index.js';
import { type ReportRule, rule } from '../rule.js';
import { listed, observe, option, urlOf } from './observe.js';

/** Names that no public server has. RFC 2606, RFC 6762 */
const RESERVED_HOST = /(?:^|\.)(?:example|test|invalid|localhost|local|internal)$/;

/** Rules about the issuer, the metadata, CORS, registration and tenants. */
export const SERVER_RULES: readonly ReportRule[] = [
  rule('issuer-missing', 'medium', 'RFC 9207 §2', {
    should: 'The server has an issuer.',
    change: 'Set `issuer` to the public https URL of the server.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'A client of several servers can be made to send the code of this server to another one (mix-up).',
    isFineInDevelopment: true,
    judge: ({ issuer, store }) =>
      option('issuer', store.can('saveToken') && issuer === undefined && 'The option `issuer` is not set.'),
  }),
  rule('issuer-not-https', 'high', 'RFC 8414 §2', {
    should: 'The issuer is an https URL.',
    change: 'Serve https, by a proxy or by Node.js, and change the issuer.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'A network attacker reads passwords, codes and tokens. Cookies are not `Secure`.',
    isFineInDevelopment: true,
    judge: ({ issuer }) =>
      option('issuer', issuer !== undefined && issuer.protocol !== 'https:' && `The issuer is \`${issuer.origin}\`.`),
  }),
  rule('issuer-not-public', 'medium', 'RFC 8414 §2', {
    should: 'In production, the issuer has the name of the public host.',
    change: 'Set `issuer` to the public https URL of the server.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'Links and metadata name a host that clients cannot reach, or that belongs to somebody else in their network.',
    judge: ({ issuer, process }) =>
      option(
        'issuer',
        issuer !== undefined &&
          process.isProduction &&
          (isLoopbackName(issuer.hostname) || RESERVED_HOST.test(issuer.hostname)) &&
          `The host of the issuer is \`${issuer.hostname}\`.`,
      ),
  }),
  rule('metadata-missing', 'info', 'RFC 8414 §3', {
    should: 'Clients can discover the endpoints.',
    change: 'Add `serverMetadata()`.',
    code: 'features: [serverMetadata()]',
    risk: 'Clients are configured by hand, and do not notice changes.',
    judge: ({ issuer, has, store }) =>
      observe(
        'features',
        store.can('saveToken') &&
          issuer !== undefined &&
          !has('serverMetadata') &&
          !has('openid') &&
          'The server publishes no metadata.',
      ),
  }),
  rule('cors-any-origin', 'low', 'RFC 9700 §2.6', {
    should: 'Only pages of known origins call the token endpoint.',
    change: 'List the origins.',
    code: "OAuth2Module.forRoot({ cors: { origins: ['https://app.example.com'] }, … })",
    risk: 'Any page that has a code or a token can use it from the browser of the user. Cookies are never sent.',
    judge: ({ options, has }) =>
      option(
        'cors.origins',
        options.cors?.origins === '*' && {
          is: 'Pages of all origins may call the endpoints.',
          // Browser clients of MCP run at any origin.
          ...(has('mcp') && { severity: 'info' }),
        },
      ),
  }),
  rule('cors-http-origin', 'medium', 'RFC 9700 §2.6', {
    should: 'Origins that may call the endpoints use https.',
    change: 'Remove the http origins from production.',
    code: "OAuth2Module.forRoot({ cors: { origins: ['https://app.example.com'] }, … })",
    risk: 'A network attacker changes such a page, and reads the tokens of the user.',
    isFineInDevelopment: true,
    judge: ({ options }) => {
      const origins = options.cors?.origins ?? [];
      const http = origins === '*' ? [] : origins.filter((one) => urlOf(one)?.protocol === 'http:');
      return option('cors.origins', http.length > 0 && `Pages without https may call the endpoints: ${listed(http)}.`);
    },
  }),
  rule('registration-open', 'medium', 'RFC 7591 §5', {
    should: 'Not everybody may register a client.',
    change: 'Require an initial access token, or decide in `mayRegister()` of the model.',
    code: "registration({ initialAccessScope: 'clients:register', scopes })",
    risk: 'An attacker registers a client with the name of yours, and asks users for consent.',
    judge: ({ settings, has }) =>
      option(
        'registration.open',
        settings('registration')['open'] === true && {
          is: 'Everybody may register a client.',
          // The MCP profile expects open registration, with consent for each client.
          ...(has('mcp') && { severity: 'info' }),
        },
      ),
  }),
  rule('registration-no-rate', 'medium', 'RFC 7591 §5', {
    should: 'The number of registrations is limited.',
    change: 'Remove `rate: false`, unless your proxy limits this endpoint.',
    code: 'registration({ rate: { requests: 20, per: 3600 } })',
    risk: 'A flood of registrations fills the store.',
    judge: ({ settings }) =>
      option('registration.rate', settings('registration')['rate'] === false && 'There is no limit.'),
  }),
  rule('registration-strong-grants', 'high', 'RFC 7591 §5', {
    should: 'Clients that register themselves act only for users who agree.',
    change: 'Allow only grants with a user.',
    code: "registration({ grants: ['authorization_code', 'refresh_token'] })",
    risk: 'Everybody gets tokens of a client, without a user.',
    judge: ({ settings }) =>
      ['registration', 'clientIdDocuments'].flatMap((feature) => {
        const { grants = [], open } = settings(feature) as { grants?: readonly string[]; open?: boolean };
        const strong = grants.filter((one) => ['client_credentials', 'password', 'implicit'].includes(one));
        const isOpen = feature === 'clientIdDocuments' || open === true;
        return option(
          `${feature}.grants`,
          strong.length > 0 && {
            is: `Clients that nobody knows may have ${listed(strong)}.`,
            ...(!isOpen && { severity: 'medium' }),
          },
        );
      }),
  }),
  rule('client-documents-any-redirect', 'info', 'CIMD §8.1', {
    should: 'Documents of clients contain only redirect URIs at their own origin.',
    change: "Set `redirects` to `'own'`, if your clients allow it.",
    code: "clientIdDocuments({ redirects: 'own' })",
    risk: 'The consent page shows the host of the document, and the code goes to another host. The page warns of it.',
    judge: ({ settings }) =>
      option(
        'clientIdDocuments.redirects',
        settings('clientIdDocuments')['redirects'] === 'any' && 'Redirect URIs may be at any origin.',
      ),
  }),
  rule('tenants-not-examined', 'info', 'RFC 9700 §4.4', {
    should: 'The report examines the tenants.',
    change: 'Name tenants of each kind.',
    code: 'npx nest-oauth2 doctor --tenant acme',
    risk: 'Options and clients of tenants are not judged.',
    judge: ({ server, tenants }) =>
      observe(
        'tenants',
        tenants?.length === 0 && server.features.some(({ id }) => id === 'OAuth2Module') && 'No tenant was examined.',
      ),
  }),
  rule('tenant-issuer-shared-host', 'info', 'RFC 9700 §4.4', {
    should: 'Tenants that do not trust each other have hosts of their own.',
    change: 'Use one host name for each tenant.',
    code: 'createTenantOptions: (tenant) => ({ issuer: `https://${tenant}.example.com` })',
    risk: 'Pages of all tenants share one origin. A script of one tenant can read pages of another.',
    judge: ({ tenant, issuer }) =>
      observe(
        `tenant:${tenant}`,
        tenant !== undefined && issuer !== undefined && issuer.pathname !== '/' && 'The issuer is a path at a host.',
      ),
  }),
];
