import { assertKnownOptions } from '../../options/unknown-option.js';
import { assertFetchOptions, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { readAudience, readSeconds } from '../../remote/option-readers.js';
import { ISSUER_OPTIONS, type IssuerOptions } from '../issuer-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';

/** A server whose assertions are redeemed. */
export interface AssertionIssuer extends IssuerOptions {
  /**
   * What it writes: `id-jag`, identity assertions that name the client, the resource and the scope, and nothing else; or `jwt`, any
   * assertion that is for this server. Default: jwt. RFC 7523 §2.1, draft-ietf-oauth-identity-assertion-authz-grant
   */
  profile?: 'jwt' | 'id-jag';
}

/** What `jwtBearer()` takes. */
export interface JwtBearerOptions {
  /** The servers whose assertions are redeemed, with their keys. Default: those alone that the model knows, by `findTrustedIssuer()` */
  issuers?: readonly AssertionIssuer[];
  /** What `aud` may be besides the issuer, but not of an `id-jag`: the URL of the token endpoint. Default: nothing */
  audiences?: readonly string[];
  /** Which clients may redeem one: those that prove who they are, or all. Default: confidential */
  clients?: 'confidential' | 'all';
  /**
   * The id of the client that a request is taken for which names none: one with the `tokenEndpointAuthMethod` `none`. Needs `clients:
   * 'all'`. Default: every request names its client. RFC 7521 §4.1
   */
  anonymous?: string;
  /** May an assertion come again until it is over? RFC 7521 §4.1. Default: false, it is good once */
  reusable?: boolean;
  /** Do clients with the grant `refresh_token` get one? Default: false, they bring another assertion. RFC 7521 §4.1 */
  refreshTokens?: boolean;
  /** Seconds that an assertion may live from now on: so long it is remembered. Default: 3600 */
  maxLifetime?: number;
  /** Seconds by which the clocks of the issuers may differ. Default: 10 */
  clockTolerance?: number;
  /** How the keys of issuers are fetched that the model knows. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** The same, settled and checked. */
export interface JwtBearerSettings extends Required<Omit<JwtBearerOptions, 'anonymous' | 'fetch'>> {
  anonymous: string | undefined;
}

const FEATURE = '`jwtBearer()`';
const PROFILES: readonly unknown[] = ['jwt', 'id-jag'];

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settle(given: JwtBearerOptions): JwtBearerSettings {
  assertKnownOptions(given ?? {}, NAMES, FEATURE);
  assertFetchOptions(given?.fetch);
  const {
    issuers = [],
    audiences,
    clients = 'confidential',
    anonymous,
    reusable = false,
    refreshTokens = false,
  } = given ?? {};
  assertConfig(Array.isArray(issuers), `${FEATURE} takes as \`issuers\` a list of those whose assertions are redeemed`);
  for (const one of issuers) {
    assertKnownOptions(one ?? {}, { ...ISSUER_OPTIONS, profile: true }, `an issuer of ${FEATURE}`);
    assertConfig(
      PROFILES.includes(one?.profile ?? 'jwt'),
      `${FEATURE} takes as \`profile\` of an issuer \`jwt\` or \`id-jag\``,
    );
  }
  assertConfig(
    clients === 'all' || clients === 'confidential',
    `${FEATURE} takes as \`clients\` \`confidential\` or \`all\``,
  );
  const isNamed = anonymous === undefined || (typeof anonymous === 'string' && clients === 'all');
  assertConfig(
    isNamed,
    `${FEATURE} takes as \`anonymous\` the id of a client without a secret, and needs \`clients: 'all'\` for it`,
  );
  const [longest, tolerance] = [given?.maxLifetime, given?.clockTolerance];
  return {
    issuers,
    audiences: audiences === undefined ? [] : readAudience(FEATURE, audiences),
    clients,
    anonymous,
    reusable,
    refreshTokens,
    maxLifetime: readSeconds(FEATURE, 'maxLifetime', longest, { usual: 3600, least: 1 }),
    clockTolerance: readSeconds(FEATURE, 'clockTolerance', tolerance, { usual: CLOCK_TOLERANCE }),
  };
}

const NAMES = {
  issuers: true,
  audiences: true,
  clients: true,
  anonymous: true,
  reusable: true,
  refreshTokens: true,
  maxLifetime: true,
  clockTolerance: true,
  fetch: true,
} as const;
