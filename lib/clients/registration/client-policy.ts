import type { ServerContext } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { AUTHORIZATION_DETAILS } from '../../contracts/authorization-details.js';
import { requiredGrantTypes } from '../../contracts/response-type.js';
import { findScopesError } from '../../options/scopes-error.js';

/** What clients may have that nobody at this server knows. */
export interface ClientPolicyOptions {
  /** The scope values that they may ask for. Default: none */
  scopes?: readonly string[];
  /** What they are given that ask for no scope; values of `scopes`. Default: nothing, they must ask. RFC 6749 §3.3 */
  defaultScope?: readonly string[];
  /**
   * Do they have all of `scopes`, whatever they say? One that registers with the scope of its first request, as those of MCP do,
   * could never step up to more. Default: false. RFC 7591 §2
   */
  allScopes?: boolean;
  /** The grant types that they may use, of those that are served. Default: `authorization_code` and `refresh_token` */
  grants?: readonly string[];
}

/** Their names. */
export const POLICY_OPTIONS: { readonly [K in keyof ClientPolicyOptions]-?: true } = {
  scopes: true,
  defaultScope: true,
  allScopes: true,
  grants: true,
};

/** What a client may be, by the host and by what the server can do. */
export interface ClientPolicy {
  readonly scopes: readonly string[];
  readonly defaultScope: readonly string[] | undefined;
  readonly allScopes: boolean;
  readonly grants: readonly string[];
  /** The grants that each response type needs. */
  readonly responseTypes: ReadonlyMap<string, readonly string[]>;
  /** The members that features read, and whether a value of each is good. */
  readonly members: ReadonlyMap<string, (value: unknown) => boolean>;
  /** How clients may authenticate. */
  readonly authMethods: readonly string[];
  /** What features say of a client as a whole. @throws OAuthError for one that is refused */
  verify(metadata: ClientMetadata): Promise<void>;
  /** The types of authorization details that are known; left out: none are. RFC 9396 §10 */
  readonly detailsTypes?: readonly string[];
}

const DEFAULT_GRANTS = ['authorization_code', 'refresh_token'];

/** The policy of a server. */
export function clientPolicy(
  { scopes = [], defaultScope, allScopes = false, grants = DEFAULT_GRANTS }: ClientPolicyOptions,
  server: ServerContext,
): ClientPolicy {
  const {
    grants: served,
    responseTypes,
    clientAuthentications,
    forbiddenAuthenticationMethods: forbidden,
    options,
  } = server;
  const fields = server.installed.flatMap(({ parts }) => parts.clientFields ?? []);
  const details = server.find(AUTHORIZATION_DETAILS);
  const types = [...responseTypes].map(([name, type]) => [name, requiredGrantTypes(type)] as const);
  const known = new Set([
    ...served.keys(),
    ...Object.keys(options.extendedGrantTypes ?? {}),
    ...types.flatMap(([, needed]) => needed),
  ]);
  return {
    scopes,
    defaultScope,
    allScopes,
    grants: grants.filter((grant) => known.has(grant)),
    responseTypes: new Map(types),
    members: new Map(fields.map((field) => [field.name, (value) => field.isValid(value, server)])),
    authMethods: [...new Set(clientAuthentications.map(({ method }) => method))].filter((one) => !forbidden.has(one)),
    async verify(metadata) {
      for (const verify of server.hooks.client.verifyMetadata) await verify(metadata);
    },
    ...(details && { detailsTypes: [...details.types.keys()] }),
  };
}

/** What is wrong with the options of a policy, as sentences. */
export function* findPolicyErrors(
  given: ClientPolicyOptions,
  server: ServerContext,
  feature: string,
): Iterable<string> {
  const { scopes = [], defaultScope = [], grants = DEFAULT_GRANTS } = given;
  const fault = findScopesError(scopes, feature);
  if (fault !== undefined) yield fault;
  else if (!Array.isArray(defaultScope) || defaultScope.some((value) => !scopes.includes(value))) {
    yield `\`defaultScope\` of ${feature} is a list of values of its \`scopes\``;
  }
  if (!Array.isArray(grants)) yield `\`grants\` of ${feature} must be a list of grant types`;
  else if (given.grants && clientPolicy(given, server).grants.length < new Set(grants).size) {
    yield `\`grants\` of ${feature} lists a grant type that is not served`;
  }
}
