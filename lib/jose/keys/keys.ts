import { publicDocument } from '../../endpoints/public-document.js';
import { assertConfig, configurationError } from '../../errors/configuration-error.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { ALGORITHM_NAMES, areAlgorithms, type SigningAlgorithm } from '../algorithms.js';
import { DECRYPTION, requiredDecryptionAlgorithms } from '../decryption/decryption-requirements.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import { decryptionKey, isForDecryption } from './decryption-key.js';
import { findKeys, KEYS } from './find-keys.js';
import type { KeyModel } from './key-model.js';
import { ConfiguredKeys, jwkSet, type KeyRing } from './key-ring.js';
import { type KeyMaterial, thumbprint } from './key-material.js';
import { signingKey } from './signing-key.js';
import { StoredKeys } from './stored-keys.js';
import { areSecrets } from '../secrets.js';

/** What `keys()` takes: the keys themselves, or how the store keeps them. */
export interface KeysOptions {
  /**
   * Private keys that the host brings, as JWK, PEM or signers: of each algorithm the first one signs, and all are published. Those with
   * the `use` `enc` decrypt, by one algorithm each: of each the first one is published, and all are good.
   * Left out: the store keeps them, made by the first process that needs them.
   */
  from?: readonly KeyMaterial[];
  /** Seals the keys in the store: 32 characters at least, the same in all processes. Of a list the first one seals, and all open. */
  secret?: string | readonly string[];
  /** What the keys in the store sign by, the usual one first. Default: ['ES256'] */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds in which APIs need not ask for the keys again. Default: 600 */
  maxAge?: number;
  /** Seconds from which on another process knows what was changed in the store. Default: 60 */
  refresh?: number;
  /** Seconds that a new key is known before it signs: `maxAge` and `refresh` at least. Default: 900 */
  lead?: number;
  /**
   * Seconds that a key is known after it signed the last time, as long as a token lives at least, and that one decrypts after it was
   * published the last time. Default: 86400
   */
  keep?: number;
  /** Seconds after which the key in the store is replaced. Default: only when somebody says so */
  rotateEvery?: number;
}

/**
 * The keys by which a server signs, and decrypts where a feature reads what is encrypted to it, and the document that says the public
 * halves of them. RFC 7517, RFC 8414 §2
 */
export function keys(options: KeysOptions = {}): Feature {
  assertKnownOptions(options, NAMES, '`keys()`');
  const { from, maxAge = 600, refresh = 60, lead = 900, keep = 86_400 } = options;
  const secrets = [options.secret ?? []].flat();
  const { algorithms = ['ES256'], rotateEvery } = options;
  const given = from && configuredKeys(from);
  const fault = given ? undefined : findOptionError({ secrets, algorithms, maxAge, refresh, lead, keep, rotateEvery });
  if (fault !== undefined) throw configurationError(fault);
  // Servers with the same store and the same algorithms share one key ring: tenants, for example.
  const rings = new WeakMap<object, Map<string, KeyRing>>();
  const storedRing = (model: object, decryptsBy: readonly KeyManagementAlgorithm[]): KeyRing => {
    const settings = { secrets, algorithms, decryptsBy, lead, keep, refresh, rotateEvery };
    const same = rings.get(model) ?? new Map<string, KeyRing>();
    rings.set(model, same);
    const name = decryptsBy.join(' ');
    const ring = same.get(name) ?? new StoredKeys(model as KeyModel, settings);
    same.set(name, ring);
    return ring;
  };
  return {
    id: 'keys',
    specification: 'RFC 7517',
    requires: given ? [] : ['getSigningKeys', 'replaceSigningKeys'],
    endpoints: {
      jwks: {
        ...publicDocument('oauth/jwks', { maxAge, say: (server) => jwkSet(findKeys(server)!) }),
        metadata: 'jwks_uri',
      },
    },
    install(builder) {
      builder.provide(
        KEYS,
        () => given ?? storedRing(builder.options.model, requiredDecryptionAlgorithms(builder.server)),
      );
      const ring = builder.use(KEYS);
      return {
        misconfigurations: (server) =>
          given ? findMissingKeyErrors(server, given) : findLifetimeErrors(server, keep, maxAge),
        health: async () => ((await ring().current()) ? undefined : 'no key signs'),
      };
    },
  };
}

