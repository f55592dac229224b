import { isScope } from '../../http/syntax.js';
import { responseTypeName } from '../../contracts/response-type.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from './client-policy.js';
import { CERTIFICATE_NAMES } from './registered-names.js';
import { readKeys } from './keys.js';
import * as fields from './client-fields.js';
import { given, invalid, isWord, list, readField, readTexts, type Said, text } from './metadata-members.js';
import { readRedirectUris, redirectRules, refused } from './redirect-uris.js';

const MOST_TYPES = 20;
const LONGEST_SCOPE = 4000;

/**
 * Reads what a client says of itself: what RFC 7591 §2 names, checked, and nothing else. What it asks for beyond the policy is
 * left out where something remains, as §3.2.1 allows; the answer says what it got.
 * @param usualMethod how a client authenticates that does not say
 * @throws InvalidClientMetadataError or InvalidRedirectUriError
 */
export function readMetadata(said: Said, policy: ClientPolicy, usualMethod = 'client_secret_basic'): ClientMetadata {
  const kind = readField(said, fields.APPLICATION_TYPE);
  const method = readField(said, fields.TOKEN_ENDPOINT_AUTH_METHOD) ?? usualMethod;
  if (!policy.authMethods.includes(method)) throw invalid('`token_endpoint_auth_method` is not supported');
  const { grants, types } = readTypes(said, policy);
  if (method === 'none' && grants.includes('client_credentials')) {
    throw invalid('a client that acts for itself has to prove who it is');
  }
  const uris = readRedirectUris(said, redirectRules(kind, types));
  if (types.length > 0 && !uris?.length) throw refused('missing `redirect_uris`');
  return defined({
    redirect_uris: uris,
    token_endpoint_auth_method: method,
    grant_types: grants,
    response_types: types,
    application_type: kind,
    scope: readScope(said, policy),
    ...readTexts(said),
    ...readKeys(said, method),
    ...readCertificateName(said, method),
    software_id: text(said, 'software_id'),
    software_version: text(said, 'software_version'),
    ...readFlags(said),
    ...readMembers(said, policy),
    authorization_details_types: readDetailsTypes(said, policy),
  }) as unknown as ClientMetadata;
}

/** The same, judged by the features as a whole too. */
export async function readVerified(said: Said, policy: ClientPolicy): Promise<ClientMetadata> {
  const metadata = readMetadata(said, policy);
  await policy.verify(metadata);
  return metadata;
}

/** What features read. */
function readMembers(said: Said, { members }: ClientPolicy): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, isGood] of members) {
    const value = given(said, name);
    if (value !== undefined && !isGood(value)) throw invalid(`\`${name}\` is not supported`);
    values[name] = value;
  }
  return values;
}

/** Grant types and response types that go together. RFC 7591 §2.1 */
function readTypes(said: Said, { grants: allowed, responseTypes }: ClientPolicy) {
  const asked = list(said, 'grant_types', isWord, MOST_TYPES) ?? ['authorization_code'];
  const grants = asked.filter((grant) => allowed.includes(grant));
  if (grants.length === 0) throw invalid('none of its `grant_types` may be used here');
  const listed = list(said, 'response_types', isWord, MOST_TYPES)?.filter((type) => type !== 'none');
  const named = listed?.map((type) => responseTypeName(type, responseTypes));
  for (const type of named ?? []) {
    const needed = responseTypes.get(type);
    if (needed === undefined) throw invalid('a response type is not supported');
    if (!needed.every((grant) => asked.includes(grant)))
      throw invalid('`response_types` and `grant_types` do not go together');
  }
  const matching = [...responseTypes.keys()].filter((type) =>
    responseTypes.get(type)!.every((grant) => grants.includes(grant)),
  );
  const types = named ? named.filter((type) => matching.includes(type)) : matching;
  const uses = (some: readonly string[], grant: string) =>
    some.some((type) => responseTypes.get(type)!.includes(grant));
  const isAnswered = grants.every((grant) => !uses(matching, grant) || uses(types, grant));
  if (!isAnswered) throw invalid('`response_types` and `grant_types` do not go together');
  return { grants, types };
}

/** What of a scope it may have; all there is, where it names none. */
function readScope(said: Said, { scopes, allScopes }: ClientPolicy): string | undefined {
  const asked = text(said, 'scope', (value) => value === '' || (value.length <= LONGEST_SCOPE && isScope(value)));
  if (!asked || allScopes) return scopes.join(' ') || undefined;
  const known = new Set(scopes);
  const values = [...new Set(asked.split(' '))].filter((value) => known.has(value));
  if (values.length === 0 && scopes.length > 0) throw invalid('none of its `scope` may be asked for here');
  return values.join(' ') || undefined;
}

/** Those that are known here; where none are at all, nothing is said. RFC 9396 §10 */
function readDetailsTypes(said: Said, { detailsTypes: known }: ClientPolicy): string[] | undefined {
  if (!known) return undefined;
  const asked = list(said, fields.AUTHORIZATION_DETAILS_TYPES.name, () => true, MOST_TYPES);
  const types = asked?.filter((type) => known.includes(type));
  if (asked?.length && types!.length === 0) throw invalid('none of its `authorization_details_types` is known');
  return types;
}

/**
 * Reads how the certificate of a client names it: in one way. RFC 8705 §2.1.2
 * @throws InvalidClientMetadataError for a name that no certificate has, or several
 */
function readCertificateName(said: Said, method: string): Partial<ClientMetadata> {
  const names = CERTIFICATE_NAMES.flatMap(({ field }) => {
    const name = readField(said, field);
    return name === undefined ? [] : [[field.name, name] as const];
  });
  if (names.length > 1) throw invalid('the certificate of a client is known by one name');
  if (names.length === 0 && method === 'tls_client_auth') {
    throw invalid(`\`tls_client_auth\` needs one of ${CERTIFICATE_NAMES.map(({ field }) => field.name).join(', ')}`);
  }
  return Object.fromEntries(names);
}

const FLAGS = [
  fields.REQUIRE_PUSHED_AUTHORIZATION_REQUESTS,
  fields.DPOP_BOUND_ACCESS_TOKENS,
  fields.TLS_CLIENT_CERTIFICATE_BOUND_ACCESS_TOKENS,
];

const readFlags = (said: Said) =>
  Object.fromEntries(FLAGS.map((flag) => [flag.name, readField(said, flag, 'must be true or false')]));

const defined = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
