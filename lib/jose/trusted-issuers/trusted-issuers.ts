import { decodeJwt, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { RefusalDetail } from '../../errors/index.js';
import { collectedCapability } from '../../contracts/capability.js';
import type { ServerBuilder } from '../../contracts/feature.js';
import { shortText } from '../../events/events.js';
import type { Awaitable, Falsy } from '../../model/model.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { isAmong } from '../../tokens/audience.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { CLOCK_TOLERANCES } from '../clock-tolerances.js';
import { type IssuerOptions, issuerKeys, type IssuerSettings, settleIssuer } from '../issuer-keys.js';
import { isVerificationError } from '../verification-error.js';
import { verifyJwt } from '../verify-jwt.js';
import type { ModelIssuers } from './model-issuers.js';

/** A JWT of a trusted issuer with verified signature and expiry. Its audience is not verified yet. */
export interface TrustedJwt<O extends IssuerOptions> {
  claims: JWTPayload & { iss: string; exp: number };
  /** The `typ` header without the prefix `application/`, or `''` if it is missing. RFC 7515 §4.1.9 */
  typ: string;
  /** The issuer of the JWT, as the application has configured it. */
  issuer: O;
}

/** The signature algorithms that a feature accepts from other servers. */
export interface IssuerAlgorithms {
  /** The feature as the developer writes it, in backticks, such as `jwtBearer()`. */
  readonly feature: string;
  /** The algorithms that at least one of the listed issuers may use. */
  readonly algorithms: readonly SigningAlgorithm[];
}

/**
 * The capability key under which features contribute the accepted algorithms of trusted issuers. Profiles verify them.
 */
export const TRUSTED_ISSUERS = collectedCapability<IssuerAlgorithms>('trusted issuers');

/** A function that creates the error for an invalid JWT. The detail is only logged, not sent to the client. */
type CreateError = (detail: RefusalDetail) => Error;

interface KnownIssuer<O> {
  options: O;
  settings: IssuerSettings;
  keys: JWTVerifyGetKey;
}

/** How issuers are found that are not listed in the options of a feature. */
interface ModelLookup<O extends IssuerOptions> {
  find(issuer: string): Awaitable<O | Falsy>;
  /**
   * Whether this server accepts a signature algorithm. If not, it is rejected even if the options of the issuer contain
   * it.
   */
  allows(alg: SigningAlgorithm): boolean;
  issuers: ModelIssuers;
}

/** Maximum number of characters of a JWT. */
const MAX_JWT_LENGTH = 16_384;
/** Maximum number of characters of an issuer identifier that is looked up. */
const MAX_ISSUER_LENGTH = 2000;

/** The issuers whose JWTs a feature trusts, by their issuer identifiers. RFC 7521 §5.1 */
export class TrustedIssuers<O extends IssuerOptions> {
  private readonly known = new Map<string, KnownIssuer<O>>();

  /**
   * @param feature The feature as the developer writes it, for error messages.
   * @param clockTolerance The accepted clock skew, in seconds.
   * @throws {InvalidArgumentError} If an issuer is invalid or listed twice.
   */
  constructor(
    private readonly feature: string,
    issuers: readonly O[],
    readonly clockTolerance: number,
  ) {
    for (const options of issuers) {
      const settings = settleIssuer(`an issuer of ${feature}`, options ?? {});
      const { issuer } = settings;
      assertConfig(!this.known.has(issuer), `${feature} lists the issuer \`${issuer}\` twice`);
      this.known.set(issuer, { options, settings, keys: issuerKeys(settings, this) });
    }
  }

  /** The signature algorithms that the listed issuers may use. */
  get algorithms(): readonly SigningAlgorithm[] {
    return [...this.known.values()].flatMap(({ settings }) => settings.algorithms);
  }

  /** Contributes the accepted algorithms and the clock tolerance of the feature, which profiles may restrict. */
  contributeTo(builder: Pick<ServerBuilder, 'contribute'>): void {
    const { algorithms, clockTolerance, feature } = this;
    builder.contribute(TRUSTED_ISSUERS, { feature, algorithms });
    builder.contribute(CLOCK_TOLERANCES, { feature, seconds: clockTolerance });
  }

  /** Whether the unverified `iss` of a token is one of the listed issuers. */
  isIssuerOf(token: string): boolean {
    return this.known.has(issuerOf(token) ?? '');
  }

  /**
   * Verifies the signature, the time claims and the subject of a JWT. Does not verify its audience.
   * @throws The error that `createError` returns, if the JWT is invalid.
   * @throws {TemporarilyUnavailableError} If the keys of the issuer cannot be fetched.
   */
  async verify(token: string, createError: CreateError, lookup?: ModelLookup<O>): Promise<TrustedJwt<O>> {
    const { clockTolerance } = this;
    const trusted = await this.find(issuerOf(token), lookup);
    if (!trusted)
      throw createError({ reason: `token is not a JWT of a trusted issuer with at most ${MAX_JWT_LENGTH} characters` });
    const { algorithms, issuer } = trusted.settings;
    const checks = { algorithms: [...algorithms], clockTolerance, issuer, requiredClaims: ['exp', 'sub'] };
    try {
      const { payload, protectedHeader } = await verifyJwt(token, trusted.keys, checks);
      const typ = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? '';
      if (typeof payload.sub !== 'string' || payload.sub === '')
        throw createError({ reason: '`sub` of the token is missing or empty' });
      if (payload.iat !== undefined && !(payload.iat <= Date.now() / 1000 + clockTolerance)) {
        throw createError({ reason: '`iat` of the token is in the future', given: payload.iat });
      }
      return { claims: payload as TrustedJwt<O>['claims'], typ, issuer: trusted.options };
    } catch (error) {
      if (!isVerificationError(error)) throw error;
      throw createError({
        reason: 'token has an invalid signature, or its claims are invalid or expired',
        expected: issuer,
        given: error.message,
      });
    }
  }

  private async find(
    issuer: string | undefined,
    lookup: ModelLookup<O> | undefined,
  ): Promise<KnownIssuer<O> | undefined> {
    if (issuer === undefined) return undefined;
    const listed = this.known.get(issuer);
    if (listed !== undefined || lookup === undefined || issuer.length > MAX_ISSUER_LENGTH) return listed;
    const options = await lookup.find(issuer);
    if (!options || options.issuer !== issuer) return undefined;
    const { keys, settings } = lookup.issuers.keysOf(options);
    return {
      options,
      keys,
      settings: { ...settings, algorithms: settings.algorithms.filter((alg) => lookup.allows(alg)) },
    };
  }
}

/** Returns the unverified `iss` of a token. Use it only to find the issuer. */
function issuerOf(token: string): string | undefined {
  if (token.length > MAX_JWT_LENGTH) return undefined;
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether `aud` is exactly one value, and that value is one of these audiences. A JWT with several audiences could be
 * replayed at another one. RFC 7523 §3, RFC 8725 §3.9
 */
export function isOnlyFor({ aud }: JWTPayload, audiences: readonly string[]): boolean {
  const [one, ...others] = [aud].flat();
  return typeof one === 'string' && others.length === 0 && isAmong(one, audiences);
}

/** Returns the audience of a JWT as text for the log. */
export const loggableAudience = ({ aud }: JWTPayload): string =>
  shortText(JSON.stringify(Array.isArray(aud) ? aud.map(describeValue) : describeValue(aud)))!;

/** Returns a string unchanged, and of any other value its type: deeply nested values cannot be serialized. */
const describeValue = (one: unknown): string => (typeof one === 'string' ? one : typeof one);
