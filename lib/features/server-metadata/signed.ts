import { type Capabilities, capability } from '../../contracts/capability.js';

/** A signer of metadata documents. RFC 8414 §2.1 */
export interface MetadataSigner {
  /** Returns a signed JWT with the members of the document and the issuer as `iss`. */
  sign(document: object, issuer: string): Promise<string>;
}

/** The capability key under which `signedMetadata()` provides its `MetadataSigner`. */
export const METADATA_SIGNER = capability<MetadataSigner>('metadata signer', 'signedMetadata');

/**
 * Returns the document with its signed form in `signed_metadata`, or unchanged if no feature signs metadata or `issuer`
 * is `undefined`. RFC 8414 §2.1, RFC 9728 §2.2
 */
export async function withSigned(
  document: object,
  issuer: string | undefined,
  server: Pick<Capabilities, 'find'>,
): Promise<object> {
  const signer = issuer === undefined ? undefined : server.find(METADATA_SIGNER);
  return signer ? { ...document, signed_metadata: await signer.sign(document, issuer!) } : document;
}
