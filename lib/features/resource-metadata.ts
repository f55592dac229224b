import { publicDocument } from '../endpoints/public-document.js';
import type { Endpoint, Feature, ServerContext } from '../contracts/feature.js';
import { isPublicUrl } from '../http/public-url.js';
import { comparablePath } from '../http/request-path.js';
import { isResourcePath, isRoutePath } from '../endpoints/resource/own-resources.js';
import { AUTHORIZATION_DETAILS } from '../contracts/authorization-details.js';
import { withSigned } from './server-metadata/signed.js';
import { type OptionRows, optionTable } from '../options/option-table.js';
import { ANY, SECONDS_FROM_0 } from '../options/value-checks.js';
import { findScopesError } from '../options/scopes-error.js';
import { findUnknownOption } from '../options/unknown-option.js';

/** A protected resource that this application serves. */
export interface ProtectedResource {
  /**
   * The identifier of the resource: an https URL without fragment (http for localhost), a path relative to the origin
   * of the issuer such as `/notes`, or the path of a route without a leading slash such as `notes`, to which the
   * application adds its global prefix and version. Requests under its path belong to it. For tenants with a path each,
   * the path begins with parameters, such as `/:tenant/notes`. RFC 9728 §1.2
   */
  resource: string;
  /**
   * The scope values that requests to the resource may require, published as `scopes_supported`. If omitted, they are
   * not published.
   */
  scopes?: readonly string[];
  /** The issuers whose tokens the resource accepts. Default: the option `issuer`. */
  authorizationServers?: readonly string[];
  /** Further metadata members, by their names in RFC 9728 §2, such as `resource_name` or `resource_documentation`. */
  members?: Readonly<Record<string, unknown>>;
}

/** The options of `protectedResource()`. */
export interface ProtectedResourceOptions {
  /**
   * The protected resources, each with a different path. A request belongs to the resource with the longest path that
   * contains it.
   */
  resources: readonly ProtectedResource[];
  /** Seconds for which clients may cache the document. Default: `3600`. */
  maxAge?: number;
  /**
   * Whether the document of the first resource is also published at the root path, for clients that look only there. A
   * strict client rejects it there, because `resource` in it has another path. Default: `false`. RFC 9728 §3.3
   */
  atRoot?: boolean;
}

const PATH = '/.well-known/oauth-protected-resource';

/**
 * Publishes metadata of protected resources. The challenge to a rejected request contains its URL, so that the client
 * learns where to get a token, and with which scopes. RFC 9728
 */
export function protectedResource(options: ProtectedResourceOptions): Feature {
  const { maxAge = 3600, atRoot = false } = options ?? {};
  const resources = (options?.resources ?? []).filter((one) => isResourceIdentifier(one?.resource));
  const documentAt = (path: string, one: ProtectedResource): [string, Endpoint] => {
    const build = (server: ServerContext, issuer: string | undefined) =>
      withSigned(metadataOf(one, server, issuer), issuer, server);
    const resource = path !== PATH && isRoutePath(one.resource) ? one.resource : undefined;
    return [`resource-metadata${path.slice(PATH.length)}`, publicDocument(path, { maxAge, resource, build })];
  };
  return {
    id: 'protectedResource',
    specification: 'RFC 9728',
    resources: resources.map(({ resource }) => resource),
    endpoints: Object.fromEntries([
      ...resources.slice(0, 1).flatMap((first) => (atRoot ? [documentAt(PATH, first)] : [])),
      ...resources.map((one) => documentAt(metadataPath(one.resource), one)),
    ]),
    install: (builder) => ({
      misconfigurations: (server) => configurationErrors(options, server),

      metadata: (issuer) => ({
        protected_resources: resources
          .filter((one) => issuersOf(one, issuer).includes(issuer!))
          .map(({ resource }) => builder.server.resourceUrl(resource, issuer)),
      }),

      resource: {
        challenge({ request, server }) {
          const issuer = server.issuerOf(request);
          const requested = server.resourceOf(request);
          const one = requested && resources.find(({ resource }) => server.resourceUrl(resource, issuer) === requested);
          return one ? { resource_metadata: new URL(requested).origin + metadataPath(requested) } : undefined;
        },
      },
    }),
  };
}

const isResourceIdentifier = (resource: unknown): resource is string =>
  isPublicUrl(resource) || isResourcePath(resource) || isRoutePath(resource);

/**
 * Returns the path of the metadata document of a resource: the path of the resource is appended, unless it is `/`.
 * RFC 9728 §3.1
 */
