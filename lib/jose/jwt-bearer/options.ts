import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import {
  acceptsListOf,
  FETCH,
  FLAG,
  oneOfTexts,
  POSITIVE_TIMER_SECONDS,
  TEXT,
  TEXTS,
  TIMER_SECONDS,
} from '../../options/value-checks.js';
import { ISSUER_ROWS, type IssuerOptions } from '../issuer-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';

/** A trusted server whose assertions clients may redeem at this server. */
export interface AssertionIssuer extends IssuerOptions {
  /**
   * The kind of assertions that the server issues. `'id-jag'`: only identity assertions, which specify the client, the
   * resource and the scope. `'jwt'`: any assertion for this server. Default: `'jwt'`. RFC 7523 §2.1,
   * draft-ietf-oauth-identity-assertion-authz-grant
   */
  profile?: 'jwt' | 'id-jag';
  /**
   * The accepted values of the claim `tenant`, for a server that issues assertions for several organizations. Each
   * organization assigns its own values of `sub`. If omitted, the claim is not verified. ID-JAG §6.1
   */
  tenants?: readonly string[];
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
   * Which clients may redeem assertions. `'confidential'`: authenticated clients only. `'documents'`: also clients with a
   * client ID metadata document that lists the grant and no authentication method. `'all'`: also all other clients.
   * Default: `'confidential'`.
   */
  clients?: 'confidential' | 'documents' | 'all';
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

const FEATURE = '`jwtBearer()`';

const ISSUER = optionTable(`an issuer of ${FEATURE}`, {
  ...ISSUER_ROWS,
  profile: { check: oneOfTexts('jwt', 'id-jag') },
  tenants: { check: TEXTS },
} satisfies OptionRows<AssertionIssuer>);

const OPTIONS = optionTable(FEATURE, {
  issuers: { check: acceptsListOf<AssertionIssuer>(ISSUER, 'trusted issuers'), default: [] },
  audiences: { check: TEXTS, default: [] },
  clients: { check: oneOfTexts('confidential', 'documents', 'all'), default: 'confidential' },
  anonymous: { check: TEXT },
  reusable: { check: FLAG, default: false },
  refreshTokens: { check: FLAG, default: false },
  maxLifetime: { check: POSITIVE_TIMER_SECONDS, default: 3600 },
  clockTolerance: { check: TIMER_SECONDS, default: CLOCK_TOLERANCE },
  fetch: { check: FETCH },
} satisfies OptionRows<JwtBearerOptions>);

/** The options of `jwtBearer()` with their defaults, validated. */
export type JwtBearerSettings = SettingsOf<JwtBearerOptions, typeof OPTIONS>;

/**
 * Validates the options of `jwtBearer()` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(given: JwtBearerOptions): JwtBearerSettings {
  const settings = OPTIONS.read(given);
  assertConfig(
    settings.anonymous === undefined || settings.clients === 'all',
    `\`anonymous\` of ${FEATURE} must be the ID of a client without a secret and requires \`clients: 'all'\``,
  );
  return settings;
}
