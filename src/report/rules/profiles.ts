import { isLoopbackName } from '../../../lib/adapter/index.js';
import type { ReportClient } from '../facts/client.js';
import { type ReportRule, rule } from '../rule.js';
import { isAbove, listed, observe, option, perClient, urlOf } from './observe.js';

const FAPI_METHODS: readonly unknown[] = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'];
const FAPI_ALGORITHMS: readonly unknown[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
const ALGORITHM_FIELDS = [
  'tokenEndpointAuthSigningAlg',
  'idTokenSignedResponseAlg',
  'userinfoSignedResponseAlg',
  'requestObjectSigningAlg',
  'authorizationSignedResponseAlg',
];

const usesCodes = ({ grants }: ReportClient) => grants.includes('authorization_code');

/** Rules of the profiles MCP and FAPI 2.0. They judge only servers with `mcp()` or `fapi2()`. */
export const PROFILE_RULES: readonly ReportRule[] = [
  rule('mcp-endpoint-not-guarded', 'high', 'MCP 2026-07-28, Authorization', {
    should: 'The MCP endpoint requires an access token.',
    change: 'Add the guard to the controller.',
    code: "@Controller('mcp') @UseGuards(OAuthGuard)",
    risk: 'Everybody can call the tools.',
    judge: ({ application, server, has }) => {
      const paths = new Set(has('mcp') ? server.resources.map((uri) => urlOf(uri)?.pathname) : []);
      return (application?.routes ?? []).flatMap(({ name, path, isGuarded, isPublic }) =>
        observe(
          `route:${name}`,
          paths.has(path) && (!isGuarded || isPublic) && `The route \`${path}\` accepts calls without a token.`,
        ),
      );
    },
  }),
  rule('mcp-resource-not-https', 'high', 'MCP 2026-07-28, Authorization', {
    should: 'The MCP endpoint uses https.',
    change: 'Set the public https URL.',
    code: "mcp({ resource: 'https://mcp.example.com/mcp' })",
    risk: 'A network attacker reads access tokens and results of tools.',
    isFineInDevelopment: true,
    judge: ({ server, has }) => {
      const http = has('mcp') ? server.resources.filter((uri) => urlOf(uri)?.protocol === 'http:') : [];
      return option('mcp.resource', http.length > 0 && `MCP endpoints without https: ${listed(http)}.`);
    },
  }),
  rule('mcp-no-scopes', 'low', 'MCP Security Best Practices, Scope Minimization', {
    should: 'Tools are grouped by scopes.',
    change: 'Define scopes, and require one for each tool.',
    code: "mcp({ scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] })",
    risk: 'Each client that a user connects may call all tools.',
    judge: ({ settings, has }) => {
      const { scopes = [] } = settings('mcp') as { scopes?: readonly string[] };
      return option('mcp.scopes', has('mcp') && scopes.length === 0 && 'The MCP server has no scopes.');
    },
  }),
  rule('mcp-all-scopes-at-first', 'low', 'MCP Security Best Practices, Scope Minimization', {
    should: 'The first request of a client asks for few scopes.',
    change: 'Set `defaultScope`. Clients request more when a tool needs it.',
    code: "mcp({ scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] })",
    risk: 'Users get used to agree to everything.',
    judge: ({ settings }) => {
      const { scopes = [], defaultScope = scopes } = settings('mcp') as Record<string, readonly string[]>;
      return option(
        'mcp.defaultScope',
        scopes.length > 1 && defaultScope.length >= scopes.length && 'Clients ask for all scopes at first.',
      );
    },
  }),
  rule('mcp-any-host', 'medium', 'MCP 2026-07-28, Transports', {
    should: 'The MCP endpoint accepts only known values of `Host` and `Origin`.',
    change: "List them instead of `'*'`.",
    code: "mcp({ hosts: ['mcp.example.com'], origins: ['https://app.example.com'] })",
    risk: 'A page of an attacker can reach the endpoint by DNS rebinding.',
    judge: ({ settings }) => {
      const { hosts, origins } = settings('mcp');
      return option('mcp.hosts', (hosts === '*' || origins === '*') && 'All hosts or all origins are accepted.');
    },
  }),
  rule('mcp-long-tokens', 'low', 'MCP 2026-07-28, Authorization', {
    should: 'Access tokens of MCP clients are short-lived.',
    change: 'Shorten the lifetime. Clients refresh their tokens.',
    code: 'OAuth2Module.forRoot({ accessTokenLifetime: 3600, … })',
    risk: 'A token from the configuration file of a client works for a long time.',
    judge: ({ has, options: { accessTokenLifetime: seconds } }) =>
      option('accessTokenLifetime', has('mcp') && isAbove(seconds, 3600) && `Access tokens last ${seconds} seconds.`),
  }),
  rule('fapi-client-authentication', 'medium', 'FAPI 2.0 SP §5.3.2.1 (6)', {
    should: 'Each client authenticates with a key or a certificate.',
    change: 'Register the key of the client.',
    code: "await clients.change('bank', { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://bank.example/jwks' });",
    risk: 'All requests of the client are rejected.',
    judge: (facts) =>
      perClient(
        facts,
        ({ field }) =>
          facts.has('fapi2') &&
          !FAPI_METHODS.includes(field('tokenEndpointAuthMethod')) &&
          'The authentication method of the client is not allowed by FAPI 2.0.',
      ),
  }),
  rule('fapi-client-redirect', 'medium', 'FAPI 2.0 SP §5.3.2.2 (8)', {
    should: 'Redirect URIs use https.',
    change: 'Serve the callback by https.',
    code: "await clients.change('bank', { redirectUris: ['https://bank.example/callback'] });",
    risk: 'The requests of the client are rejected.',
    judge: (facts) =>
      perClient(facts, (client) => {
        const http = client.redirectUris.filter((uri) => {
          const url = urlOf(uri);
          return url?.protocol === 'http:' && !isLoopbackName(url.hostname);
        });
        return facts.has('fapi2') && usesCodes(client) && http.length > 0 && 'A redirect URI uses http.';
      }),
  }),
  rule('fapi-client-algorithm', 'medium', 'FAPI 2.0 SP §5.4.1', {
    should: 'Clients use PS256, ES256 or Ed25519.',
    change: 'Register another algorithm, or none.',
    code: "await clients.change('bank', { tokenEndpointAuthSigningAlg: 'ES256' });",
    risk: 'The requests of the client are rejected.',
    judge: (facts) =>
      perClient(facts, ({ field }) => {
        const weak = ALGORITHM_FIELDS.filter(
          (name) => field(name) !== undefined && !FAPI_ALGORITHMS.includes(field(name)),
        );
        return facts.has('fapi2') && weak.length > 0 && `The client has another algorithm in ${listed(weak)}.`;
      }),
  }),
];
