import { assertKnownOptions } from '../../options/unknown-option.js';
import type { Awaitable } from '../../model/model.js';
import { readAudience, readSeconds } from '../../remote/option-readers.js';
import { assertConfig } from '../../errors/configuration-error.js';
import type { AcceptedTokens } from '../../remote/token-claims.js';
import type { ClaimPath } from './claim-rules.js';
import { ISSUER_OPTIONS, type IssuerOptions, type IssuerSettings, settleIssuer } from '../issuer-keys.js';

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

/** The options of `JwtTokens` with their defaults, validated. */
export interface Settings
  extends IssuerSettings, AcceptedTokens, Required<Omit<ClaimRules, 'tokenUse' | 'isClientCredentials'>> {
  issuer: string;
  tokenUse: ClaimRules['tokenUse'];
  isClientCredentials: ClaimRules['isClientCredentials'];
  clockTolerance: number;
  isRevoked: JwtTokensOptions['isRevoked'];
}

const NAME = 'JwtTokens';

const OPTIONS = {
  ...ISSUER_OPTIONS,
  audience: true,
  clockTolerance: true,
  isRevoked: true,
  typ: true,
  requiredClaims: true,
  audienceClaims: true,
  clientIdClaims: true,
  scopeClaims: true,
  rolesClaims: true,
  tokenUse: true,
  isClientCredentials: true,
} as const;

/** The claims that every access token must contain by default. RFC 9068 §2.2 */
const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/**
 * Validates the options of `JwtTokens` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function settle(given: JwtTokensOptions): Settings {
  const { audience, isRevoked } = given ?? {};
  assertKnownOptions(given ?? {}, OPTIONS, `\`${NAME}\``);
  const issuer = settleIssuer(NAME, given ?? {});
  assertConfig(
    audience !== undefined,
    `${NAME} requires \`audience\`: the identifier of this API, as tokens contain it in \`aud\``,
  );
  assertConfig(
    isRevoked === undefined || typeof isRevoked === 'function',
    `\`isRevoked\` of ${NAME} must be a function`,
  );
  return {
    ...issuer,
    audience: readAudience(NAME, audience),
    clockTolerance: readSeconds(NAME, 'clockTolerance', given.clockTolerance, { defaultValue: 5 }),
    isRevoked,
    ...settleRules(given),
  };
}

function settleRules(given: ClaimRules) {
  const { typ = ['at+jwt'], requiredClaims = REQUIRED_CLAIMS, tokenUse, isClientCredentials } = given;
  assertConfig(
    isList(typ, (one) => one === null || isName(one)),
    `\`typ\` of ${NAME} must be a list of header values such as \`['at+jwt']\`. Add \`null\` to the list to accept tokens without \`typ\``,
  );
  assertConfig(isList(requiredClaims, isName, true), `\`requiredClaims\` of ${NAME} must be a list of claim names`);
  assertConfig(
    tokenUse === undefined || (isPath(tokenUse?.claim) && isList(tokenUse.values, isName)),
    `\`tokenUse\` of ${NAME} must be an object such as \`{ claim: 'token_use', values: ['access'] }\``,
  );
  assertConfig(
    isClientCredentials === undefined || typeof isClientCredentials === 'function',
    `\`isClientCredentials\` of ${NAME} must be a function of the claims`,
  );
  return {
    typ,
    requiredClaims,
    tokenUse,
    isClientCredentials,
    audienceClaims: paths('audienceClaims', given.audienceClaims, ['aud']),
    clientIdClaims: paths('clientIdClaims', given.clientIdClaims, ['client_id']),
    scopeClaims: paths('scopeClaims', given.scopeClaims, ['scope']),
    rolesClaims: paths('rolesClaims', given.rolesClaims, ['roles']),
  };
}

function paths(name: keyof ClaimRules, given: readonly ClaimPath[] | undefined, defaults: readonly ClaimPath[]) {
  assertConfig(
    given === undefined || isList(given, isPath),
    `\`${name}\` of ${NAME} must be a list of claims, each a name or a path such as \`['realm_access', 'roles']\``,
  );
  return given ?? defaults;
}

const isName = (value: unknown) => typeof value === 'string' && value !== '';
const isPath = (value: unknown) => isName(value) || isList(value, isName);
const isList = (value: unknown, isOne: (value: unknown) => boolean, mayBeEmpty = false) =>
  Array.isArray(value) && (mayBeEmpty || value.length > 0) && value.every(isOne);
