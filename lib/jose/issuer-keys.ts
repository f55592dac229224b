import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { findPublicKeyError } from '../clients/public-key.js';
import { assertConfig } from '../errors/configuration-error.js';
import { isSecureUrl, isText, readSeconds, describeValue } from '../remote/option-readers.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from './algorithms.js';
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

/** The options of a trusted server, validated and with their defaults. */
export interface IssuerSettings extends Required<Omit<IssuerOptions, 'jwks' | 'jwksUri'>> {
  jwks: JwkSet | undefined;
  jwksUri: string | undefined;
}

/** The names of the options in `IssuerOptions`, to detect misspelled ones. */
export const ISSUER_OPTIONS = {
  issuer: true,
  jwksUri: true,
  jwks: true,
  algorithms: true,
  maxAge: true,
  coolDown: true,
  maxStale: true,
  timeout: true,
  fetch: true,
} as const;

/**
 * Validates the options of a trusted server and applies the defaults.
 * @param label The owner of the options in error messages, for example `JwtTokens`.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settleIssuer(label: string, given: IssuerOptions): IssuerSettings {
  const { issuer, jwks, jwksUri, algorithms = ALGORITHMS } = given;
  assertConfig(isText(issuer), `${label} requires the \`issuer\` of the authorization server`);
  const isFetched = jwks === undefined;
  for (const [name, url] of Object.entries(isFetched ? { issuer, jwksUri } : {})) {
    const isNeeded = url !== undefined && !(name === 'issuer' && jwksUri !== undefined);
    assertConfig(
      !isNeeded || isSecureUrl(url),
      `\`${name}\` of ${label} must be an https URL (http only for this machine). Got ${describeValue(url)}`,
    );
  }
  assertConfig(isFetched || jwksUri === undefined, `${label} accepts \`jwks\` or \`jwksUri\`, but not both`);
  assertConfig(
    isFetched || Array.isArray(jwks?.keys),
    `\`jwks\` of ${label} must be a JWK set: an object with a list \`keys\``,
  );
  assertConfig(areAlgorithms(algorithms), `\`algorithms\` of ${label} must be a list of ${ALGORITHM_NAMES}`);
  return {
    issuer,
    jwks,
    jwksUri,
    algorithms,
    maxAge: readSeconds(label, 'maxAge', given.maxAge, { defaultValue: 600 }),
    coolDown: readSeconds(label, 'coolDown', given.coolDown, { defaultValue: 30 }),
    maxStale: readSeconds(label, 'maxStale', given.maxStale, { defaultValue: 86_400 }),
    timeout: readSeconds(label, 'timeout', given.timeout, { defaultValue: 3, minimum: 0.001 }),
    fetch: given.fetch ?? ((...request) => fetch(...request)),
  };
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