/** Of keys in a store. */
function* findLifetimeErrors(server: ServerContext, keep: number, maxAge: number): Iterable<string> {
  if (Number(server.options.accessTokenLifetime) > keep) yield KEEP_TOO_SHORT;
  const longest = Math.max(...server.all(DECRYPTION).map(({ lifetime }) => lifetime));
  if (maxAge + longest > keep) yield `\`keep\` of \`keys()\` must be ${maxAge + longest} at least: ${FORGOTTEN}`;
}

const KEEP_TOO_SHORT =
  '`keep` of `keys()` must be as long as `accessTokenLifetime` at least: a token would outlive the key that shows it is good';
const FORGOTTEN = 'so long clients may encrypt to a key that is published no more, and come again with it';

/** Of keys that are given, for what features read. */
function* findMissingKeyErrors(server: ServerContext, given: ConfiguredKeys): Iterable<string> {
  const known = given.decryptionAlgorithms();
  for (const { algorithms } of server.all(DECRYPTION)) {
    const missing = algorithms?.find((alg) => !known.includes(alg));
    if (missing === undefined && known.length > 0) continue;
    yield `no key of \`keys()\` decrypts${missing ? ` by ${missing}` : ''}: give \`from\` a private key with \`use: 'enc'\``;
  }
}

function configuredKeys(from: readonly KeyMaterial[]): ConfiguredKeys {
  assertConfig(Array.isArray(from) && from.length > 0, '`from` of `keys()` must be a list of private keys');
  const decrypting = from.filter(isForDecryption).map(decryptionKey);
  const signing = from.filter((one) => !isForDecryption(one)).map(signingKey);
  assertConfig(signing.length > 0, "no key of `keys()` signs: those with `use: 'enc'` decrypt");
  const names = [...signing, ...decrypting].map(({ kid }) => kid);
  const twice = names.find((kid, at) => names.indexOf(kid) !== at);
  assertConfig(!twice, `two keys of \`keys()\` have the name \`${twice}\`: tokens could not say which`);
  const others = new Set(signing.map(({ publicJwk }) => thumbprint(publicJwk)));
  const both = decrypting.find(({ publicJwk }) => others.has(thumbprint(publicJwk)));
  assertConfig(!both, `the key \`${both?.kid}\` of \`keys()\` signs and decrypts: one key does one of both`);
  return new ConfiguredKeys(signing, decrypting);
}

interface StoredKeysOptions extends Required<Pick<KeysOptions, 'maxAge' | 'refresh' | 'lead' | 'keep'>> {
  secrets: readonly unknown[];
  algorithms: unknown;
  rotateEvery: number | undefined;
}

function findOptionError({
  secrets,
  algorithms,
  maxAge,
  refresh,
  lead,
  keep,
  rotateEvery,
}: StoredKeysOptions): string | undefined {
  if (!areSecrets(secrets)) {
    return '`keys()` needs a `secret` of 32 characters at least, which seals the keys in the store, or keys by `from`';
  }
  if (!areAlgorithms(algorithms)) return `\`algorithms\` of \`keys()\` must be a list of ${ALGORITHM_NAMES}`;
  for (const [name, value] of Object.entries({ maxAge, refresh, lead, keep, rotateEvery })) {
    if (value !== undefined && !(value >= 0)) return `\`${name}\` of \`keys()\` must be a number of seconds`;
  }
  if (lead < maxAge + refresh) {
    return '`lead` of `keys()` must be `maxAge` and `refresh` together at least: a key would sign before everybody knows it';
  }
  if (rotateEvery !== undefined && rotateEvery < lead) return '`rotateEvery` of `keys()` must be longer than `lead`';
  return undefined;
}

const NAMES = {
  from: true,
  secret: true,
  algorithms: true,
  maxAge: true,
  refresh: true,
  lead: true,
  keep: true,
  rotateEvery: true,
} as const;
