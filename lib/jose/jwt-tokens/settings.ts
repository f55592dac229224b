import { InvalidArgumentError } from '../../errors.js';
import { unknownOption } from '../../features/unknown-option.js';
import type { Awaitable } from '../../model/model.js';
import { audienceList, isSecure, isText, seconds, shown, verify } from '../../remote/checks.js';
import type { Accepted } from '../../remote/token-claims.js';
import { ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import type { JwkSet } from '../jwk.js';

/** What `new JwtTokens()` takes. */
export interface JwtTokensOptions {
  /** The issuer identifier of the authorization server: `iss` of its tokens, and where its metadata name its keys. RFC 8414 */
  issuer: string;
  /** The resource that this API is, or several: a token that names none of them in `aud` is refused. RFC 9068 §4 */
  audience: string | readonly string[];
  /** Where the keys are, if the server has no metadata: an https URL. */
  jwksUri?: string;
  /** The public keys themselves: nothing is fetched. RFC 7517 §5 */
  jwks?: JwkSet;
  /** What a token may be signed with. Default: all of ES256, PS256, RS256, Ed25519 and EdDSA */
  algorithms?: readonly SigningAlgorithm[];
  /** Seconds by which the clocks of the two servers may differ. Default: 5 */
  clockTolerance?: number;
  /** Seconds in which keys are not asked for again, unless a token names one that is unknown. Default: 600 */
  maxAge?: number;
  /** Seconds between two requests for the keys at least, whatever tokens come. Default: 30 */
  coolDown?: number;
  /** Seconds in which keys are used though the server does not answer any more. Default: 86400 */
  maxStale?: number;
  /** Seconds that a request waits for the authorization server, where its keys are not known yet; then it is 503. Default: 3 */
  timeout?: number;
  /** Has this token been ended before its time? Asked for each good token, by its claims: `jti`, `sub`, `client_id`. */
  isRevoked?: (claims: Readonly<Record<string, unknown>>) => Awaitable<boolean>;
  /** Instead of Node's own: for a proxy, or a certificate of your own. */
  fetch?: typeof fetch;
}

/** The same, settled and checked. */
export interface Settings
  extends Required<Omit<JwtTokensOptions, 'audience' | 'jwks' | 'jwksUri' | 'isRevoked'>>, Accepted {
  issuer: string;
  audience: readonly string[];
  jwks: JwkSet | undefined;
  jwksUri: string | undefined;
  isRevoked: JwtTokensOptions['isRevoked'];
}

const NAME = 'JwtTokens';

const OPTIONS = {
  issuer: true,
  audience: true,
  jwksUri: true,
  jwks: true,
  algorithms: true,
  clockTolerance: true,
  maxAge: true,
  coolDown: true,
  maxStale: true,
  timeout: true,
  isRevoked: true,
  fetch: true,
} as const;

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settle(given: JwtTokensOptions): Settings {
  const { issuer, audience, jwks, jwksUri, algorithms = ALGORITHMS, isRevoked } = given ?? {};
  const misspelt = unknownOption(given ?? {}, OPTIONS, `\`${NAME}\``);
  if (misspelt !== undefined) throw new InvalidArgumentError(`Invalid argument: ${misspelt}`);
  verify(NAME, isText(issuer), 'needs the `issuer` of the authorization server');
  const isFetched = jwks === undefined;
  for (const [name, url] of Object.entries(isFetched ? { issuer, jwksUri } : {})) {
    const isNeeded = url !== undefined && !(name === 'issuer' && jwksUri !== undefined);
    verify(
      NAME,
      !isNeeded || isSecure(url),
      `takes as \`${name}\` an https URL (http on this machine only), and ${shown(url)} is none`,
    );
  }
  verify(NAME, isFetched || jwksUri === undefined, 'takes its keys by `jwks` or by `jwksUri`, and not by both');
  verify(NAME, isFetched || Array.isArray(jwks?.keys), 'takes as `jwks` a JWK set: an object with a list `keys`');
  const isKnown =
    Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every((one) => ALGORITHMS.includes(one));
  verify(NAME, isKnown, `takes as \`algorithms\` a list of ${ALGORITHMS.join(', ')}`);
  verify(
    NAME,
    audience !== undefined,
    'needs the `audience`: the resource that this API is, as tokens name it in `aud`',
  );
  verify(NAME, isRevoked === undefined || typeof isRevoked === 'function', 'takes as `isRevoked` a function');
  return {
    issuer,
    audience: audienceList(NAME, audience),
    jwks,
    jwksUri,
    algorithms,
    clockTolerance: seconds(NAME, 'clockTolerance', given.clockTolerance, { usual: 5 }),
    maxAge: seconds(NAME, 'maxAge', given.maxAge, { usual: 600 }),
    coolDown: seconds(NAME, 'coolDown', given.coolDown, { usual: 30 }),
    maxStale: seconds(NAME, 'maxStale', given.maxStale, { usual: 86_400 }),
    timeout: seconds(NAME, 'timeout', given.timeout, { usual: 3, least: 0.001 }),
    isRevoked,
    fetch: given.fetch ?? ((...request) => fetch(...request)),
  };
}
