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

/** What a JWT of somebody else says, once its signature is found good and its time has not passed. */
export interface TrustedJwt<O extends IssuerOptions> {
  claims: JWTPayload & { iss: string; exp: number };
  /** Its `typ`, without what every media type of an application may leave out; empty: it has none. RFC 7515 §4.1.9 */
  typ: string;
  /** Whose it is, as the host has listed that. */
  issuer: O;
}

/** The JWTs of other servers that a feature accepts. */
export interface IssuerAlgorithms {
  /** The feature as the developer writes it: `jwtBearer()` in backticks. */
  readonly feature: string;
  /** The algorithms that at least one of the listed issuers may sign with. */
  readonly algorithms: readonly SigningAlgorithm[];
}

/** The key under which features contribute how trusted issuers may sign, for profiles that restrict it. */
export const TRUSTED_ISSUERS = collectedCapability<IssuerAlgorithms>('trusted issuers');

/** What becomes of one that is no good: only the operator hears what is wrong with it. */
type CreateError = (detail: RefusalDetail) => Error;

interface KnownIssuer<O> {
  options: O;
  settings: IssuerSettings;
  keys: JWTVerifyGetKey;
}

/** Where further issuers are looked for. */
interface ModelLookup<O extends IssuerOptions> {
  find(issuer: string): Awaitable<O | Falsy>;
  /** May it sign by this here, whatever is said of it? */
  allows(alg: SigningAlgorithm): boolean;
  found: ModelIssuers;
}

/** Characters of a JWT that are looked at. */
const MAX_JWT_LENGTH = 16_384;
/** And of the name of an issuer that somebody is asked about. */
const MAX_ISSUER_LENGTH = 2000;

/** The servers whose JWTs are believed, by their issuer identifiers. RFC 7521 §5.1 */
export class TrustedIssuers<O extends IssuerOptions> {
  private readonly known = new Map<string, KnownIssuer<O>>();

  /**
   * @param place what takes the list, as a host calls it
   * @param clockTolerance seconds by which clocks may differ
   * @throws InvalidArgumentError with a sentence for what cannot work
   */
  constructor(
    private readonly place: string,
    issuers: readonly O[],
    readonly clockTolerance: number,
  ) {
    for (const of of issuers) {
      const settings = settleIssuer(`an issuer of ${place}`, of ?? {});
      const { issuer } = settings;
      assertConfig(!this.known.has(issuer), `${place} lists the issuer \`${issuer}\` twice`);
      this.known.set(issuer, { options: of, settings, keys: issuerKeys(settings, this) });
    }
  }

  /** By what those that are listed may sign. */
  get algorithms(): readonly SigningAlgorithm[] {
    return [...this.known.values()].flatMap(({ settings }) => settings.algorithms);
  }

  /** Contributes what profiles restrict: the algorithms and the clock tolerance. */
  contributeTo(builder: Pick<ServerBuilder, 'contribute'>): void {
    const { algorithms, clockTolerance, place: feature } = this;
    builder.contribute(TRUSTED_ISSUERS, { feature, algorithms });
    builder.contribute(CLOCK_TOLERANCES, { feature, seconds: clockTolerance });
  }

  /** Is it a JWT of one of these, as far as it says itself? */
  isIssuerOf(token: string): boolean {
    return this.known.has(issuerOf(token) ?? '');
  }

  /**
   * @throws what `refused` makes of a JWT that is no good; TemporarilyUnavailableError when there are no keys
   */
  async verify(token: string, refused: CreateError, elsewhere?: ModelLookup<O>): Promise<TrustedJwt<O>> {
    const { clockTolerance } = this;
    const found = await this.find(issuerOf(token), elsewhere);
    if (!found) throw refused({ reason: `it is a JWT of a trusted issuer, of ${MAX_JWT_LENGTH} characters at most` });
    const { algorithms, issuer } = found.settings;
    const checks = { algorithms: [...algorithms], clockTolerance, issuer, requiredClaims: ['exp', 'sub'] };
    try {
      const { payload, protectedHeader } = await verifyJwt(token, found.keys, checks);
      const typ = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? '';
      if (typeof payload.sub !== 'string' || payload.sub === '') throw refused({ reason: '`sub` is text' });
      if (payload.iat !== undefined && !(payload.iat <= Date.now() / 1000 + clockTolerance)) {
        throw refused({ reason: 'it is not from the future', given: payload.iat });
      }
      return { claims: payload as TrustedJwt<O>['claims'], typ, issuer: found.options };
    } catch (error) {
      if (!isVerificationError(error)) throw error;
      throw refused({
        reason: 'it is signed by a key of its issuer, and good now',
        expected: issuer,
        given: error.message,
      });
    }
  }

  private async find(
    issuer: string | undefined,
    elsewhere: ModelLookup<O> | undefined,
  ): Promise<KnownIssuer<O> | undefined> {
    if (issuer === undefined) return undefined;
    const known = this.known.get(issuer);
    if (known !== undefined || elsewhere === undefined || issuer.length > MAX_ISSUER_LENGTH) return known;
    const of = await elsewhere.find(issuer);
    if (!of || of.issuer !== issuer) return undefined;
    const { keys, settings } = elsewhere.found.keysOf(of);
    return {
      options: of,
      keys,
      settings: { ...settings, algorithms: settings.algorithms.filter((alg) => elsewhere.allows(alg)) },
    };
  }
}

/** Only whom to ask about: it is not known yet whether any of it is true. */
function issuerOf(token: string): string | undefined {
  if (token.length > MAX_JWT_LENGTH) return undefined;
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

/** Is it for one of these, and for nobody else? A list would be good elsewhere too. RFC 7523 §3, RFC 8725 §3.9 */
export function isOnlyFor({ aud }: JWTPayload, audiences: readonly string[]): boolean {
  const [one, ...others] = [aud].flat();
  return typeof one === 'string' && others.length === 0 && isAmong(one, audiences);
}

/** What is told of an audience. */
export const loggableAudience = ({ aud }: JWTPayload): string =>
  shortText(JSON.stringify(Array.isArray(aud) ? aud.map(describeValue) : describeValue(aud)))!;

/** What is nested without end can be read, but not written. */
const describeValue = (one: unknown): string => (typeof one === 'string' ? one : typeof one);
