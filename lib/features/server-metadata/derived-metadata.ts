import { capability } from '../../contracts/capability.js';
import type { ServerContext } from '../../contracts/feature.js';
import { classGrant } from '../../endpoints/token/class-grant.js';
import { isModeAllowed } from '../../contracts/response-mode.js';
import { requiredGrantTypes, type ResponseType } from '../../contracts/response-type.js';

/** The scopes and grant types that the application publishes in the metadata. */
interface DeclaredMetadata {
  scopes?: readonly string[] | undefined;
  grantTypes?: readonly string[] | ((grantType: string) => boolean) | undefined;
}

/** Whether the metadata may contain this grant type. */
const isPublished = ({ grantTypes }: DeclaredMetadata, grantType: string): boolean =>
  typeof grantTypes === 'function' ? grantTypes(grantType) : (grantTypes?.includes(grantType) ?? true);

/** The response type that OAuth 2.1 removed, together with the password grant. RFC 9700 §2.1.2, §2.4 */
const IMPLICIT = 'token';

/**
 * Returns whether to publish a grant type if the application does not declare them: all except the password grant and
 * the implicit grant, which every server has. They are published if the application or a feature adds its own.
 */
function defaultGrantTypes({ options, responseTypes }: ServerContext): (grantType: string) => boolean {
  const ownTypes = [...responseTypes].filter(([name]) => name !== IMPLICIT);
  const added = new Set([
    ...Object.keys(options.extendedGrantTypes),
    ...ownTypes.flatMap(([, type]) => requiredGrantTypes(type)),
  ]);
  return (grantType) => !['password', 'implicit'].includes(grantType) || added.has(grantType);
}

type Metadata = Record<string, unknown>;

/** The capability key under which `serverMetadata()` provides the metadata of an issuer. */
export const METADATA = capability<(issuer: string) => object>('server metadata', 'serverMetadata');

/**
 * Returns the metadata of the server, for all documents that publish it. It includes the option `members` of
 * `serverMetadata()`, if that feature is listed.
 */
export function serverMetadataDocument(server: ServerContext, issuer: string): object {
  const metadataOf = server.find(METADATA);
  return metadataOf ? metadataOf(issuer) : derivedMetadata(server, issuer, {});
}

/** Returns the metadata that follows from the installed features, the options and the model. RFC 8414 §2 */
export function derivedMetadata(server: ServerContext, issuer: string, options: DeclaredMetadata): Metadata {
  const { scopes, grantTypes } = options;
  const declared = { ...options, grantTypes: grantTypes ?? defaultGrantTypes(server) };
  const authorizable = server.urlOf('authorize', issuer) !== undefined;
  const responseTypes = (authorizable ? supportedResponseTypes(server, declared) : []).filter(
    ([name]) => name !== IMPLICIT || grantTypes !== undefined,
  );
  const grants = supportedGrants(server, responseTypes, declared);
  const codes = responseTypes.some(([, { grantType: grant }]) => grant === 'authorization_code');
  const derived: Metadata = {
    issuer,
    ...endpointMembers(server, issuer, responseTypes.length > 0),
    ...(scopes && scopes.length > 0 && { scopes_supported: scopes }),
    response_types_supported: responseTypes.map(([name]) => name),
    ...(responseTypes.length > 0 && {
      response_modes_supported: supportedResponseModes(server, responseTypes),
      authorization_response_iss_parameter_supported: true,
    }),
    grant_types_supported: grants,
    ...(codes && {
      code_challenge_methods_supported: server.options.enablePlainPKCE ? ['S256', 'plain'] : ['S256'],
    }),
  };
  for (const { parts } of server.installed) mergeMembers(derived, parts.metadata?.(issuer) ?? {});
  return derived;
}

