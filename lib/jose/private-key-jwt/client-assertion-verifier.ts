import { hash } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ConsumeCredentials, ClientAuthenticationContext } from '../../contracts/client-authentication.js';
import { ServerError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { clientField } from '../../contracts/client-field.js';
import { hasOnce } from '../../model/has-once.js';
import type { CoreClient, Model, OnceModel } from '../../model/model.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { isVerificationError } from '../verification-error.js';
import { CLOCK_TOLERANCE, verifyJwt } from '../verify-jwt.js';
import { invalidAssertion } from './assertion.js';

/** OpenID Connect Registration §2 */
export const TOKEN_ENDPOINT_AUTH_SIGNING_ALG = clientField('token_endpoint_auth_signing_alg', isString);

/** The options of `privateKeyJwt()` and `clientSecretJwt()`: what a client assertion must be, whatever signs it. */
export interface AssertionOptions {
  /**
   * Further accepted values of `aud`, such as the URL of the token endpoint for older clients. Default: none. The issuer is always
   * accepted, as a string or in a list of values that all identify this server; so are the URLs that RFC 9126 §2 and CIBA §7.1 name, at these endpoints.
   */
  audiences?: readonly string[];
  /**
   * Whether `aud` must be the issuer alone, as a string: no list, and no URL of an endpoint. FAPI 2.0 SP §5.3.2.1,
   * draft-ietf-oauth-rfc7523bis. Default: `false`, and `true` in `fapi2()`
   */
  issuerAudienceOnly?: boolean;
  /** Seconds by which the clocks of clients may differ. Default: 10 */
  clockTolerance?: number;
  /**
   * Maximum number of seconds until an assertion expires; the store remembers its `jti` until then. Default: 3600, which the assertions of
   * popular client libraries meet
   */
  maxLifetime?: number;
}

/** Judges the assertions of clients, by keys that are theirs. RFC 7523 §3 */
export class ClientAssertionVerifier {
  private readonly settings: Required<AssertionOptions>;

  constructor(
    private readonly algorithms: readonly string[],
    {
      audiences = [],
      issuerAudienceOnly = false,
      clockTolerance = CLOCK_TOLERANCE,
      maxLifetime = 3600,
    }: AssertionOptions,
  ) {
    this.settings = { audiences, issuerAudienceOnly, clockTolerance, maxLifetime };
  }

  /**
   * Verifies a client assertion.
   * @returns the function that consumes its `jti`
   * @throws InvalidClientError If the assertion is invalid.
   */
  async verify(
    { id, evidence, client }: { id: string; evidence: string; client: CoreClient },
    keys: JWTVerifyGetKey,
    facts: ClientAuthenticationContext,
  ): Promise<ConsumeCredentials> {
    const { clockTolerance } = this.settings;
    const alg = TOKEN_ENDPOINT_AUTH_SIGNING_ALG.of(client);
    const algorithms = this.algorithms.filter((one) => alg === undefined || one === alg);
    const checks = { algorithms, clockTolerance, issuer: id, subject: id, requiredClaims: REQUIRED_CLAIMS };
    let claims: JWTPayload;
    try {
      claims = (await verifyJwt(evidence, keys, checks)).payload;
    } catch (error) {
      throw toClientError(error);
    }
    this.verifyAudience(claims, facts);
    this.verifyTimes(claims);
    if (typeof claims.jti !== 'string' || claims.jti === '')
      throw invalidAssertion({ reason: 'an assertion has a `jti`' });
    if (!hasOnce(facts.model)) throw new ServerError('Server error: client assertions need the model method `once()`');
    return () => this.consume(id, claims, facts);
  }

  /** Checks that `aud` identifies this server, and no other one, which could replay the assertion here. RFC 7523 §3 */
  private verifyAudience(
    { aud }: JWTPayload,
    { issuer, endpointAudiences, isOwnEndpoint }: ClientAuthenticationContext,
  ): void {
    const { audiences, issuerAudienceOnly } = this.settings;
    const wanted: readonly unknown[] = issuerAudienceOnly ? [issuer] : [issuer, ...audiences, ...endpointAudiences];
    if (typeof aud === 'string' && wanted.includes(aud)) return;
    const values: readonly unknown[] = Array.isArray(aud) ? aud : [];
    const isOwn = (value: unknown) => wanted.includes(value) || (typeof value === 'string' && isOwnEndpoint(value));
    const isList = !issuerAudienceOnly && values.length <= MAX_AUDIENCES;
    if (isList && values.some((value) => wanted.includes(value)) && values.every(isOwn)) return;
    const reason = issuerAudienceOnly ? '`aud` is the issuer, as one string' : '`aud` is for this server alone';
    throw invalidAssertion({ reason, expected: wanted, given: shortText(aud) ?? typeof aud });
  }

  private verifyTimes({ exp, iat }: JWTPayload): void {
    const { clockTolerance, maxLifetime } = this.settings;
    const now = Date.now() / 1000;
    if (exp! > now + maxLifetime + clockTolerance) {
      const detail = { expected: maxLifetime, given: exp! - now };
      throw invalidAssertion({ reason: '`exp` of an assertion is at most `maxLifetime` seconds away', ...detail });
    }
    if (iat !== undefined && !(iat <= now + clockTolerance)) {
      throw invalidAssertion({ reason: 'an assertion is not from the future', given: iat });
    }
  }

  /** Rejects a replayed assertion. Its `jti` is remembered until the assertion has expired. RFC 7523 §3 */
  private async consume(
    id: string,
    { exp, jti }: JWTPayload,
    { model, issuer }: ClientAuthenticationContext,
  ): Promise<void> {
    const { clockTolerance } = this.settings;
    const digest = hash('sha256', JSON.stringify(['client assertion', issuer, id, jti]), 'base64url');
    // The store's clock may differ from the clock of this process.
    const seconds = Math.ceil(exp! - Date.now() / 1000) + 2 * clockTolerance + 1;
    const isFirst = await (model as Model & OnceModel).once(digest, Math.max(seconds, 1));
    if (!isFirst) throw invalidAssertion({ reason: 'an assertion is good once' });
  }
}

/** Values of an `aud` list: more than a server has endpoints that clients call. */
const MAX_AUDIENCES = 8;

const REQUIRED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'jti'];