function metadataPath(resource: string): string {
  const { pathname } = new URL(resource, 'https://host');
  return PATH + (pathname === '/' ? '' : pathname);
}

const issuersOf = ({ authorizationServers }: ProtectedResource, issuer: string | undefined): readonly string[] =>
  authorizationServers ?? (issuer === undefined ? [] : [issuer]);

function metadataOf(one: ProtectedResource, server: ServerContext, issuer: string | undefined): object {
  const { resource, scopes = [], members } = one;
  const { options } = server;
  const types = server.find(AUTHORIZATION_DETAILS)?.types.keys();
  return {
    ...bindingsOf(server),
    // All types of the server. A resource that accepts only some of them lists these in `members`. RFC 9728 §2
    ...(types && { authorization_details_types_supported: [...types] }),
    ...members,
    resource: server.resourceUrl(resource, issuer),
    authorization_servers: issuersOf(one, issuer),
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header', 'body', ...(options.allowBearerTokensInQueryString ? ['query'] : [])],
  };
}

/** Returns the metadata members that state how access tokens can be sender-constrained. RFC 9728 §2 */
function bindingsOf({ confirmationMethods, tokenSchemes }: ServerContext): object {
  const algorithms = tokenSchemes.get('DPoP')?.['algs'];
  return {
    ...(confirmationMethods.has('x5t#S256') && { tls_client_certificate_bound_access_tokens: true }),
    ...(algorithms !== undefined && { dpop_signing_alg_values_supported: algorithms.split(' ') }),
  };
}

const DERIVED = new Map([
  ['resource', 'set `resource` next to `members`'],
  ['authorization_servers', 'set `authorizationServers` instead'],
  ['scopes_supported', 'set `scopes` instead'],
  ['bearer_methods_supported', 'the server sets it itself'],
  ['signed_metadata', 'add the feature `signedMetadata()` instead'],
]);

const OPTIONS = optionTable('`protectedResource()`', {
  resources: { check: ANY },
  maxAge: { check: SECONDS_FROM_0 },
  atRoot: { check: ANY },
} satisfies OptionRows<ProtectedResourceOptions>);

function* configurationErrors(options: ProtectedResourceOptions, server: ServerContext): Iterable<string> {
  yield* OPTIONS.findErrors(options ?? {});
  const { resources } = options ?? {};
  if (!Array.isArray(resources) || resources.length === 0) {
    yield "`protectedResource()` requires `resources`, a list such as `[{ resource: 'https://api.example.com' }]`";
    return;
  }
  const paths = new Map<string, string>();
  for (const one of resources as readonly ProtectedResource[]) {
    yield* resourceErrors(one, server);
    const path = isResourceIdentifier(one?.resource)
      ? comparablePath(metadataPath(one.resource)).replace(/\/$/, '')
      : '';
    const other = paths.get(path);
    if (path && other)
      yield `the resources \`${other}\` and \`${one.resource}\` have the same path: give each its own path`;
    paths.set(path, one?.resource);
  }
}

const MEMBERS = { resource: true, scopes: true, authorizationServers: true, members: true } as const;

function* resourceErrors(one: ProtectedResource, { options: { issuer } }: ServerContext): Iterable<string> {
  const { resource, authorizationServers, members = {}, scopes = [] } = one ?? {};
  const location = `the resource \`${String(resource)}\` of \`protectedResource()\``;
  if (!isResourceIdentifier(resource)) {
    yield `${location} must be an https URL without query and fragment, an http URL of localhost, or a path such as \`/mcp\``;
    return;
  }
  const unknown = findUnknownOption(one, MEMBERS, location);
  if (unknown !== undefined) yield unknown;
  if (issuersOf(one, issuer).length === 0) {
    yield `${location} requires an issuer of tokens: set the option \`issuer\`, or its \`authorizationServers\``;
  }
  const invalidIssuer = [authorizationServers ?? []].flat().find((server) => !isPublicUrl(server));
  if (invalidIssuer !== undefined)
    yield `\`authorizationServers\` of ${location} must contain https URLs without query and fragment. Got \`${invalidIssuer}\``;
  const scopeError = findScopesError(scopes, location);
  if (scopeError !== undefined) yield scopeError;
  const reserved = Object.keys(members).find((name) => DERIVED.has(name));
  if (reserved !== undefined)
    yield `\`members\` of ${location} must not contain \`${reserved}\`: ${DERIVED.get(reserved)}`;
}
