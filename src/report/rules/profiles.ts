import { isLoopbackName } from '../../../lib/internal.js';
import type { ReportClient } from '../facts/client.js';
import { observe, type ReportRule, rulesOf } from '../rule.js';
import { isAbove, listed, perClient, unguarded, urlOf } from './observe.js';

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

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
mcp-endpoint-not-guarded | high | | MCP 2026-07-28, Authorization | The MCP endpoint requires an access token. | Add the guard to the controller. | @Controller('mcp') @UseGuards(OAuthGuard) | An attacker can call the tools.
mcp-resource-not-https | high* | option:mcp.resource | MCP 2026-07-28, Authorization | The MCP endpoint uses https. | Set the public https URL. | mcp({ resource: 'https://mcp.example.com/mcp' }) | A network attacker reads access tokens and results of tools.
mcp-no-scopes | low | option:mcp.scopes | MCP Security Best Practices, Scope Minimization | Tools are grouped by scopes. | Define scopes, and require one for each tool. | mcp({ scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] }) | Each client that a user connects may call all tools.
mcp-all-scopes-at-first | low | option:mcp.defaultScope | MCP Security Best Practices, Scope Minimization | The first request of a client asks for few scopes. | Set \`defaultScope\`. Clients request more when a tool needs it. | mcp({ scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] }) | Users get used to agree to everything.
mcp-any-host | medium | option:mcp.hosts | MCP 2026-07-28, Transports | The MCP endpoint accepts only known values of \`Host\` and \`Origin\`. | List them instead of \`'*'\`. | mcp({ hosts: ['mcp.example.com'], origins: ['https://app.example.com'] }) | A page of an attacker can reach the endpoint by DNS rebinding.
mcp-long-tokens | low | option:accessTokenLifetime | MCP 2026-07-28, Authorization | Access tokens of MCP clients are short-lived. | Shorten the lifetime. Clients refresh their tokens. | OAuth2Module.forRoot({ accessTokenLifetime: 3600, … }) | A token from the configuration file of a client works for a long time.
fapi-client-authentication | medium | | FAPI 2.0 SP §5.3.2.1 (6) | Each client authenticates with a key or a certificate. | Register the key of the client. | npx nest-oauth2 clients change bank --auth-method private_key_jwt --set 'jwksUri="https://bank.example/jwks"' | All requests of the client are rejected.
fapi-client-redirect | medium | | FAPI 2.0 SP §5.3.2.2 (8) | Redirect URIs use https. | Serve the callback by https. | npx nest-oauth2 clients change bank --redirect-uri https://bank.example/callback | The requests of the client are rejected.
fapi-client-algorithm | medium | | FAPI 2.0 SP §5.4.1 | Clients use PS256, ES256 or Ed25519. | Register another algorithm, or none. | npx nest-oauth2 clients change bank --set 'tokenEndpointAuthSigningAlg="ES256"' | The requests of the client are rejected.
`;

/** Rules of the profiles MCP and FAPI 2.0. They judge only servers with `mcp()` or `fapi2()`. */
export const PROFILE_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'mcp-endpoint-not-guarded': ({ application, server, has }) => {
    const paths = has('mcp') ? server.resources.map((uri) => urlOf(uri)?.pathname ?? '') : [];
    // The path of a route lacks the global prefix of the application.
    const isResource = (path: string) => paths.some((one) => one === path || (path !== '/' && one.endsWith(path)));
    return (application?.routes ?? []).flatMap(({ name, path, isGuarded, isPublic, otherGuards }) =>
      observe(
        `route:${name}`,
        isResource(path) && (!isGuarded || isPublic) && unguarded('The MCP endpoint is a route', otherGuards),
      ),
    );
  },
  'mcp-resource-not-https': ({ server, has }) => {
    const http = has('mcp') ? server.resources.filter((uri) => urlOf(uri)?.protocol === 'http:') : [];
    return http.length > 0 && `MCP endpoints without https: ${listed(http)}.`;
  },
  'mcp-no-scopes': ({ settings, has }) => {
    const { scopes = [] } = settings('mcp') as { scopes?: readonly string[] };
    return has('mcp') && scopes.length === 0 && 'The MCP server has no scopes.';
  },
  'mcp-all-scopes-at-first': ({ settings }) => {
    const { scopes = [], defaultScope = scopes } = settings('mcp') as Record<string, readonly string[]>;
    return scopes.length > 1 && defaultScope.length >= scopes.length && 'Clients ask for all scopes at first.';
  },
  'mcp-any-host': ({ settings }) => {
    const { hosts, origins } = settings('mcp');
    return (hosts === '*' || origins === '*') && 'All hosts or all origins are accepted.';
  },
  'mcp-long-tokens': ({ has, options: { accessTokenLifetime: seconds } }) =>
    has('mcp') && isAbove(seconds, 3600) && `Access tokens last ${seconds} seconds.`,
  'fapi-client-authentication': perClient(
    ({ field }, { has }) =>
      has('fapi2') &&
      !FAPI_METHODS.includes(field('tokenEndpointAuthMethod')) &&
      'The authentication method of the client is not allowed by FAPI 2.0.',
  ),
  'fapi-client-redirect': perClient((client, { has }) => {
    const http = client.redirectUris.filter((uri) => {
      const url = urlOf(uri);
      return url?.protocol === 'http:' && !isLoopbackName(url.hostname);
    });
    return has('fapi2') && usesCodes(client) && http.length > 0 && 'A redirect URI uses http.';
  }),
  'fapi-client-algorithm': perClient(({ field }, { has }) => {
    const weak = ALGORITHM_FIELDS.filter((name) => field(name) !== undefined && !FAPI_ALGORITHMS.includes(field(name)));
    return has('fapi2') && weak.length > 0 && `The client has another algorithm in ${listed(weak)}.`;
  }),
});
