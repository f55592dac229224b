import { CERTIFICATE_NAMES } from './registered-names.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { invalid, readField, type Said } from './metadata-members.js';

/**
 * Reads how the certificate of a client names it: in one way. RFC 8705 §2.1.2
 * @throws InvalidClientMetadataError for a name that no certificate has, or several
 */
export function readCertificateName(said: Said, method: string): Partial<ClientMetadata> {
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
