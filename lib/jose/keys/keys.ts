import { publicDocument } from '../../endpoints/public-document.js';
import { assertConfig } from '../../errors/configuration-error.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { LATE, MODEL_SECRETS, SECRET, type Secret, secretsOf, settingOf } from '../../contracts/secret.js';
import { optionOf, type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { ANY, SECONDS_FROM_0 } from '../../options/value-checks.js';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { DECRYPTION, requiredDecryptionAlgorithms } from '../decryption/decryption-requirements.js';
import { decryptionKey, isForDecryption } from './decryption-key.js';
import { findKeys, KEYS } from './find-keys.js';
import type { KeyModel } from './key-model.js';
import { ConfiguredKeys, jwkSet, type KeyRing } from './key-ring.js';
import { type KeyMaterial, thumbprint } from './key-material.js';
import { signingKey } from './signing-key.js';
import { StoredKeys } from './stored-keys.js';

/** The options of `keys()`: the keys themselves, or how they are kept in the store. */
export interface KeysOptions {
  /**
   * The private keys, as JWK, PEM or signers. All signing keys are published, and the first one of each algorithm
   * signs. Keys with `use: 'enc'` decrypt, each with one algorithm. The first one of each algorithm is published, and
   * all of them decrypt. A function is called when the server is made. If omitted, the keys are kept in the store, and
   * the first process that needs a key creates it.
   */
  // oxlint-disable-next-line no-explicit-any
  from?: readonly KeyMaterial[] | ((config: any) => readonly KeyMaterial[]);
  /**
   * The secret that encrypts the keys in the store, at least 32 characters long and the same in all processes. In a
   * list, the first secret encrypts, and all of them decrypt. A function is called when the server is made. Default: the
   * option `secret` of the module.
   */
  secret?: Secret;
  /** The signature algorithms of the keys in the store, the default first. Default: `['ES256']`. */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds for which APIs may cache the published keys. Default: `600`. */
  maxAge?: number;
  /** Seconds after which other processes notice a change of the keys in the store. Default: `60`. */
  refresh?: number;
  /** Seconds for which a new key is published before it signs: at least `maxAge` plus `refresh`. Default: `900`. */
  lead?: number;
  /**
   * Seconds for which a rotated key is kept. A signing key stays published for this time, so it must be at least the
   * lifetime of a token. A decryption key still decrypts for this time. Default: `86400`.
   */
  keep?: number;
  /**
   * Seconds after which a key in the store is rotated automatically. If omitted, keys are rotated only by
   * `signingKeys(server).rotate()`.
   */
  rotateEvery?: number;
}

/**
 * Adds the keys with which the server signs, and decrypts if a feature accepts encrypted values. Publishes the public
 * keys as a JWK set. RFC 7517, RFC 8414 §2
 * @throws {InvalidArgumentError} If an option or a key is invalid.
 */
export function keys(options: KeysOptions = {}): Feature {
  const settings = OPTIONS.read(options);
  const { from, algorithms, maxAge, refresh, lead, keep, rotateEvery } = settings;
  const known = Array.isArray(from) ? configuredKeys(from) : undefined;
  if (!from) verifyLead(settings);
  // Servers with the same store and algorithms share one key ring, for example the servers of tenants.
  const rings = new WeakMap<object, Map<string, KeyRing>>();
  const storedRing = (server: ServerContext): KeyRing => {
    const { model } = server.options;
    const decryptionAlgorithms = requiredDecryptionAlgorithms(server);
    const secrets = encryptingSecrets(options, server);
    const storing = { secrets, algorithms, decryptionAlgorithms, lead, keep, refresh, rotateEvery };
    const byAlgorithms = rings.get(model) ?? new Map<string, KeyRing>();
    rings.set(model, byAlgorithms);
    const name = JSON.stringify([decryptionAlgorithms, secrets]);
    const ring = byAlgorithms.get(name) ?? new StoredKeys(model as object as KeyModel, storing);
    byAlgorithms.set(name, ring);
    return ring;
  };
  return {
    id: 'keys',
    specification: 'RFC 7517',
    settings: { stored: from === undefined, algorithms, rotateEvery, keep },
    requires: from ? [] : ['getSigningKeys', 'replaceSigningKeys'],
    endpoints: {
      jwks: {
        ...publicDocument('oauth/jwks', { maxAge, build: (server) => jwkSet(findKeys(server)!) }),
        metadata: 'jwks_uri',
      },
    },
    install(builder) {
      const configured = () => known ?? configuredKeys(settingOf(from!, builder.server));
      builder.provide(KEYS, () => (from ? configured() : storedRing(builder.server)));
      const ring = builder.use(KEYS);
      return {
        *misconfigurations(server) {
          const keyRing = ring();
          if (keyRing instanceof ConfiguredKeys) yield* findMissingKeyErrors(server, keyRing);
          else yield* findLifetimeErrors(server, keep, maxAge);
        },
        verifyStoredState: () => ring().verifySecret?.(),
        health: async () => ((await ring().current()) ? undefined : 'no signing key of `keys()` is available'),
      };
    },
  };
}

/** Yields an error message for each option because of which rotated keys in the store are not kept long enough. */
function* findLifetimeErrors(server: ServerContext, keep: number, maxAge: number): Iterable<string> {
  if (Number(server.options.accessTokenLifetime) > keep) yield KEEP_TOO_SHORT;
  const maxLifetime = Math.max(...server.all(DECRYPTION).map(({ lifetime }) => lifetime));
  if (maxAge + maxLifetime > keep)
    yield `\`keep\` of \`keys()\` must be at least ${maxAge + maxLifetime}: ${FORGOTTEN}`;
}

const KEEP_TOO_SHORT =
  '`keep` of `keys()` must be at least `accessTokenLifetime`, so that no token outlives the key that verifies it';
const FORGOTTEN = 'clients may still send values that were encrypted to a key that is no longer published';

/** Yields an error message if a feature requires a decryption algorithm that none of the configured keys supports. */
function* findMissingKeyErrors(server: ServerContext, configured: ConfiguredKeys): Iterable<string> {
  const supported = configured.decryptionAlgorithms();
  for (const { algorithms } of server.all(DECRYPTION)) {
    const missing = algorithms?.find((alg) => !supported.includes(alg));
    if (missing === undefined && supported.length > 0) continue;
    yield `a feature requires decryption, but no key of \`keys()\` decrypts${missing ? ` with ${missing}` : ''}. Add a private key with \`use: 'enc'\` to \`from\``;
  }
}

function configuredKeys(from: readonly KeyMaterial[]): ConfiguredKeys {
  assertConfig(Array.isArray(from) && from.length > 0, '`from` of `keys()` must be a non-empty list of private keys');
  const decrypting = from.filter(isForDecryption).map(decryptionKey);
  const signing = from.filter((one) => !isForDecryption(one)).map(signingKey);
  assertConfig(signing.length > 0, "`from` of `keys()` contains no signing key: keys with `use: 'enc'` only decrypt");
  const names = [...signing, ...decrypting].map(({ kid }) => kid);
  const duplicate = names.find((kid, at) => names.indexOf(kid) !== at);
  assertConfig(
    !duplicate,
    `two keys of \`keys()\` have the same \`kid\`, \`${duplicate}\`. Give each key its own \`kid\``,
  );
  const signingThumbprints = new Set(signing.map(({ publicJwk }) => thumbprint(publicJwk)));
  const sharedKey = decrypting.find(({ publicJwk }) => signingThumbprints.has(thumbprint(publicJwk)));
  assertConfig(
    !sharedKey,
    `the key \`${sharedKey?.kid}\` of \`keys()\` is configured to sign and to decrypt. Use separate keys`,
  );
  return new ConfiguredKeys(signing, decrypting);
}

/**
 * Returns the secrets that encrypt the keys in the store, the newest first.
 * @throws {InvalidArgumentError} If neither `keys()` nor the module has a valid secret.
 */
function encryptingSecrets({ secret }: KeysOptions, server: ServerContext): readonly string[] {
  const secrets =
    secret === undefined ? server.find(MODEL_SECRETS) : secretsOf(secret, optionOf('secret', FEATURE), server);
  assertConfig(secrets, NO_SECRET);
  return secrets;
}

const FEATURE = '`keys()`';
const NO_SECRET =
  '`keys()` requires a `secret` of at least 32 characters to encrypt the keys in the store: set the option `secret` of the module, which is its default, or `secret` of `keys()`, or private keys in `from`';

const OPTIONS = optionTable(FEATURE, {
  from: { check: ANY, unset: LATE },
  secret: { check: SECRET, unset: LATE },
  algorithms: { check: SIGNING_ALGORITHMS, default: ['ES256'] },
  maxAge: { check: SECONDS_FROM_0, default: 600 },
  refresh: { check: SECONDS_FROM_0, default: 60 },
  lead: { check: SECONDS_FROM_0, default: 900 },
  keep: { check: SECONDS_FROM_0, default: 86_400 },
  rotateEvery: { check: SECONDS_FROM_0 },
} satisfies OptionRows<KeysOptions>);

function verifyLead({ maxAge, refresh, lead, rotateEvery }: SettingsOf<KeysOptions, typeof OPTIONS>): void {
  assertConfig(
    lead >= maxAge + refresh,
    '`lead` of `keys()` must be at least `maxAge` plus `refresh`. Otherwise a key would sign before all parties know it',
  );
  assertConfig(rotateEvery === undefined || rotateEvery >= lead, '`rotateEvery` of `keys()` must be at least `lead`');
}
