import type { ServerContext } from '../../contracts/feature.js';
import { classGrant } from '../../endpoints/token/class-grant.js';
import { isFit } from '../../contracts/response-mode.js';
import { grantsOf, type ResponseType } from '../../contracts/response-type.js';

/** What a host may say of its server. */
interface Said {
  scopes?: readonly string[] | undefined;
  grantTypes?: readonly string[] | ((grantType: string) => boolean) | undefined;
}

/** May clients be told of this grant type? */
const isSaid = ({ grantTypes }: Said, grantType: string): boolean =>
  typeof grantTypes === 'function' ? grantTypes(grantType) : (grantTypes?.includes(grantType) ?? true);

type Metadata = Record<string, unknown>;

/** What a server can say of itself, each member true since it is made of what answers requests. RFC 8414 §2 */
export function derivedMetadata(server: ServerContext, issuer: string, said: Said): Metadata {
  const { scopes } = said;
  const authorizable = server.urlOf('authorize', issuer) !== undefined;
  const responseTypes = authorizable ? servedResponseTypes(server, said) : [];
  const grants = servedGrants(server, responseTypes, said);
  const codes = responseTypes.some(([, { grant }]) => grant === 'authorization_code');
  const derived: Metadata = {
    issuer,
    ...endpointMembers(server, issuer, responseTypes.length > 0),
    ...(scopes && scopes.length > 0 && { scopes_supported: scopes }),
    response_types_supported: responseTypes.map(([name]) => name),
    ...(responseTypes.length > 0 && {
      response_modes_supported: servedResponseModes(server, responseTypes),
      authorization_response_iss_parameter_supported: true,
    }),
    grant_types_supported: grants,
    ...(codes && {
      code_challenge_methods_supported: server.options.enablePlainPKCE ? ['S256', 'plain'] : ['S256'],
    }),
  };
  for (const { parts } of server.installed) complete(derived, parts.metadata?.(issuer) ?? {});
  return derived;
}

/** Lists grow by what a feature says; what was said before is not said otherwise. */
function complete(derived: Metadata, more: object): void {
  for (const [name, value] of Object.entries(more) as [string, unknown][]) {
    const before = derived[name];
    if (Array.isArray(before) && Array.isArray(value)) {
      derived[name] = [...new Set([...(before as unknown[]), ...(value as unknown[])])];
    } else if (before === undefined && !isEmpty(value)) derived[name] = value;
  }
}

/** An empty list is left out. RFC 8414 §3.2 */
const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);

/** Where the endpoints are, and how clients authenticate there. */
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

/** `none` proves nothing. */
function authMethods({ clientAuthentications, forbidden }: ServerContext, proven: boolean): readonly string[] {
  const methods = new Set(clientAuthentications.map(({ method }) => method).filter((one) => !forbidden.has(one)));
  if (proven) methods.delete('none');
  return [...methods];
}

/**
 * Returns the grant types that a server supports: those whose methods the model has.
 * @param authorizes whether the authorization endpoint is served
 */
export function servedGrantTypes(server: ServerContext, authorizes: boolean, said: Said = {}): readonly string[] {
  return servedGrants(server, authorizes ? servedResponseTypes(server, said) : [], said);
}

function servedResponseTypes(server: ServerContext, said: Said): readonly [string, ResponseType][] {
  return [...server.responseTypes].filter(
    ([, type]) =>
      isServed(server, type.requires) &&
      grantsOf(type).every(
        (grant) =>
          isSaid(said, grant) &&
          // A code that nobody can redeem is none.
          (!server.grants.has(grant) || isServed(server, server.grants.get(grant)!.requires)),
      ),
  );
}

/** Those that at least one of the response types may use. */
const servedResponseModes = (server: ServerContext, types: readonly (readonly [string, ResponseType])[]) =>
  [...server.responseModes]
    .filter(([, mode]) => types.some(([, type]) => isFit(mode, type.mode)))
    .map(([name]) => name);

/** The implicit grant has no class: its response type is all of it. */
function servedGrants(
  server: ServerContext,
  responseTypes: readonly (readonly [string, ResponseType])[],
  said: Said,
): readonly string[] {
  const extended = Object.entries(server.options.extendedGrantTypes);
  const handlers = new Map([...server.grants, ...extended.map(([name, Class]) => [name, classGrant(Class)] as const)]);
  const asked = new Set([...server.responseTypes.values()].map(({ grant }) => grant));
  const answered = new Set(responseTypes.map(([, { grant }]) => grant));
  const served = [...handlers]
    .filter(([name, { requires }]) => isServed(server, requires) && (!asked.has(name) || answered.has(name)))
    .map(([name]) => name);
  return [...new Set([...served, ...answered])].filter((name) => isSaid(said, name));
}

const isServed = ({ options: { model } }: ServerContext, methods: readonly string[] = []): boolean =>
  methods.every((name) => typeof (model as unknown as Metadata)[name] === 'function');
