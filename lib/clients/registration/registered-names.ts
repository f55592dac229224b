import type { Client } from '../../model/model.js';
import type { ClientMetadata } from './client-metadata.js';
import { registered } from './registered.js';
import { comparableAs, type NameKind } from './certificate-names.js';

/** How a client says by which name it is known, and what that is called in its metadata. RFC 8705 §2.1.2 */
export const CERTIFICATE_MEMBERS: readonly (readonly [keyof Client, keyof ClientMetadata, NameKind])[] = [
  ['tlsClientAuthSubjectDn', 'tls_client_auth_subject_dn', 'subjectDn'],
  ['tlsClientAuthSanDns', 'tls_client_auth_san_dns', 'sanDns'],
  ['tlsClientAuthSanUri', 'tls_client_auth_san_uri', 'sanUri'],
  ['tlsClientAuthSanIp', 'tls_client_auth_san_ip', 'sanIp'],
  ['tlsClientAuthSanEmail', 'tls_client_auth_san_email', 'sanEmail'],
];

/** The one name by which the certificate of a client is known, and as it is compared; undefined: there is not exactly one good one. */
export function registeredName(client: Client): { kind: NameKind; name: string; comparable: string } | undefined {
  const names = CERTIFICATE_MEMBERS.flatMap(([own, , kind]) => {
    const name: unknown = registered(client, own);
    return typeof name === 'string' ? [{ kind, name, comparable: comparableAs(kind, name) }] : [];
  });
  const [first, ...more] = names;
  return first?.comparable === undefined || more.length > 0 ? undefined : { ...first, comparable: first.comparable };
}
