import { isLoopbackName } from '../../../lib/internal.js';
import { observe, type ReportRule, rulesOf } from '../rule.js';
import { listed, urlOf } from './observe.js';

/** Names that no public server has. RFC 2606, RFC 6762 */
const RESERVED_HOST = /(?:^|\.)(?:example|test|invalid|localhost|local|internal)$/;

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
issuer-missing | medium* | option:issuer | RFC 9207 §2 | The server has an issuer. | Set \`issuer\` to the public https URL of the server. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | A client of several servers can be made to send the code of this server to another one (mix-up).
issuer-not-https | high* | option:issuer | RFC 8414 §2 | The issuer is an https URL. | Serve https, by a proxy or by Node.js, and change the issuer. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | A network attacker reads passwords, codes and tokens. Cookies are not \`Secure\`.
issuer-not-public | medium | option:issuer | RFC 8414 §2 | In production, the issuer has the name of the public host. | Set \`issuer\` to the public https URL of the server. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | Links and metadata name a host that clients cannot reach, or that is another host in their network.
metadata-missing | info | features | RFC 8414 §3 | Clients can discover the endpoints. | Add \`serverMetadata()\`. | features: [serverMetadata()] // of 'nest-oauth2/features' | Clients are configured by hand, and do not notice changes.
cors-any-origin | low | option:cors.origins | RFC 9700 §2.6 | Only pages of known origins call the token endpoint. | List the origins. | OAuth2Module.forRoot({ cors: { origins: ['https://app.example.com'] }, … }) | Any page that has a code or a token can use it from the browser of the user. Cookies are never sent.
cors-http-origin | medium* | option:cors.origins | RFC 9700 §2.6 | Origins that may call the endpoints use https. | Remove the http origins from production. | OAuth2Module.forRoot({ cors: { origins: ['https://app.example.com'] }, … }) | A network attacker changes such a page, and reads the tokens of the user.
registration-open | medium | option:registration.open | RFC 7591 §5 | Registration of clients requires a permission. | Require an initial access token, or decide in \`mayRegister()\` of the model. | registration({ initialAccessScope: 'clients:register', scopes }) | An attacker registers a client with the name of yours, and asks users for consent.
registration-no-rate | medium | option:registration.rate | RFC 7591 §5 | The number of registrations is limited. | Remove \`rate: false\`, unless your proxy limits this endpoint. | registration({ rate: { requests: 20, per: 3600 } }) | A flood of registrations fills the store.
registration-strong-grants | high | | RFC 7591 §5 | Clients that register themselves act only for users who agree. | Allow only grants with a user. | registration({ grants: ['authorization_code', 'refresh_token'] }) | An attacker registers a client and gets its tokens, without a user.
client-documents-any-redirect | info | option:clientIdDocuments.redirects | CIMD §8.1 | Documents of clients contain only redirect URIs at their own origin. | Set \`redirects\` to \`'own'\`, if your clients allow it. | clientIdDocuments({ redirects: 'own' }) | The consent page shows the host of the document, and the code goes to another host. The page warns of it.
tenants-not-examined | info | tenants | RFC 9700 §4.4 | The report examines the tenants. | Name tenants of each kind. | npx nest-oauth2 doctor --tenant acme | Options and clients of tenants are not judged.
tenant-issuer-shared-host | info | | RFC 9700 §4.4 | Tenants that do not trust each other have hosts of their own. | Use one host name for each tenant. | createTenantOptions: (tenant) => ({ issuer: \`https://\${tenant}.example.com\` }) | Pages of all tenants share one origin. A script of one tenant can read pages of another.
`;

/** Rules about the issuer, the metadata, CORS, registration and tenants. */
export const SERVER_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'issuer-missing': ({ issuer, store }) =>
    store.can('saveToken') && issuer === undefined && 'The option `issuer` is not set.',
  'issuer-not-https': ({ issuer }) =>
    issuer !== undefined && issuer.protocol !== 'https:' && `The issuer is \`${issuer.origin}\`.`,
  'issuer-not-public': ({ issuer, process }) =>
    issuer !== undefined &&
    process.isProduction &&
    (isLoopbackName(issuer.hostname) || RESERVED_HOST.test(issuer.hostname)) &&
    `The host of the issuer is \`${issuer.hostname}\`.`,
  'metadata-missing': ({ issuer, has, store }) =>
    store.can('saveToken') &&
    issuer !== undefined &&
    !has('serverMetadata') &&
    !has('openid') &&
    'The server publishes no metadata.',
  'cors-any-origin': ({ options, has }) =>
    options.cors?.origins === '*' && {
      is: 'Pages of all origins may call the endpoints.',
      // Browser clients of MCP run at any origin.
      ...(has('mcp') && { severity: 'info' }),
    },
  'cors-http-origin': ({ options }) => {
    const origins = options.cors?.origins ?? [];
    const http = origins === '*' ? [] : origins.filter((one) => urlOf(one)?.protocol === 'http:');
    return http.length > 0 && `Pages without https may call the endpoints: ${listed(http)}.`;
  },
  'registration-open': ({ settings, has }) =>
    settings('registration')['open'] === true && {
      is: 'Clients may register without a permission.',
      // The MCP profile expects open registration, with consent for each client.
      ...(has('mcp') && { severity: 'info' }),
    },
  'registration-no-rate': ({ settings }) => settings('registration')['rate'] === false && 'There is no limit.',
  'registration-strong-grants': ({ settings }) =>
    ['registration', 'clientIdDocuments'].flatMap((feature) => {
      const { grants = [], open } = settings(feature) as { grants?: readonly string[]; open?: boolean };
      const strong = grants.filter((one) => ['client_credentials', 'password', 'implicit'].includes(one));
      const isOpen = feature === 'clientIdDocuments' || open === true;
      return observe(
        `option:${feature}.grants`,
        strong.length > 0 && {
          is: `Unknown clients may have ${listed(strong)}.`,
          ...(!isOpen && { severity: 'medium' }),
        },
      );
    }),
  'client-documents-any-redirect': ({ settings }) =>
    settings('clientIdDocuments')['redirects'] === 'any' && 'Redirect URIs may be at any origin.',
  'tenants-not-examined': ({ server, tenants }) =>
    tenants?.length === 0 && server.features.some(({ id }) => id === 'OAuth2Module') && 'No tenant was examined.',
  'tenant-issuer-shared-host': ({ tenant, issuer }) =>
    observe(
      `tenant:${tenant}`,
      tenant !== undefined && issuer !== undefined && issuer.pathname !== '/' && 'The issuer is a path at a host.',
    ),
});
