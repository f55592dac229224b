import type { ServerContext } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { AUTHORIZATION_DETAILS } from '../../contracts/authorization-details.js';
import { requiredGrantTypes } from '../../contracts/response-type.js';
import type { OptionRows } from '../../options/option-table.js';
import { ANY, FLAG } from '../../options/value-checks.js';
import { findScopesError } from '../../options/scopes-error.js';

/**
 * Options that restrict clients that the operator did not register: self-registered clients, and clients with a client
 * ID metadata document.
 */
export interface ClientPolicyOptions {
  /** The scope values that these clients may request. Default: none. */
  scopes?: readonly string[];
  /**
   * The scope of requests without `scope`, as far as the client registered it. Its values must be in `scopes`. If
   * omitted, requests must contain `scope`. RFC 6749 §3.3
   */
  defaultScope?: readonly string[];
  /**
   * Whether each of these clients may request all of `scopes`, whatever `scope` it registers. MCP clients register with
   * the scope of their first request, and could not request more later. Default: `false`. RFC 7591 §2
   */
  allScopes?: boolean;
  /**
   * The grant types that these clients may use, of those that the server supports. Default: `authorization_code` and
   * `refresh_token`.
   */
  grants?: readonly string[];
}

/** The names of all options in `ClientPolicyOptions`. */
export const POLICY_OPTIONS = {
  scopes: { check: ANY },
  defaultScope: { check: ANY },
  allScopes: { check: FLAG },
  grants: { check: ANY },
} satisfies OptionRows<ClientPolicyOptions>;

/**
 * The effective restrictions for self-registered clients and clients with a client ID metadata document, from the
 * policy options and the features.
 */
export interface ClientPolicy {
  readonly scopes: readonly string[];
  readonly defaultScope: readonly string[] | undefined;
  readonly allScopes: boolean;
  readonly grants: readonly string[];
  /** The supported response types, each with the grant types that it requires. */
  readonly responseTypes: ReadonlyMap<string, readonly string[]>;
  /** The members of client metadata that features define, each with its validator. */
  readonly members: ReadonlyMap<string, (value: unknown) => boolean>;
  /** The client authentication methods that clients may register. */
  readonly authMethods: readonly string[];
  /**
   * Runs the `verifyMetadata` hooks of the features.
   * @throws {OAuthError} If a feature rejects the metadata.
   */
  verify(metadata: ClientMetadata): Promise<void>;
  /**
   * The supported types of authorization details. If omitted, the server supports no authorization details.
   * RFC 9396 §10
   */
  readonly detailsTypes?: readonly string[];
}

const DEFAULT_GRANTS = ['authorization_code', 'refresh_token'];

/** Returns the client policy of a server. */
export function clientPolicy(
  { scopes = [], defaultScope, allScopes = false, grants = DEFAULT_GRANTS }: ClientPolicyOptions,
  server: ServerContext,
): ClientPolicy {
  const {
    grants: supported,
    responseTypes,
    clientAuthentications,
    forbiddenAuthenticationMethods: forbidden,
    options,
  } = server;
  const fields = server.installed.flatMap(({ parts }) => parts.clientFields ?? []);
  const details = server.find(AUTHORIZATION_DETAILS);
  const types = [...responseTypes].map(([name, type]) => [name, requiredGrantTypes(type)] as const);
  const known = new Set([
    ...supported.keys(),
    ...Object.keys(options.extendedGrantTypes ?? {}),
    ...types.flatMap(([, grantTypes]) => grantTypes),
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

/**
 * Yields the configuration errors of policy options.
 * @param feature The feature as the application writes it, such as `` `registration()` ``.
 */
export function* findPolicyErrors(
  given: ClientPolicyOptions,
  server: ServerContext,
  feature: string,
): Iterable<string> {
  const { scopes = [], defaultScope = [], grants = DEFAULT_GRANTS } = given;
  const scopesError = findScopesError(scopes, feature);
  if (scopesError !== undefined) yield scopesError;
  else if (!Array.isArray(defaultScope) || defaultScope.some((value) => !scopes.includes(value))) {
    yield `\`defaultScope\` of ${feature} must be a list of values of its \`scopes\``;
  }
  if (!Array.isArray(grants)) yield `\`grants\` of ${feature} must be a list of grant types`;
  else if (given.grants && clientPolicy(given, server).grants.length < new Set(grants).size) {
    yield `\`grants\` of ${feature} lists a grant type that the server does not support`;
  }
}
