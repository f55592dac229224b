import type { Feature, ServerFacts } from '../../feature.js';
import { isScope } from '../../http/syntax.js';
import { resourceUrl } from '../../resource/own-resources.js';
import { scopeText } from '../../tokens/scope.js';
import { resourceKey } from '../../tokens/audience.js';
import { resourceIndicators } from '../resource-indicators/resource-indicators.js';
import { protectedResource } from '../resource-metadata.js';
import { serverMetadata } from '../server-metadata/server-metadata.js';
import { unknownOption } from '../unknown-option.js';

/** What `mcp()` takes. All of it may be left out. */
export interface McpOptions {
  /** The MCP endpoint: its https URL (http for localhost), or its path at the origin of the issuer. Default: `/mcp` */
  resource?: string;
  /**
   * The few scope values that a client needs to begin with, `scopes_supported` of the resource: it asks for them where no
   * challenge names others, and steps up for more. Default: nothing is said
   */
  scopes?: readonly string[];
  /** What the MCP server is called, for people: `resource_name`. Default: nothing is said */
  name?: string;
}

/** Not those that OAuth 2.1 has left out. */
const isOfOAuth21 = (grantType: string): boolean => grantType !== 'password' && grantType !== 'implicit';

/**
 * What the authorization specification of the Model Context Protocol, revision 2026-07-28, asks of an authorization server and
 * of the MCP server it issues tokens for, as a list of features: one that the host lists itself takes the place of that here.
 */
export function mcp(options: McpOptions = {}): readonly Feature[] {
  const { resource = '/mcp', scopes = [], name } = options ?? {};
  const members = name === undefined ? undefined : { resource_name: name };
  return [
    serverMetadata({ grantTypes: isOfOAuth21 }),
    protectedResource({ resources: [{ resource, scopes, ...(members && { members }) }], atRoot: true }),
    resourceIndicators(),
    profile(options ?? {}),
  ];
}

/** What no single specification asks: that these are used, and how. */
const profile = (options: McpOptions): Feature => ({
  name: 'MCP',
  // Clients in browsers are found at any origin, and what they may do hangs on no cookie. Several requests of a client find out
  // at once that its token is over, and each refreshes it.
  defaults: { requirePKCE: 'all', refreshTokenReuseInterval: 10, cors: { origins: '*', resources: true } },
  check: (server) => [...faultsOf(options, server)],

  /** A client that brings no good token learns which scope to ask for; of one that falls short it is said anyway. RFC 6750 §3 */
  challenge({ error, options: { scope: wanted }, request, server }) {
    const scope = error.name === 'insufficient_scope' ? undefined : scopeText(wanted);
    if (scope === undefined || !isScope(scope) || server.resourceOf(request) === undefined) return undefined;
    return { scope };
  },
});

const NAMES = { resource: true, scopes: true, name: true } as const;

function* faultsOf(options: McpOptions, { options: settled, resources }: ServerFacts): Iterable<string> {
  const misspelt = unknownOption(options, NAMES, '`mcp()`');
  if (misspelt !== undefined) yield misspelt;
  const { issuer, requirePKCE, enablePlainPKCE } = settled;
  if (requirePKCE !== 'all') yield '`mcp()` has every client send a PKCE challenge: leave the option `requirePKCE` out';
  if (enablePlainPKCE) yield '`mcp()` takes no `plain` challenges: leave the option `enablePlainPKCE` out';
  const { resource, name } = options;
  if (name !== undefined && (typeof name !== 'string' || name === '')) yield '`name` of `mcp()` must be a text';
  const url = resource === undefined ? undefined : resourceUrl(resource, issuer);
  if (url !== undefined && !resources.some((one) => resourceKey(one) === resourceKey(url))) {
    yield `\`protectedResource()\` beside \`mcp()\` does not list its resource \`${resource}\`: list it there`;
  }
}
