import { isObject } from '../../http/is-object.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { accepts, AUDIENCE, FUNCTION, isListOf, isSomeOf, isText, TIMER_SECONDS } from '../../options/value-checks.js';
import type { Awaitable } from '../../model/model.js';
import type { ClaimPath } from './claim-rules.js';
import { ISSUER_ROWS, type IssuerOptions, verifyIssuer } from '../issuer-keys.js';

/**
 * Where the access tokens of an issuer contain the values that an API needs. The defaults are those of RFC 9068.
 * `keycloak()`, `auth0()`, `entra()` and `cognito()` return the rules for these products.
 */
export interface ClaimRules {
  /**
   * The accepted `typ` headers. `null` in the list accepts a token without the header. Default: `['at+jwt']`.
   * RFC 9068 §2.1
   */
  typ?: readonly (string | null)[];
  /** The names of the claims that a token must contain. Default: those of RFC 9068 §2.2. */
  requiredClaims?: readonly string[];
  /** The claims that may contain the `audience`. At least one of them must contain it. Default: `['aud']`. */
  audienceClaims?: readonly ClaimPath[];
  /** The claims that may contain the client ID. The first one that is present is used. Default: `['client_id']`. */
  clientIdClaims?: readonly ClaimPath[];
  /** The claims that contain scopes, as a list or as one string separated by spaces. Default: `['scope']`. */
  scopeClaims?: readonly ClaimPath[];
  /**
   * The claims that contain the roles of the user for `@Roles()`, as lists or as strings separated by spaces. Default:
   * `['roles']`.
   */
  rolesClaims?: readonly ClaimPath[];
  /**
   * The claim that distinguishes access tokens from other tokens, and its accepted values. If omitted, only the `typ`
   * header distinguishes them.
   */
  tokenUse?: { claim: ClaimPath; values: readonly string[] };
  /**
   * Returns whether a token was issued by the client credentials grant. Default: whether `sub` is the client ID.
   * RFC 9068 §2.2
   */
  isClientCredentials?: (claims: Readonly<Record<string, unknown>>) => boolean;
}

/** The options of `JwtTokens`. */
export interface JwtTokensOptions extends IssuerOptions, ClaimRules {
  /** The identifier of this API, or several. A token is rejected if its audience contains none of them. RFC 9068 §4 */
  audience: string | readonly string[];
  /** The accepted clock skew between this API and the authorization server, in seconds. Default: `5`. */
  clockTolerance?: number;
  /**
   * Returns whether a token was revoked before its expiry. Called with the claims of each valid token, such as `jti`,
   * `sub` and `client_id`. If omitted, no token counts as revoked.
   */
  isRevoked?: (claims: Readonly<Record<string, unknown>>) => Awaitable<boolean>;
}

const NAME = 'JwtTokens';

const isPath = (value: unknown) => isText(value) || isSomeOf(value, isText);

const PATHS = accepts<readonly ClaimPath[]>(
  "a list of claims, each a name or a path such as `['realm_access', 'roles']`",
  (value) => isSomeOf(value, isPath),
);

const OPTIONS = optionTable(NAME, {
  ...ISSUER_ROWS,
  audience: { check: AUDIENCE, required: 'the identifier of this API, as tokens contain it in `aud`' },
  clockTolerance: { check: TIMER_SECONDS, default: 5 },
  isRevoked: { check: FUNCTION },
  typ: {
    check: accepts(
      "a list of header values such as `['at+jwt']`. Add `null` to the list to accept tokens without `typ`",
      (value) => isSomeOf(value, (one) => one === null || isText(one)),
    ),
    default: ['at+jwt'],
  },
  // The claims that every access token must contain. RFC 9068 §2.2
  requiredClaims: {
    check: accepts('a list of claim names', (value) => isListOf(value, isText)),
    default: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
  },
  audienceClaims: { check: PATHS, default: ['aud'] },
  clientIdClaims: { check: PATHS, default: ['client_id'] },
  scopeClaims: { check: PATHS, default: ['scope'] },
  rolesClaims: { check: PATHS, default: ['roles'] },
  tokenUse: {
    check: accepts("an object such as `{ claim: 'token_use', values: ['access'] }`", (value) => {
      const { claim, values } = isObject(value) ? value : {};
      return isPath(claim) && isSomeOf(values, isText);
    }),
  },
  isClientCredentials: { check: FUNCTION },
} satisfies OptionRows<JwtTokensOptions>);

/** The options of `JwtTokens` with their defaults, validated. */
export type Settings = Omit<SettingsOf<JwtTokensOptions, typeof OPTIONS>, 'audience'> & { audience: readonly string[] };

/**
 * Validates the options of `JwtTokens` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(given: JwtTokensOptions): Settings {
  const settings = verifyIssuer(NAME, OPTIONS.read(given));
  return { ...settings, audience: [settings.audience].flat() };
}