/** What is wrong with an assertion is the client's fault; that its keys cannot be had now may be nobody's. */
function toClientError(error: unknown): Error {
  if (isVerificationError(error)) {
    return invalidAssertion({
      reason: 'the assertion is signed by a key of the client, for it, and now',
      given: error.message,
    });
  }
  return fetchFailure(error, 'The keys of a client', (given) =>
    invalidAssertion({ reason: 'the keys of the client can be fetched', given }),
  );
}

/** What is wrong with the options, and with the server they stand in, as sentences. */
export function* findAssertionErrors(
  { options: { issuer, model } }: ServerContext,
  options: AssertionOptions,
  feature: string,
): Iterable<string> {
  if (issuer === undefined && (options.audiences ?? []).length === 0) {
    yield `${feature} needs the option \`issuer\`, which assertions are made for`;
  }
  if (!hasOnce(model)) yield `${feature} needs the model method \`once()\`: an assertion is good once`;
  const { audiences = [], issuerAudienceOnly } = options;
  if (!Array.isArray(audiences) || !audiences.every((one: unknown) => typeof one === 'string' && one !== '')) {
    yield `\`audiences\` of ${feature} must be a list of strings`;
  }
  if (issuerAudienceOnly !== undefined && typeof issuerAudienceOnly !== 'boolean') {
    yield `\`issuerAudienceOnly\` of ${feature} must be true or false`;
  }
  if (issuerAudienceOnly && audiences.length > 0) {
    yield `\`issuerAudienceOnly\` of ${feature} accepts no \`audiences\`: leave one of them out`;
  }
  for (const name of ['clockTolerance', 'maxLifetime'] as const) {
    const value = options[name];
    const isSeconds = value === undefined || (typeof value === 'number' && value >= 0 && value <= 86_400);
    if (!isSeconds) yield `\`${name}\` of ${feature} must be a number of seconds, a day at most`;
  }
}

/** What is said of the algorithms at each endpoint where clients prove themselves. RFC 8414 §2 */
export function signingAlgMetadata({ endpoints }: ServerContext, algorithms: readonly string[]): object {
  const members = [...endpoints.values()].flatMap(({ metadata, clients }) => (metadata && clients ? metadata : []));
  return Object.fromEntries(members.map((name) => [`${name}_auth_signing_alg_values_supported`, algorithms]));
}
