import type { ClientPolicy } from '../../clients/registration/client-policy.js';
import {
  isWord,
  memberOf,
  readList,
  unsupportedValue,
  type UnverifiedMetadata,
} from '../../clients/registration/metadata-members.js';

const METHOD = 'token_endpoint_auth_method';
const METHODS = 'token_endpoint_auth_methods_supported';
const MAX_METHODS = 20;

/**
 * Returns the client authentication method of a client ID metadata document: one that both the document and the server
 * support. If the document lists several, a method with a key is used and then required, because anyone can use the
 * method `none`. CIMD §4.1
 * @throws {InvalidClientMetadataError} If the server supports none of the methods.
 */
export function negotiateMethod(members: UnverifiedMetadata, { authMethods: accepted }: ClientPolicy): string {
  const preferred = memberOf(members, METHOD);
  const supported = readList(members, METHODS, isWord, MAX_METHODS) ?? [];
  const listed = preferred === undefined ? supported : [preferred, ...supported];
  if (listed.length === 0) return 'none';
  const usable = accepted.filter((method) => listed.includes(method));
  const isPublic = usable.includes('none');
  const hasKeys = memberOf(members, 'jwks') !== undefined || memberOf(members, 'jwks_uri') !== undefined;
  const withKey = usable.find((method) => method !== 'none');
  // A document that lists a method with a key, but has no key, can still describe a public client.
  if (withKey !== undefined && (hasKeys || !isPublic)) return withKey;
  if (isPublic) return 'none';
  throw unsupportedValue(preferred === undefined ? METHODS : METHOD, listed, accepted);
}
