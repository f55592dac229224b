import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { findPublicKeyError } from '../clients/public-key.js';
import { assertConfig, configurationError } from '../errors/configuration-error.js';
import { type OptionRows, optionTable, type SettledBy } from '../options/option-table.js';
import { accepts, FUNCTION, POSITIVE_TIMER_SECONDS, SECURE_URL, TEXT, TIMER_SECONDS } from '../options/value-checks.js';
import { ALGORITHMS, SIGNING_ALGORITHMS, type SigningAlgorithm } from './algorithms.js';
import type { JwkSet } from './jwk.js';
import { remoteKeys } from './remote-keys.js';

/** A trusted authorization server, and where its public keys are. */
export interface IssuerOptions {
  /**
   * The issuer identifier of the server: the `iss` of its JWTs. Unless `jwks` or `jwksUri` is set, its metadata is
   * fetched to find its keys. RFC 8414
   */
  issuer: string;
  /**
   * The https URL of the server's keys, for a server without metadata. If `jwks` is omitted too, the `jwks_uri` in its
   * metadata is used.
   */
  jwksUri?: string;
  /** The public keys of the server. If set, no keys are fetched. RFC 7517 §5 */
  jwks?: JwkSet;
  /** The accepted signature algorithms. Default: every `SigningAlgorithm` that this Node.js supports. */
  algorithms?: readonly SigningAlgorithm[];
  /**
   * Seconds for which fetched keys are cached. If a JWT has a key that is not among them, they are fetched again
   * earlier. Default: `600`.
   */
  maxAge?: number;
  /** Minimum number of seconds between two fetches of the keys. Default: `30`. */
  coolDown?: number;
  /** Seconds for which cached keys are still used while new ones cannot be fetched. Default: `86400`. */
  maxStale?: number;
  /**
   * Seconds for which a request waits for the keys if none are cached yet. If they are not fetched by then, the
   * response is 503. Default: `3`.
   */
  timeout?: number;
  /** A function that is used instead of `fetch` of Node.js, for example for a proxy or a custom certificate. */
  fetch?: typeof fetch;
}

/** The rows of `IssuerOptions` in a table of options. */
export const ISSUER_ROWS = {
  issuer: { check: TEXT, required: 'the issuer identifier of the authorization server' },
  jwksUri: { check: SECURE_URL },
  jwks: {
    check: accepts<JwkSet>('a JWK set: an object with a list `keys`', (value) =>
      Array.isArray((value as Partial<JwkSet> | null)?.keys),
    ),
  },
  algorithms: { check: SIGNING_ALGORITHMS, default: ALGORITHMS },
  maxAge: { check: TIMER_SECONDS, default: 600 },
  coolDown: { check: TIMER_SECONDS, default: 30 },
  maxStale: { check: TIMER_SECONDS, default: 86_400 },
  timeout: { check: POSITIVE_TIMER_SECONDS, default: 3 },
  fetch: { check: FUNCTION, default: (...request: Parameters<typeof fetch>) => fetch(...request) },
} satisfies OptionRows<IssuerOptions>;

/** The options of a trusted server, validated and with their defaults. */
export type IssuerSettings = SettledBy<IssuerOptions, typeof ISSUER_ROWS>;

/**
 * Validates the options of a trusted server and applies the defaults. Unknown options and those that are `null` are
 * ignored, because a model may return a row of a database.
 * @param owner The owner of the options in error messages, for example `JwtTokens`.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settleIssuer(owner: string, given: IssuerOptions): IssuerSettings {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const table = optionTable(owner, ISSUER_ROWS);
  return verifyIssuer(owner, table.read(table.settle(set as unknown as IssuerOptions)));
}

/**
 * Verifies that the options of a trusted server fit together.
 * @throws {InvalidArgumentError} If they do not.
 */
export function verifyIssuer<O extends IssuerOptions>(owner: string, options: O): O {
  const { issuer, jwks, jwksUri } = options;
  assertConfig(jwks === undefined || jwksUri === undefined, `${owner} accepts \`jwks\` or \`jwksUri\`, but not both`);
  // Without the location of its keys, the metadata of the issuer is fetched.
  const error = jwks === undefined && jwksUri === undefined ? SECURE_URL(issuer, 'issuer', owner) : undefined;
  if (error !== undefined) throw configurationError(error);
  return options;
}

/**
 * Returns a function that finds the keys of a trusted server, which are configured or fetched. Weak, expensive or
 * unknown kinds of keys are ignored.
 * @param owner The object that uses the keys. A configuration error is logged once for each owner.
 */
export function issuerKeys(settings: IssuerSettings, owner: object): JWTVerifyGetKey {
  const { jwks } = settings;
  if (!jwks) return remoteKeys(settings, owner);
  const keys = jwks.keys.filter((jwk) => findPublicKeyError(jwk) === undefined);
  return createLocalJWKSet({ keys });
}