/** Adds the metadata members of a feature. Lists are merged; other members are added only if they are not set yet. */
function mergeMembers(derived: Metadata, members: object): void {
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    const current = derived[name];
    if (Array.isArray(current) && Array.isArray(value)) {
      derived[name] = [...new Set([...(current as unknown[]), ...(value as unknown[])])];
    } else if (current === undefined && !isEmpty(value)) derived[name] = value;
  }
}

/** Whether a value is omitted from the metadata: `undefined`, or an empty list. RFC 8414 §3.2 */
const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Returns the metadata members for the URLs of the endpoints, and for the client authentication methods of these
 * endpoints.
 * @param authorizes Whether to include the authorization endpoint.
 */
function endpointMembers(server: ServerContext, issuer: string, authorizes: boolean): Metadata {
  const members: Metadata = {};
  for (const [id, { metadata, clients }] of server.endpoints) {
    const url = metadata && (id !== 'authorize' || authorizes) ? server.urlOf(id, issuer) : undefined;
    if (!metadata || url === undefined) continue;
    members[metadata] = url;
    if (clients) members[`${metadata}_auth_methods_supported`] = authMethods(server, clients === 'confidential');
  }
  return members;
}

/**
 * Returns the client authentication methods that no profile forbids. If authentication is required, `none` is not among
 * them.
 */
function authMethods(
  { clientAuthentications, forbiddenAuthenticationMethods: forbidden }: ServerContext,
  isRequired: boolean,
): readonly string[] {
  const methods = new Set(clientAuthentications.map(({ method }) => method).filter((one) => !forbidden.has(one)));
  if (isRequired) methods.delete('none');
  return [...methods];
}

/**
 * Returns the grant types that a server supports and publishes: only those for which the model has all methods.
 * @param authorizes Whether the server has an authorization endpoint.
 */
export function supportedGrantTypes(
  server: ServerContext,
  authorizes: boolean,
  declared: DeclaredMetadata = {},
): readonly string[] {
  return supportedGrants(server, authorizes ? supportedResponseTypes(server, declared) : [], declared);
}

function supportedResponseTypes(server: ServerContext, declared: DeclaredMetadata): readonly [string, ResponseType][] {
  return [...server.responseTypes].filter(
    ([, type]) =>
      hasMethods(server, type.requires) &&
      requiredGrantTypes(type).every(
        (grant) =>
          isPublished(declared, grant) &&
          // A response type for codes is useless if the server cannot redeem codes.
          (!server.grants.has(grant) || hasMethods(server, server.grants.get(grant)!.requires)),
      ),
  );
}

/** Returns the response modes that at least one of the response types can use. */
const supportedResponseModes = (server: ServerContext, types: readonly (readonly [string, ResponseType])[]) =>
  [...server.responseModes]
    .filter(([, mode]) => types.some(([, type]) => isModeAllowed(mode, type.mode)))
    .map(([name]) => name);

/**
 * Returns the supported grant types. The implicit grant has no grant handler, so it is derived from its response type.
 */
function supportedGrants(
  server: ServerContext,
  responseTypes: readonly (readonly [string, ResponseType])[],
  declared: DeclaredMetadata,
): readonly string[] {
  const extended = Object.entries(server.options.extendedGrantTypes);
  const handlers = new Map([...server.grants, ...extended.map(([name, Class]) => [name, classGrant(Class)] as const)]);
  const byResponseType = new Set([...server.responseTypes.values()].map(({ grantType: grant }) => grant));
  const authorizable = new Set(responseTypes.map(([, { grantType: grant }]) => grant));
  const supported = [...handlers]
    .filter(
      ([name, { requires }]) => hasMethods(server, requires) && (!byResponseType.has(name) || authorizable.has(name)),
    )
    .map(([name]) => name);
  return [...new Set([...supported, ...authorizable])].filter((name) => isPublished(declared, name));
}

const hasMethods = ({ options: { model } }: ServerContext, methods: readonly string[] = []): boolean =>
  methods.every((name) => typeof (model as unknown as Metadata)[name] === 'function');
