import { clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';
import { comparableAs, type NameKind } from '../certificates/certificate-names.js';
import { MAX_URI_LENGTH } from './metadata-members.js';

/** The client fields for the name in a client's certificate, each with the kind of name. RFC 8705 §2.1.2 */
export const CERTIFICATE_NAMES = [
  { kind: 'subjectDn', field: clientField('tls_client_auth_subject_dn', isNameOf('subjectDn')) },
  { kind: 'sanDns', field: clientField('tls_client_auth_san_dns', isNameOf('sanDns')) },
  { kind: 'sanUri', field: clientField('tls_client_auth_san_uri', isNameOf('sanUri')) },
  { kind: 'sanIp', field: clientField('tls_client_auth_san_ip', isNameOf('sanIp')) },
  { kind: 'sanEmail', field: clientField('tls_client_auth_san_email', isNameOf('sanEmail')) },
] as const;

function isNameOf(kind: NameKind) {
  return (name: unknown): name is string =>
    typeof name === 'string' && name.length <= MAX_URI_LENGTH && comparableAs(kind, name) !== undefined;
}

/**
 * Returns the name of the client's certificate, with its normalized form for comparison. `undefined` unless the client
 * has exactly one valid name.
 */
export function registeredName(client: CoreClient): { kind: NameKind; name: string; comparable: string } | undefined {
  const names = CERTIFICATE_NAMES.flatMap(({ kind, field }) => {
    const name: unknown = field.of(client);
    return typeof name === 'string' ? [{ kind, name, comparable: comparableAs(kind, name) }] : [];
  });
  const [first, ...more] = names;
  return first?.comparable === undefined || more.length > 0 ? undefined : { ...first, comparable: first.comparable };
}
