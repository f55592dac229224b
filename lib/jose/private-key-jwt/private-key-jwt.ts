import { hash } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import type { ClientAuthentication, ProofFacts } from '../../clients/client-authentication.js';
import { InvalidArgumentError, ServerError } from '../../errors.js';
import { shortText } from '../../events.js';
import type { Feature, ServerFacts } from '../../feature.js';
import { unknownOption } from '../../features/unknown-option.js';
import { Parameters } from '../../http/parameters.js';
import { FetchError, fetchFault, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { unavailable } from '../../remote/unavailable.js';
import { ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { isNotVerified } from '../not-verified.js';
import { readAssertion, unproven } from './assertion.js';
import { ClientKeys } from './client-keys.js';

/** What `privateKeyJwt()` takes. */
export interface PrivateKeyJwtOptions {
  /** What an assertion may be signed with. Default: all of ES256, PS256, RS256, Ed25519 and EdDSA */
  algorithms?: readonly SigningAlgorithm[];
  /** What `aud` may be besides the issuer: the URL of the token endpoint, for clients that know no better. Default: nothing */
  audiences?: readonly string[];
  /** Seconds by which the clocks of clients may differ. Default: 10 */
  clockTolerance?: number;
  /** Seconds that an assertion may live: so long its `jti` is remembered. Default: 600 */
  maxLifetime?: number;
  /** How the keys at the `jwks_uri` of a client are fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/**
 * A client proves who it is by a key of its own, which nobody else ever has: it is registered with `tokenEndpointAuthMethod`
 * `private_key_jwt` and its public keys, `jwks` or `jwksUri`. RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export function privateKeyJwt(options: PrivateKeyJwtOptions = {}): Feature {
  const misspelt = unknownOption(options, NAMES, '`privateKeyJwt()`') ?? fetchFault(options.fetch);
  if (misspelt !== undefined) throw new InvalidArgumentError(`Invalid argument: ${misspelt}`);
  const { algorithms = ALGORITHMS } = options;
  return {
    name: 'RFC 7523 §2.2',
    clientAuthentications: [new PrivateKeyJwt(options)],
    check: (server) => [...faultsOf(server, options)],
    metadata: (server) =>
      Object.fromEntries(
        [...server.endpoints.values()]
          .filter(({ metadata, clients }) => metadata && clients)
          .map(({ metadata }) => [`${metadata}_auth_signing_alg_values_supported`, algorithms]),
      ),
  };
}

class PrivateKeyJwt implements ClientAuthentication {
  readonly method = 'private_key_jwt';
  private readonly keys: ClientKeys;

  constructor(private readonly options: PrivateKeyJwtOptions) {
    this.keys = new ClientKeys(options.fetch);
  }

  claim: ClientAuthentication['claim'] = (request) =>
    request.body?.client_assertion || request.body?.client_assertion_type
      ? readAssertion(new Parameters(request))
      : undefined;

  prove: NonNullable<ClientAuthentication['prove']> = async ({ id, evidence }, client, facts) => {
    const { algorithms = ALGORITHMS, clockTolerance = 10 } = this.options;
    const keys = this.keys.of(client);
    if (!keys) throw unproven({ rule: 'the client has keys, by `jwks` or `jwksUri`' });
    const checks = { algorithms: [...algorithms], clockTolerance, issuer: id, subject: id, requiredClaims: REQUIRED };
    let claims: JWTPayload;
    try {
      claims = (await jwtVerify(evidence!, keys, checks)).payload;
    } catch (error) {
      throw failureOf(error);
    }
    this.verifyAudience(claims, facts);
    await this.spend(id, claims, facts);
  };

  /** One string: a list would be good elsewhere too. */
  private verifyAudience({ aud }: JWTPayload, { issuer }: ProofFacts): void {
    const wanted = [issuer, ...(this.options.audiences ?? [])];
    if (typeof aud === 'string' && wanted.includes(aud)) return;
    throw unproven({ rule: '`aud` is the issuer, as one string', wanted, given: shortText(String(aud)) });
  }

  /** An assertion is good once, and lives for no longer than that is remembered. RFC 7523 §3 */
  private async spend(id: string, { exp, iat, jti }: JWTPayload, { model }: ProofFacts): Promise<void> {
    const { clockTolerance = 10, maxLifetime = 600 } = this.options;
    const now = Date.now() / 1000;
    if (exp! > now + maxLifetime + clockTolerance) {
      throw unproven({
        rule: 'an assertion lives for so many seconds at most',
        wanted: maxLifetime,
        given: exp! - now,
      });
    }
    if (iat !== undefined && !(iat <= now + clockTolerance)) {
      throw unproven({ rule: 'an assertion is not from the future', given: iat });
    }
    if (typeof jti !== 'string' || jti === '') throw unproven({ rule: 'an assertion has a `jti`' });
    if (!hasOnce(model)) throw new ServerError('Server error: `privateKeyJwt()` needs the model method `once()`');
    const digest = hash('sha256', JSON.stringify(['client assertion', id, jti]), 'base64url');
    // By whichever clock it is remembered, it is for longer than this one lets it live.
    const first = await model.once(digest, Math.ceil(exp! - now) + 2 * clockTolerance + 1);
    if (!first) throw unproven({ rule: 'an assertion is good once' });
  }
}

const REQUIRED = ['iss', 'sub', 'aud', 'exp', 'jti'];

/** What is wrong with an assertion is the client's fault; that its keys cannot be had now may be nobody's. */
function failureOf(error: unknown): Error {
  if (isNotVerified(error)) {
    return unproven({ rule: 'the assertion is signed by a key of the client, for it, and now', given: error.message });
  }
  if (!(error instanceof FetchError)) return error as Error;
  if (error.isPassing) return unavailable(`The keys of a client cannot be read: ${error.message}`, 5, error);
  return unproven({ rule: 'the keys of the client can be fetched', given: error.message });
}

function* faultsOf({ options: { issuer, model } }: ServerFacts, options: PrivateKeyJwtOptions): Iterable<string> {
  const { algorithms = ALGORITHMS, audiences = [] } = options;
  if (issuer === undefined && audiences.length === 0) {
    yield '`privateKeyJwt()` needs the option `issuer`, which assertions are made for';
  }
  if (!hasOnce(model)) yield '`privateKeyJwt()` needs the model method `once()`: an assertion is good once';
  if (!Array.isArray(algorithms) || algorithms.length === 0 || !algorithms.every((one) => ALGORITHMS.includes(one))) {
    yield `\`algorithms\` of \`privateKeyJwt()\` must be a list of ${ALGORITHMS.join(', ')}`;
  }
  for (const name of ['clockTolerance', 'maxLifetime'] as const) {
    const value = options[name];
    const isSeconds = value === undefined || (typeof value === 'number' && value >= 0 && value <= 86_400);
    if (!isSeconds) yield `\`${name}\` of \`privateKeyJwt()\` must be a number of seconds, a day at most`;
  }
}

const NAMES = { algorithms: true, audiences: true, clockTolerance: true, maxLifetime: true, fetch: true } as const;
