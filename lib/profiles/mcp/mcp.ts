import type { Feature, ServerContext } from '../../contracts/feature.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { isScope } from '../../http/syntax.js';
import { ofResources } from '../../endpoints/resource/own-resources.js';
import { scopeText } from '../../tokens/scope.js';
import { resourceKey } from '../../tokens/audience.js';
import { clientIdDocuments } from '../../features/client-id-documents/client-id-documents.js';
import type { ClientIdDocumentOptions } from '../../features/client-id-documents/document-options.js';
import type { ClientPolicyOptions } from '../../clients/registration/client-policy.js';
import { registration } from '../../features/registration/registration.js';
import type { RegistrationOptions } from '../../features/registration/registration-options.js';
import { DEDICATED_RESOURCES } from '../../features/resource-indicators/dedicated-resources.js';
import { resourceIndicators } from '../../features/resource-indicators/resource-indicators.js';
import { protectedResource } from '../../features/resource-metadata.js';
import { serverMetadata } from '../../features/server-metadata/server-metadata.js';
import { ASSERTED_RESOURCES } from '../../jose/jwt-bearer/asserted-resources.js';
import { JWT_BEARER_GRANT } from '../../jose/jwt-bearer/assertion-grant.js';
import { privateKeyJwt } from '../../jose/private-key-jwt/private-key-jwt.js';
import { claimsOfScopes, OFFLINE_ACCESS, OPENID_SCOPE } from '../../openid/scopes.js';
import { hasOnce } from '../../model/has-once.js';
import type { Options } from '../../options/resolve-options.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { ANY, TEXT } from '../../options/value-checks.js';
import { ALLOWED_REQUEST_ROWS, type AllowedRequestOptions, AllowedRequests } from './allowed-requests.js';
import { assertedResources, enterpriseGrant, type EnterpriseOptions } from './enterprise.js';
import { verifyMirroredHeaders } from './mirrored-headers.js';

/** The options of `mcp()`. All are optional. */
export interface McpOptions extends AllowedRequestOptions {
  /**
   * The MCP endpoint: its https URL (http for localhost), its path relative to the origin of the issuer such as `/mcp`,
   * or the path of its route without a leading slash, to which the application adds its global prefix and version. An
   * application with several MCP endpoints lists them all. For tenants with a path each, a path begins with parameters,
   * such as `/:tenant/mcp`. Default: `mcp`.
   */
  resource?: string | readonly string[];
  /** All scope values that clients may request. Default: none. */
  scopes?: readonly string[];
  /**
   * The scope values for the first request of a client. They are published as `scopes_supported` of the resource and of
   * the server, because some clients request every published scope. They are granted to a client whose request has no
   * `scope`. A client requests more by step-up. Default: `scopes`.
   */
  defaultScope?: readonly string[];
  /** The display name of the MCP server, published as `resource_name`. If omitted, no name is published. */
  name?: string;
  /**
   * Further options of `clientIdDocuments()`. `false` omits the feature. If omitted, any client may use a client ID
   * metadata document.
   */
  clientIdDocuments?: Omit<ClientIdDocumentOptions, keyof ClientPolicyOptions> | false;
  /**
   * Further options of `registration()`. `false` omits the feature. If omitted, any client may register, within the
   * rate limit.
   */
  registration?: Omit<RegistrationOptions, keyof ClientPolicyOptions> | false;
  /**
   * Enterprise-managed authorization: accepts identity assertions (ID-JAG) of the identity providers of companies. The
   * model needs the method `findAssertedUser()`. If omitted, none are accepted.
   * draft-ietf-oauth-identity-assertion-authz-grant-04
   */
  enterprise?: EnterpriseOptions;
}

/** The route path of the default MCP endpoint. */
const ENDPOINT = 'mcp';

/**
 * Returns the features that the authorization specification of the Model Context Protocol, revision 2026-07-28,
 * requires of an authorization server and its MCP server. A feature that the application lists itself replaces the one
 * of the profile.
 * @throws {InvalidArgumentError} If `scopes` or `defaultScope` is not a list.
 */
export function mcp(options: McpOptions = {}): readonly Feature[] {
  const {
    resource = ENDPOINT,
    scopes = [],
    defaultScope = scopes,
    name,
    registration: registered,
    clientIdDocuments: documents,
    enterprise,
  } = options ?? {};
  assertConfig(Array.isArray(scopes), "`scopes` of `mcp()` must be a list such as ['notes:read']");
  assertConfig(Array.isArray(defaultScope), "`defaultScope` of `mcp()` must be a list such as ['notes:read']");
  const members = name === undefined ? undefined : { resource_name: name };
  const describe = (one: string) => ({ resource: one, scopes: defaultScope, ...(members && { members }) });
  // Every client is registered for all scopes: it sends the scope of its first request, and requests more by step-up.
  const policy = { scopes, defaultScope, allScopes: true };
  const grants = ['authorization_code', 'refresh_token', ...(enterprise === undefined ? [] : [JWT_BEARER_GRANT])];
  return [
    // Some clients request every scope that is published here. They step up to the others.
    serverMetadata({ scopes: defaultScope }),
    protectedResource({ resources: [resource].flat().map(describe), atRoot: true }),
    // Tokens without a resource stay valid at all routes except the MCP endpoint.
    resourceIndicators({ unrestricted: true }),
    ...(documents === false ? [] : [clientIdDocuments({ ...documents, ...policy, grants })]),
    ...(documents === false && registered === false ? [] : [clientKeys(documents)]),
    ...(registered === false ? [] : [registration({ ...withOpenRegistration(registered), ...policy })]),
    ...(enterprise === undefined ? [] : [enterpriseGrant(enterprise)]),
    profile(options ?? {}),
  ];
}

