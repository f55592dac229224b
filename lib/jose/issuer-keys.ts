import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { findPublicKeyError } from '../clients/public-key.js';
import { assertConfig } from '../errors/configuration-error.js';
import { isSecureUrl, isText, readSeconds, describeValue } from '../remote/option-readers.js';
import { ALGORITHM_NAMES, ALGORITHMS, areAlgorithms, type SigningAlgorithm } from './algorithms.js';
import type { JwkSet } from './jwk.js';
import { remoteKeys } from './remote-keys.js';

/** A server whose JWTs are believed, and where its keys are. */
export interface IssuerOptions {
  /** Its issuer identifier: `iss` of its JWTs, and where its metadata name its keys. RFC 8414 */
  issuer: string;
  /** Where the keys are, if the server has no metadata: an https URL. */
  jwksUri?: string;
  /** The public keys themselves: nothing is fetched. RFC 7517 §5 */
  jwks?: JwkSet;
  /** What a JWT may be signed with. Default: every `SigningAlgorithm` that this Node.js supports */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds in which keys are not asked for again, unless a JWT names one that is unknown. Default: 600 */
  maxAge?: number;
  /** Seconds between two requests for the keys at least, whatever JWTs come. Default: 30 */
  coolDown?: number;
  /** Seconds in which keys are used though the server does not answer any more. Default: 86400 */
  maxStale?: number;
  /** Seconds that a request waits for that server, where its keys are not known yet; then it is 503. Default: 3 */
  timeout?: number;
  /** Instead of Node's own: for a proxy, or a certificate of your own. */
  fetch?: typeof fetch;
}

/** The same, settled and checked. */
export interface IssuerSettings extends Required<Omit<IssuerOptions, 'jwks' | 'jwksUri'>> {
  jwks: JwkSet | undefined;
  jwksUri: string | undefined;
}

/** The names of these options. */
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
 * @param label what takes the options, as a host calls it
 * @throws InvalidArgumentError with a sentence for what cannot work
 */
export function settleIssuer(label: string, given: IssuerOptions): IssuerSettings {
  const { issuer, jwks, jwksUri, algorithms = ALGORITHMS } = given;
  assertConfig(isText(issuer), `${label} needs the \`issuer\` of the authorization server`);
  const isFetched = jwks === undefined;
  for (const [name, url] of Object.entries(isFetched ? { issuer, jwksUri } : {})) {
    const isNeeded = url !== undefined && !(name === 'issuer' && jwksUri !== undefined);
    assertConfig(
      !isNeeded || isSecureUrl(url),
      `${label} takes as \`${name}\` an https URL (http on this machine only), and ${describeValue(url)} is none`,
    );
  }
  assertConfig(
    isFetched || jwksUri === undefined,
    `${label} takes its keys by \`jwks\` or by \`jwksUri\`, and not by both`,
  );
  assertConfig(
    isFetched || Array.isArray(jwks?.keys),
    `${label} takes as \`jwks\` a JWK set: an object with a list \`keys\``,
  );
  assertConfig(areAlgorithms(algorithms), `${label} takes as \`algorithms\` a list of ${ALGORITHM_NAMES}`);
  return {
    issuer,
    jwks,
    jwksUri,
    algorithms,
    maxAge: readSeconds(label, 'maxAge', given.maxAge, { usual: 600 }),
    coolDown: readSeconds(label, 'coolDown', given.coolDown, { usual: 30 }),
    maxStale: readSeconds(label, 'maxStale', given.maxStale, { usual: 86_400 }),
    timeout: readSeconds(label, 'timeout', given.timeout, { usual: 3, least: 0.001 }),
    fetch: given.fetch ?? ((...request) => fetch(...request)),
  };
}

/**
 * Returns the keys of an issuer, given or fetched, without those that this server may not work with.
 * @param owner the object that uses the keys: a configuration error is logged once for each
 */
export function issuerKeys(settings: IssuerSettings, owner: object): JWTVerifyGetKey {
  const { jwks } = settings;
  if (!jwks) return remoteKeys(settings, owner);
  const keys = jwks.keys.filter((jwk) => findPublicKeyError(jwk) === undefined);
  return createLocalJWKSet({ keys });
}
