import { assertKnownOptions } from '../../options/unknown-option.js';
import { assertFetchOptions, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { readAudience, readSeconds } from '../../remote/option-readers.js';
import { ISSUER_OPTIONS, type IssuerOptions } from '../issuer-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';

/** A trusted server whose assertions clients may redeem at this server. */
export interface AssertionIssuer extends IssuerOptions {
  /**
   * The kind of assertions that the server issues. `'id-jag'`: only identity assertions, which specify the client, the
   * resource and the scope. `'jwt'`: any assertion for this server. Default: `'jwt'`. RFC 7523 §2.1,
   * draft-ietf-oauth-identity-assertion-authz-grant
   */
  profile?: 'jwt' | 'id-jag';
}

/** The options of `jwtBearer()`. */
export interface JwtBearerOptions {
  /**
   * The trusted issuers of assertions, with their keys. If omitted, only issuers that the model method
   * `findTrustedIssuer()` returns are trusted.
   */
  issuers?: readonly AssertionIssuer[];
  /**
   * Accepted values of `aud` in addition to the issuer, such as the URL of the token endpoint. They do not apply to
   * `id-jag` assertions. Default: none.
   */
  audiences?: readonly string[];
  /**
   * Which clients may redeem assertions: `'confidential'` for authenticated clients only, or `'all'`. Default:
   * `'confidential'`.
   */
  clients?: 'confidential' | 'all';
  /**
   * The client ID that is assumed for a request without client identification. Its client must have the
   * `tokenEndpointAuthMethod` `none`. Requires `clients: 'all'`. If omitted, every request must identify its client.
   * RFC 7521 §4.1
   */
  anonymous?: string;
  /** Whether an assertion may be redeemed several times until it expires. Default: `false`. RFC 7521 §4.1 */
  reusable?: boolean;
  /**
   * Whether clients with the grant `refresh_token` get a refresh token for an assertion. If `false`, they have to
   * redeem another assertion. Default: `false`. RFC 7521 §4.1
   */
  refreshTokens?: boolean;
  /**
   * Maximum number of seconds until an assertion expires: one that expires later is rejected. A used assertion is
   * remembered until it expires, for replay detection. Default: `3600`.
   */
  maxLifetime?: number;
  /** The accepted clock skew of the issuers, in seconds. Default: `10`. */
  clockTolerance?: number;
  /** How the keys of issuers that the model returns are fetched. Default: from public addresses only. */
  fetch?: SafeFetchOptions;
}

/** The options of `jwtBearer()` with their defaults, validated. */
export interface JwtBearerSettings extends Required<Omit<JwtBearerOptions, 'anonymous' | 'fetch'>> {
  anonymous: string | undefined;
}

const FEATURE = '`jwtBearer()`';
const PROFILES: readonly unknown[] = ['jwt', 'id-jag'];

/**
 * Validates the options of `jwtBearer()` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
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
  assertConfig(Array.isArray(issuers), `\`issuers\` of ${FEATURE} must be a list of trusted issuers`);
  for (const one of issuers) {
    assertKnownOptions(one ?? {}, { ...ISSUER_OPTIONS, profile: true }, `an issuer of ${FEATURE}`);
    assertConfig(
      PROFILES.includes(one?.profile ?? 'jwt'),
      `\`profile\` of an issuer of ${FEATURE} must be \`jwt\` or \`id-jag\``,
    );
  }
  assertConfig(
    clients === 'all' || clients === 'confidential',
    `\`clients\` of ${FEATURE} must be \`confidential\` or \`all\``,
  );
  const isValidClient = anonymous === undefined || (typeof anonymous === 'string' && clients === 'all');
  assertConfig(
    isValidClient,
    `\`anonymous\` of ${FEATURE} must be the ID of a client without a secret and requires \`clients: 'all'\``,
  );
  const [maxLifetime, clockTolerance] = [given?.maxLifetime, given?.clockTolerance];
  return {
    issuers,
    audiences: audiences === undefined ? [] : readAudience(FEATURE, audiences),
    clients,
    anonymous,
    reusable,
    refreshTokens,
    maxLifetime: readSeconds(FEATURE, 'maxLifetime', maxLifetime, { defaultValue: 3600, minimum: 1 }),
    clockTolerance: readSeconds(FEATURE, 'clockTolerance', clockTolerance, { defaultValue: CLOCK_TOLERANCE }),
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