/**
 * Returns the options of `registration()`. Registration is open to all clients, unless the application sets
 * `initialAccessScope`.
 */
const withOpenRegistration = (options: McpOptions['registration']) =>
  options && options.initialAccessScope !== undefined ? options : { open: true, ...options };

/**
 * Returns the feature `privateKeyJwt()`, by which clients such as ChatGPT authenticate. If the model cannot detect
 * replayed assertions, as in a separate resource server, the feature does nothing.
 */
function clientKeys(documents: McpOptions['clientIdDocuments']): Feature {
  const feature = privateKeyJwt(documents && documents.fetch ? { fetch: documents.fetch } : {});
  return { ...feature, install: (builder) => (hasOnce(builder.options.model) ? feature.install!(builder) : undefined) };
}

/** The scope values that `openid()` publishes. A client that may not request them gets its other scopes. */
const OPENID_SCOPES = [OPENID_SCOPE, ...claimsOfScopes().keys(), OFFLINE_ACCESS];

/** Returns the feature that sets the default options of the profile and validates the options of the server. */
const profile = (options: McpOptions): Feature => ({
  id: 'mcp',
  specification: 'MCP',
  settings: { ...options },
  // Browser clients run at any origin and send no cookies. Clients refresh one expired token several times at once, and
  // some lose the response and try again hours later.
  defaults: { requirePKCE: 'all', refreshTokenReuseInterval: 'until-used', cors: { origins: '*', resources: true } },
  install: (builder) => {
    const endpoints = ofResources(
      () => builder.server,
      () => endpointsOf(options, builder.server),
    );
    builder.provide(DEDICATED_RESOURCES, () => endpoints);
    if (options.enterprise !== undefined)
      builder.provide(ASSERTED_RESOURCES, () => assertedResources(endpoints, () => builder.server.resources));
    const allowedRequests = new Map<string, AllowedRequests>();
    const { scopes, defaultScope = scopes } = options;
    return {
      misconfigurations: (server) => configurationErrors(options, server),
      callMisconfigurations: optionErrors,
      ...(defaultScope && { defaultScope }),
      // With openid(), the metadata list these scopes too, and some clients request every scope in the metadata.
      ignorableScopes: OPENID_SCOPES,

      resource: {
        admit(request, server) {
          const resource = server.resourceOf(request);
          if (resource === undefined || !endpoints().includes(resource)) return;
          let allowed = allowedRequests.get(resource);
          if (!allowed) allowedRequests.set(resource, (allowed = new AllowedRequests(resource, options, server)));
          allowed.verify(request);
          verifyMirroredHeaders(request);
        },

        /**
         * Adds the required scope to the challenge for clients without a valid token. With `insufficient_scope`, it is
         * there already. RFC 6750 §3
         */
        challenge({ error, options: { scope: requiredScope }, request, server }) {
          const scope = error.name === 'insufficient_scope' ? undefined : scopeText(requiredScope);
          if (scope === undefined || !isScope(scope) || server.resourceOf(request) === undefined) return undefined;
          return { scope };
        },
      },
    };
  },
});

/**
 * Returns the MCP endpoints, as absolute URIs. If the `protectedResource()` of the application lists none of them, all
 * resources that are listed there count as MCP endpoints.
 */
function endpointsOf({ resource = ENDPOINT }: McpOptions, server: ServerContext): readonly string[] {
  const { options, resources } = server;
  const urls = [resource].flat().map((one) => server.resourceUrl(one, options.issuer));
  const own = resources.filter((uri) => urls.some((url) => url !== undefined && resourceKey(uri) === resourceKey(url)));
  return own.length > 0 ? own : resources;
}

const OPTIONS = optionTable('`mcp()`', {
  ...ALLOWED_REQUEST_ROWS,
  resource: { check: ANY },
  scopes: { check: ANY },
  defaultScope: { check: ANY },
  name: { check: TEXT },
  clientIdDocuments: { check: ANY },
  registration: { check: ANY },
  enterprise: { check: ANY },
} satisfies OptionRows<McpOptions>);

function* configurationErrors(options: McpOptions, server: ServerContext): Iterable<string> {
  const { options: settled, resources } = server;
  yield* OPTIONS.findErrors(options);
  yield* optionErrors(settled);
  for (const one of [options.resource ?? []].flat()) {
    const url = server.resourceUrl(one, settled.issuer);
    if (url !== undefined && !resources.some((uri) => resourceKey(uri) === resourceKey(url))) {
      yield `\`protectedResource()\` with \`mcp()\` must list the resource \`${one}\` of \`mcp()\``;
    }
  }
}

/**
 * Yields the errors in the options of a server, or of a single call, that do not meet the requirements of `mcp()`. MCP
 * 2026-07-28, Authorization
 */
function* optionErrors({ requirePKCE, enablePlainPKCE, allowBearerTokensInQueryString }: Options): Iterable<string> {
  if (requirePKCE !== 'all') yield '`mcp()` requires a PKCE challenge of every client: remove the option `requirePKCE`';
  if (enablePlainPKCE) yield '`mcp()` rejects the PKCE method `plain`: remove the option `enablePlainPKCE`';
  if (!allowBearerTokensInQueryString) return;
  yield '`mcp()` rejects access tokens in a URL: remove the option `allowBearerTokensInQueryString`';
}
