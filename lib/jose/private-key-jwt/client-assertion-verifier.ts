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
import type { OptionRows } from '../../options/option-table.js';
import { FLAG, secondsFrom, TEXTS } from '../../options/value-checks.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { isVerificationError } from '../verification-error.js';
import { CLOCK_TOLERANCE, verifyJwt } from '../verify-jwt.js';
import { invalidAssertion } from './assertion.js';

/** The client field for the signature algorithm of client assertions. OpenID Connect Registration §2 */
export const TOKEN_ENDPOINT_AUTH_SIGNING_ALG = clientField('token_endpoint_auth_signing_alg', isString);

/** The common options of `privateKeyJwt()` and `clientSecretJwt()`: the requirements for client assertions. */
export interface AssertionOptions {
  /**
   * Accepted values of `aud` in addition to the issuer, such as the URL of the token endpoint for older clients. `aud`
   * may also be a list if all its values identify this server. The endpoints of RFC 9126 §2 and CIBA §7.1 also accept
   * the URLs that are defined there. Default: none.
   */
  audiences?: readonly string[];
  /**
   * Whether `aud` must be the issuer alone, as a string. A list or the URL of an endpoint is then rejected. Default:
   * `false`, but `true` in `fapi2()`. FAPI 2.0 SP §5.3.2.1, draft-ietf-oauth-rfc7523bis
   */
  issuerAudienceOnly?: boolean;
  /** The accepted clock skew of clients, in seconds. Default: `10`. */
  clockTolerance?: number;
  /**
   * Maximum number of seconds until an assertion expires: one that expires later is rejected. The store remembers its
   * `jti` until it expires. Default: `3600`, which the assertions of popular client libraries meet.
   */
  maxLifetime?: number;
}

/** The rows of `AssertionOptions` in a table of options. */
export const ASSERTION_ROWS = {
  audiences: { check: TEXTS, default: [] },
  issuerAudienceOnly: { check: FLAG, default: false },
  clockTolerance: { check: secondsFrom(0, 86_400), default: CLOCK_TOLERANCE },
  maxLifetime: { check: secondsFrom(0, 86_400), default: 3600 },
} as const satisfies OptionRows<AssertionOptions>;

/** The verifier of client assertions. RFC 7523 §3 */
export class ClientAssertionVerifier {
  constructor(
    private readonly algorithms: readonly string[],
    private readonly settings: Required<AssertionOptions>,
  ) {}

  /**
   * Verifies a client assertion with the keys of the client. Does not mark it as used.
   * @returns A function that marks the assertion as used. It rejects if the assertion was used before.
   * @throws {InvalidClientError} If the assertion is invalid.
   */
  async verify(
    { id, evidence, client }: { id: string; evidence: string; client: CoreClient },
    keys: JWTVerifyGetKey,
    context: ClientAuthenticationContext,
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
    this.verifyAudience(claims, context);
    this.verifyTimes(claims);
    if (typeof claims.jti !== 'string' || claims.jti === '')
      throw invalidAssertion({ reason: 'client assertion has no `jti`' });
    if (!hasOnce(context.model))
      throw new ServerError('Server error: client assertions require the model method `once()`');
    return () => this.consume(id, claims, context);
  }

  /**
   * Verifies that `aud` identifies this server and no other server, which could replay the assertion here. RFC 7523 §3
   */
  private verifyAudience(
    { aud }: JWTPayload,
    { issuer, endpointAudiences, isOwnEndpoint }: ClientAuthenticationContext,
  ): void {
    const { audiences, issuerAudienceOnly } = this.settings;
    const accepted: readonly unknown[] = issuerAudienceOnly ? [issuer] : [issuer, ...audiences, ...endpointAudiences];
    if (typeof aud === 'string' && accepted.includes(aud)) return;
    const values: readonly unknown[] = Array.isArray(aud) ? aud : [];
    const isOwn = (value: unknown) => accepted.includes(value) || (typeof value === 'string' && isOwnEndpoint(value));
    const isList = !issuerAudienceOnly && values.length <= MAX_AUDIENCES;
    if (isList && values.some((value) => accepted.includes(value)) && values.every(isOwn)) return;
    const reason = issuerAudienceOnly
      ? '`aud` of the client assertion is not the issuer as a single string'
      : '`aud` of the client assertion does not identify only this server';
    throw invalidAssertion({ reason, expected: accepted, given: shortText(aud) ?? typeof aud });
  }

  private verifyTimes({ exp, iat }: JWTPayload): void {
    const { clockTolerance, maxLifetime } = this.settings;
    const now = Date.now() / 1000;
    if (exp! > now + maxLifetime + clockTolerance) {
      const detail = { expected: maxLifetime, given: exp! - now };
      throw invalidAssertion({ reason: 'client assertion expires later than `maxLifetime` allows', ...detail });
    }
    if (iat !== undefined && !(iat <= now + clockTolerance)) {
      throw invalidAssertion({ reason: '`iat` of the client assertion is in the future', given: iat });
    }
  }

  /**
   * Marks an assertion as used by its `jti`, which is remembered until the assertion has expired. RFC 7523 §3
   * @throws {InvalidClientError} If the assertion was used before.
   */
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
    if (!isFirst) throw invalidAssertion({ reason: 'client assertion was already used' });
  }
}

/** Maximum number of values in `aud`. A server has fewer endpoints that clients call. */
const MAX_AUDIENCES = 8;

const REQUIRED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'jti'];

/**
 * Converts an error of the verification into the error for the client. If the client's keys temporarily cannot be
 * fetched, the result is not an error of the client.
 */
function toClientError(error: unknown): Error {
  if (isVerificationError(error)) {
    return invalidAssertion({
      reason: 'client assertion has an invalid signature, or its claims are invalid or expired',
      given: error.message,
    });
  }
  return fetchFailure(error, 'The keys of a client', (given) =>
    invalidAssertion({ reason: 'keys of the client could not be fetched', given }),
  );
}

/** Yields an error message for each reason why a feature with these options cannot work on its server. */
export function* findAssertionErrors(
  { options: { issuer, model } }: ServerContext,
  { audiences, issuerAudienceOnly }: Required<AssertionOptions>,
  feature: string,
): Iterable<string> {
  if (issuer === undefined && audiences.length === 0) {
    yield `${feature} cannot determine the audience of assertions. Set the option \`issuer\`, or \`audiences\` of ${feature}`;
  }
  if (!hasOnce(model)) yield `${feature} requires the model method \`once()\` to detect replayed assertions`;
  if (issuerAudienceOnly && audiences.length > 0) {
    yield `\`audiences\` of ${feature} must be empty if \`issuerAudienceOnly\` is set`;
  }
}

/**
 * Returns the metadata members that list the signature algorithms of client assertions, one for each endpoint with
 * client authentication. RFC 8414 §2
 */
export function signingAlgMetadata({ endpoints }: ServerContext, algorithms: readonly string[]): object {
  const members = [...endpoints.values()].flatMap(({ metadata, clients }) => (metadata && clients ? metadata : []));
  return Object.fromEntries(members.map((name) => [`${name}_auth_signing_alg_values_supported`, algorithms]));
}
