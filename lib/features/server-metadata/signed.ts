import type { Feature, ServerContext } from '../../contracts/feature.js';

/** A feature that signs metadata. RFC 8414 §2.1 */
export interface MetadataSigner extends Feature {
  signMetadata(document: object, issuer: string, server: ServerContext): Promise<string>;
}

const isSigner = (feature: Feature): feature is MetadataSigner => 'signMetadata' in feature;

/** A document with itself, signed, where a feature signs it. RFC 8414 §2.1, RFC 9728 §2.2 */
export async function withSigned(document: object, issuer: string | undefined, server: ServerContext): Promise<object> {
  const signer = issuer === undefined ? undefined : server.features.find(isSigner);
  return signer ? { ...document, signed_metadata: await signer.signMetadata(document, issuer!, server) } : document;
}
