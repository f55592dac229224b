import type { Feature } from '../../contracts/feature.js';
import { METADATA_SIGNER, type MetadataSigner } from '../../features/server-metadata/signed.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { keepRecent } from '../../crypto/lru.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { KEYS } from '../keys/find-keys.js';
import { type KeyRing, signJwt } from '../keys/key-ring.js';
import { findSigningErrors } from '../keys/signing-errors.js';

/** The options of `signedMetadata()`. */
export interface SignedMetadataOptions {
  /** The signature algorithm. Default: the first algorithm of `keys()`. */
  alg?: SigningAlgorithm;
}

/**
 * `REUSE_SECONDS`: seconds for which a signed document is reused. `MAX_DOCUMENTS`: maximum number of cached documents.
 * Both limit signing, since anyone can request these documents.
 */
const [REUSE_SECONDS, MAX_DOCUMENTS] = [60, 64];

/** A signed document in the cache. Its signature may still be pending. */
interface SignedDocument {
  jwt: Promise<string>;
  at: number;
}

/**
 * Adds `signed_metadata` to the metadata of the server and of its protected resources. A party that stored the
 * metadata, or received it from elsewhere, can verify its issuer. Requires `keys()`. RFC 8414 §2.1, RFC 9728 §2.2
 * @throws {InvalidArgumentError} If an option is unknown.
 */
export function signedMetadata(options: SignedMetadataOptions = {}): Feature {
  assertKnownOptions(options, { alg: true }, '`signedMetadata()`');
  return {
    id: 'signedMetadata',
    specification: 'RFC 8414 §2.1',

    install(builder) {
      const keys = builder.use(KEYS);
      builder.provide(METADATA_SIGNER, () => cachedSigner(keys(), options.alg));
      return { misconfigurations: (server) => findSigningErrors('`signedMetadata()`', server, options.alg) };
    },
  };
}

function cachedSigner(keys: KeyRing, alg: SigningAlgorithm | undefined): MetadataSigner {
  const cache = new Map<string, SignedDocument>();
  return {
    sign(document, issuer) {
      const name = JSON.stringify([issuer, document]);
      const signed = cache.get(name);
      if (signed && performance.now() - signed.at < REUSE_SECONDS * 1000) return signed.jwt;
      const claims = { ...document, iss: issuer, iat: Math.floor(Date.now() / 1000) };
      const jwt = signJwt(keys, claims, { typ: 'JWT', alg });
      jwt.catch(() => cache.delete(name));
      keepRecent(cache, name, { jwt, at: performance.now() }, MAX_DOCUMENTS);
      return jwt;
    },
  };
}
