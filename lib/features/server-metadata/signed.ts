import { type Capabilities, capability } from '../../contracts/capability.js';

/** Signs metadata documents. RFC 8414 §2.1 */
export interface MetadataSigner {
  /** Returns a signed JWT with the members of the document and the issuer as `iss`. */
  sign(document: object, issuer: string): Promise<string>;
}

/** The key for the signature of metadata documents, which `signedMetadata()` provides. */
export const METADATA_SIGNER = capability<MetadataSigner>('metadata signer', 'signedMetadata');

/**
 * Returns a document with its signed form in `signed_metadata`, if a feature signs metadata. RFC 8414 §2.1, RFC 9728
 * §2.2
 */
export async function withSigned(
  document: object,
  issuer: string | undefined,
  server: Pick<Capabilities, 'find'>,
): Promise<object> {
  const signer = issuer === undefined ? undefined : server.find(METADATA_SIGNER);
  return signer ? { ...document, signed_metadata: await signer.sign(document, issuer!) } : document;
}
