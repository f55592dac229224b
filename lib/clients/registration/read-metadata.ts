import { isScope } from '../../http/syntax.js';
import { responseTypeName } from '../../contracts/response-type.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from './client-policy.js';
import { CERTIFICATE_NAMES } from './registered-names.js';
import { readKeys } from './keys.js';
import * as fields from './client-fields.js';
import {
  memberOf,
  invalidMetadata,
  isWord,
  readList,
  readField,
  readTexts,
  unsupportedValue,
  type UnverifiedMetadata,
  readText,
} from './metadata-members.js';
import { readRedirectUris, redirectRules, invalidRedirectUri } from './redirect-uris.js';

const MAX_TYPES = 20;
const MAX_SCOPE_LENGTH = 4000;

/**
 * Validates client metadata and returns the members that RFC 7591 §2 and features define. Grant types, response types
 * and scope values that the policy does not allow are removed if others remain, as §3.2.1 allows.
 * @throws {InvalidClientMetadataError} If a member is invalid.
 * @throws {InvalidRedirectUriError} If a redirect URI is not allowed.
 */
export function readMetadata(metadata: UnverifiedMetadata, policy: ClientPolicy): ClientMetadata {
  const kind = readField(metadata, fields.APPLICATION_TYPE);
  const method = readField(metadata, fields.TOKEN_ENDPOINT_AUTH_METHOD) ?? 'client_secret_basic';
  if (!policy.authMethods.includes(method))
    throw unsupportedValue('token_endpoint_auth_method', [method], policy.authMethods);
  const { grants, types } = readTypes(metadata, policy);
  if (method === 'none' && grants.includes('client_credentials')) {
    throw invalidMetadata(
      'a client with the grant type `client_credentials` must authenticate: `token_endpoint_auth_method` must not be `none`',
    );
  }
  const uris = readRedirectUris(metadata, redirectRules(kind, types));
  if (types.length > 0 && !uris?.length) throw invalidRedirectUri('missing `redirect_uris`');
  return defined({
    redirect_uris: uris,
    token_endpoint_auth_method: method,
    grant_types: grants,
    response_types: types,
    application_type: kind,
    scope: readScope(metadata, policy),
    ...readTexts(metadata),
    ...readKeys(metadata, method),
    ...readCertificateName(metadata, method),
    software_id: readText(metadata, 'software_id'),
    software_version: readText(metadata, 'software_version'),
    ...readFlags(metadata),
    ...readMembers(metadata, policy),
    authorization_details_types: readDetailsTypes(metadata, policy),
  }) as unknown as ClientMetadata;
}

/**
 * Validates client metadata, including the `verifyMetadata` hooks of all features, and returns the registered members.
 * @throws {InvalidClientMetadataError} If a member is invalid.
 * @throws {InvalidRedirectUriError} If a redirect URI is not allowed.
 */
export async function readVerifiedMetadata(
  unverified: UnverifiedMetadata,
  policy: ClientPolicy,
): Promise<ClientMetadata> {
  const metadata = readMetadata(unverified, policy);
  await policy.verify(metadata);
  return metadata;
}

/**
 * Reads the members of client metadata that features define.
 * @throws {InvalidClientMetadataError} If the server does not support a value.
 */
