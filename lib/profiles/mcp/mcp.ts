import type { Feature, ServerContext } from '../../contracts/feature.js';
import { isScope } from '../../http/syntax.js';
import { resourceUrl } from '../../endpoints/resource/own-resources.js';
import { scopeText } from '../../tokens/scope.js';
import { resourceKey } from '../../tokens/audience.js';
import { clientIdDocuments } from '../../features/client-id-documents/client-id-documents.js';
import type { ClientIdDocumentOptions } from '../../features/client-id-documents/document-options.js';
import type { ClientPolicyOptions } from '../../clients/registration/client-policy.js';
import { registration } from '../../features/registration/registration.js';
import type { RegistrationOptions } from '../../features/registration/registration-options.js';
import { resourceIndicators } from '../../features/resource-indicators/resource-indicators.js';
import { protectedResource } from '../../features/resource-metadata.js';
import { serverMetadata } from '../../features/server-metadata/server-metadata.js';
import type { Options } from '../../options/resolve-options.js';
import { findUnknownOption } from '../../options/unknown-option.js';

/** What `mcp()` takes. All of it may be left out. */
export interface McpOptions {
  /** The MCP endpoint: its https URL (http for localhost), or its path at the origin of the issuer. Default: `/mcp` */
  resource?: string;
  /** All scope values that clients may ask for; they are told of them. Default: none, and nothing is said */
  scopes?: readonly string[];
  /**
   * The few of them that a client begins with: `scopes_supported` of the resource, and what a client gets that asks for none. It
   * steps up for more. Default: `scopes`
   */
  defaultScope?: readonly string[];
  /** What the MCP server is called, for people: `resource_name`. Default: nothing is said */
  name?: string;
  /** Further options of `clientIdDocuments()`; `false`: nothing is fetched. Default: any client may be known by its document */
  clientIdDocuments?: Omit<ClientIdDocumentOptions, keyof ClientPolicyOptions> | false;
  /** Further options of `registration()`; `false`: no client registers itself. Default: every client may, within its rate */
  registration?: Omit<RegistrationOptions, keyof ClientPolicyOptions> | false;
}

/** Not those that OAuth 2.1 has left out. */
const isOfOAuth21 = (grantType: string): boolean => grantType !== 'password' && grantType !== 'implicit';

/**
 * What the authorization specification of the Model Context Protocol, revision 2026-07-28, asks of an authorization server and
 * of the MCP server it issues tokens for, as a list of features: one that the host lists itself takes the place of that here.
 */
export function mcp(options: McpOptions = {}): readonly Feature[] {
  const {
    resource = '/mcp',
    scopes = [],
    defaultScope = scopes,
    name,
    registration: registered,
    clientIdDocuments: documents,
  } = options ?? {};
  const members = name === undefined ? undefined : { resource_name: name };
  // A client says the scope of its first request, and steps up later.
  const policy = { scopes, defaultScope, allScopes: true };
  return [
    serverMetadata({ scopes, grantTypes: isOfOAuth21 }),
    protectedResource({ resources: [{ resource, scopes: defaultScope, ...(members && { members }) }], atRoot: true }),
    resourceIndicators(),
    ...(documents === false ? [] : [clientIdDocuments({ ...documents, ...policy })]),
    ...(registered === false ? [] : [registration({ ...withOpenRegistration(registered), ...policy })]),
    profile(options ?? {}),
  ];
}

/** Everybody, unless the host says who. */
const withOpenRegistration = (given: McpOptions['registration']) =>
  given && given.initialAccessScope !== undefined ? given : { open: true, ...given };

/** What no single specification asks: that these are used, and how. */
const profile = (options: McpOptions): Feature => ({
  id: 'mcp',
  specification: 'MCP',
  // Clients in browsers are found at any origin, and what they may do hangs on no cookie. Several requests of a client find out
  // at once that its token is over, and each refreshes it.
  defaults: { requirePKCE: 'all', refreshTokenReuseInterval: 10, cors: { origins: '*', resources: true } },
  install: () => ({
    misconfigurations: (server) => configurationErrors(options, server),
    callMisconfigurations: optionErrors,

    resource: {
      /** Names the scope to request to clients without a valid token. `insufficient_scope` names it anyway. RFC 6750 §3 */
      challenge({ error, options: { scope: wanted }, request, server }) {
        const scope = error.name === 'insufficient_scope' ? undefined : scopeText(wanted);
        if (scope === undefined || !isScope(scope) || server.resourceOf(request) === undefined) return undefined;
        return { scope };
      },
    },
  }),
});

const NAMES = {
  resource: true,
  scopes: true,
  defaultScope: true,
  name: true,
  clientIdDocuments: true,
  registration: true,
} as const;

function* configurationErrors(options: McpOptions, { options: settled, resources }: ServerContext): Iterable<string> {
  const misspelt = findUnknownOption(options, NAMES, '`mcp()`');
  if (misspelt !== undefined) yield misspelt;
  yield* optionErrors(settled);
  const { resource, name } = options;
  if (name !== undefined && (typeof name !== 'string' || name === '')) yield '`name` of `mcp()` must be a text';
  const url = resource === undefined ? undefined : resourceUrl(resource, settled.issuer);
  if (url !== undefined && !resources.some((one) => resourceKey(one) === resourceKey(url))) {
    yield `\`protectedResource()\` beside \`mcp()\` does not list its resource \`${resource}\`: list it there`;
  }
}

/** Validates the options of a server or of a single call. MCP 2026-07-28, Authorization */
function* optionErrors({ requirePKCE, enablePlainPKCE, allowBearerTokensInQueryString }: Options): Iterable<string> {
  if (requirePKCE !== 'all')
    yield '`mcp()` requires a PKCE challenge of every client: leave the option `requirePKCE` out';
  if (enablePlainPKCE) yield '`mcp()` rejects the PKCE method `plain`: leave the option `enablePlainPKCE` out';
  if (!allowBearerTokensInQueryString) return;
  yield '`mcp()` rejects access tokens in a URL: leave the option `allowBearerTokensInQueryString` out';
}
