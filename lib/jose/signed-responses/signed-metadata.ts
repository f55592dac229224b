import type { Feature } from '../../contracts/feature.js';
import { METADATA_SIGNER, type MetadataSigner } from '../../features/server-metadata/signed.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { keepRecent } from '../../crypto/lru.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { KEYS } from '../keys/find-keys.js';
import { type KeyRing, signJwt } from '../keys/key-ring.js';
import { findSigningErrors } from '../keys/signing-errors.js';

/** What `signedMetadata()` takes. */
export interface SignedMetadataOptions {
  /** What they are signed by. Default: what `keys()` signs by first */
  alg?: SigningAlgorithm;
}

/** Seconds in which a document is not signed again, and how many documents are kept: everybody may ask for them. */
const [KEPT, MOST] = [60, 64];

/** A document that was signed, or is just being. */
interface SignedDocument {
  jwt: Promise<string>;
  at: number;
}

/**
 * The metadata of the server and of its protected resources come signed as well, in `signed_metadata`: who has them from somewhere
 * else, or keeps them, sees whose they are. It stands on `keys()`. RFC 8414 §2.1, RFC 9728 §2.2
 * @throws InvalidArgumentError for an option that there is not
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
  const known = new Map<string, SignedDocument>();
  return {
    sign(document, issuer) {
      const name = JSON.stringify([issuer, document]);
      const signed = known.get(name);
      if (signed && performance.now() - signed.at < KEPT * 1000) return signed.jwt;
      const claims = { ...document, iss: issuer, iat: Math.floor(Date.now() / 1000) };
      const jwt = signJwt(keys, claims, { typ: 'JWT', alg });
      jwt.catch(() => known.delete(name));
      keepRecent(known, name, { jwt, at: performance.now() }, MOST);
      return jwt;
    },
  };
}