function readMembers(metadata: UnverifiedMetadata, { members }: ClientPolicy): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, isValid] of members) {
    const value = memberOf(metadata, name);
    if (value !== undefined && !isValid(value)) {
      throw invalidMetadata(`\`${name}\` is not supported${isWord(value) ? `. Got \`${value}\`` : ''}`);
    }
    values[name] = value;
  }
  return values;
}

/**
 * Reads the grant types and response types that the policy allows. Other ones are removed if the rest is consistent.
 * RFC 7591 §2.1, §3.2.1
 * @throws {InvalidClientMetadataError} If no grant type is left, or if a grant type has no response type.
 */
function readTypes(metadata: UnverifiedMetadata, { grants: allowed, responseTypes }: ClientPolicy) {
  const requested = readList(metadata, 'grant_types', isWord, MAX_TYPES) ?? ['authorization_code'];
  const grants = requested.filter((grant) => allowed.includes(grant));
  if (grants.length === 0) throw unsupportedValue('grant_types', requested, allowed);
  const listed = readList(metadata, 'response_types', isWord, MAX_TYPES)?.filter((type) => type !== 'none');
  const named = listed?.map((type) => responseTypeName(type, responseTypes));
  const matching = [...responseTypes.keys()].filter((type) =>
    responseTypes.get(type)!.every((grant) => grants.includes(grant)),
  );
  const types = named ? named.filter((type) => matching.includes(type)) : matching;
  if (named?.length && types.length === 0) throw unsupportedValue('response_types', named, matching);
  const uses = (some: readonly string[], grant: string) =>
    some.some((type) => responseTypes.get(type)!.includes(grant));
  const unanswered = grants.find((grant) => uses(matching, grant) && !uses(types, grant));
  if (unanswered === undefined) return { grants, types };
  throw invalidMetadata(`\`response_types\` has no response type for the grant type \`${unanswered}\``);
}

/**
 * Reads the scope, reduced to the allowed values. All allowed values are returned if no scope is set, or if the policy
 * has `allScopes`.
 */
function readScope(metadata: UnverifiedMetadata, { scopes, allScopes }: ClientPolicy): string | undefined {
  const requested = readText(
    metadata,
    'scope',
    (value) => value === '' || (value.length <= MAX_SCOPE_LENGTH && isScope(value)),
  );
  if (!requested || allScopes) return scopes.join(' ') || undefined;
  const known = new Set(scopes);
  const values = [...new Set(requested.split(' '))].filter((value) => known.has(value));
  if (values.length === 0 && scopes.length > 0) throw invalidMetadata('none of the values of `scope` is allowed');
  return values.join(' ') || undefined;
}

/**
 * Returns the types of authorization details in the metadata that the server supports. `undefined` if the metadata lists
 * none, or if the server supports no authorization details. RFC 9396 §10
 * @throws {InvalidClientMetadataError} If the metadata lists types and none of them is supported.
 */
function readDetailsTypes(metadata: UnverifiedMetadata, { detailsTypes: known }: ClientPolicy): string[] | undefined {
  if (!known) return undefined;
  const requested = readList(metadata, fields.AUTHORIZATION_DETAILS_TYPES.name, () => true, MAX_TYPES);
  const types = requested?.filter((type) => known.includes(type));
  if (requested?.length && types!.length === 0)
    throw invalidMetadata('none of the `authorization_details_types` is supported');
  return types;
}

/**
 * Reads the member that names the client's certificate, such as `tls_client_auth_san_dns`. RFC 8705 §2.1.2
 * @throws {InvalidClientMetadataError} If there are several names, if a name is invalid, or if `tls_client_auth` lacks
 * one.
 */
function readCertificateName(metadata: UnverifiedMetadata, method: string): Partial<ClientMetadata> {
  const names = CERTIFICATE_NAMES.flatMap(({ field }) => {
    const name = readField(metadata, field);
    return name === undefined ? [] : [[field.name, name] as const];
  });
  if (names.length > 1) throw invalidMetadata('only one `tls_client_auth_…` member may name the certificate');
  if (names.length === 0 && method === 'tls_client_auth') {
    throw invalidMetadata(
      `\`tls_client_auth\` needs one of ${CERTIFICATE_NAMES.map(({ field }) => field.name).join(', ')}`,
    );
  }
  return Object.fromEntries(names);
}

const FLAGS = [
  fields.REQUIRE_PUSHED_AUTHORIZATION_REQUESTS,
  fields.DPOP_BOUND_ACCESS_TOKENS,
  fields.TLS_CLIENT_CERTIFICATE_BOUND_ACCESS_TOKENS,
];

const readFlags = (metadata: UnverifiedMetadata) =>
  Object.fromEntries(FLAGS.map((flag) => [flag.name, readField(metadata, flag, 'must be true or false')]));

const defined = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
