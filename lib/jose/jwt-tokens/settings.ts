import { assertKnownOptions } from '../../options/unknown-option.js';
import type { Awaitable } from '../../model/model.js';
import { readAudience, readSeconds } from '../../remote/option-readers.js';
import { assertConfig } from '../../errors/configuration-error.js';
import type { AcceptedTokens } from '../../remote/token-claims.js';
import type { ClaimPath } from './claim-rules.js';
import { ISSUER_OPTIONS, type IssuerOptions, type IssuerSettings, settleIssuer } from '../issuer-keys.js';

/**
 * Where access tokens of an issuer have what this API needs. The defaults are those of RFC 9068; `keycloak()`, `auth0()`,
 * `entra()` and `cognito()` return the rules of these products.
 */
export interface ClaimRules {
  /** Accepted `typ` headers; `null` accepts a token without one. Default: `['at+jwt']`. RFC 9068 §2.1 */
  typ?: readonly (string | null)[];
  /** Claims without which a token is rejected. Default: those of RFC 9068 §2.2 */
  requiredClaims?: readonly string[];
  /** Claims of which one must name the `audience`. Default: `['aud']` */
  audienceClaims?: readonly ClaimPath[];
  /** Claims of which the first one present is the id of the client. Default: `['client_id']` */
  clientIdClaims?: readonly ClaimPath[];
  /** Claims that hold scopes: a list, or one text with spaces. Default: `['scope']` */
  scopeClaims?: readonly ClaimPath[];
  /** Claims that hold the roles of the user, for `@Roles()`: lists, or texts with spaces. Default: `['roles']` */
  rolesClaims?: readonly ClaimPath[];
  /** A claim that tells access tokens from others, and its accepted values. If omitted, `typ` of the header tells. */
  tokenUse?: { claim: ClaimPath; values: readonly string[] };
  /** Whether a token was issued by the client credentials grant. Default: `sub` is the id of the client. RFC 9068 §2.2 */
  isClientCredentials?: (claims: Readonly<Record<string, unknown>>) => boolean;
}

/** The options of `JwtTokens`. */
export interface JwtTokensOptions extends IssuerOptions, ClaimRules {
  /** The resource that this API is, or several: a token whose `aud` names none of them is rejected. RFC 9068 §4 */
  audience: string | readonly string[];
  /** Seconds by which the clocks of the two servers may differ. Default: 5 */
  clockTolerance?: number;
  /** Has this token been ended before its time? Asked for each good token, by its claims: `jti`, `sub`, `client_id`. */
  isRevoked?: (claims: Readonly<Record<string, unknown>>) => Awaitable<boolean>;
}

/** The options with their defaults, validated. */
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

/** Claims that every access token must have. RFC 9068 §2.2 */
const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** @throws {InvalidArgumentError} For an invalid option. */
export function settle(given: JwtTokensOptions): Settings {
  const { audience, isRevoked } = given ?? {};
  assertKnownOptions(given ?? {}, OPTIONS, `\`${NAME}\``);
  const issuer = settleIssuer(NAME, given ?? {});
  assertConfig(
    audience !== undefined,
    `${NAME} needs the \`audience\`: the resource that this API is, as tokens name it in \`aud\``,
  );
  assertConfig(isRevoked === undefined || typeof isRevoked === 'function', `${NAME} takes as \`isRevoked\` a function`);
  return {
    ...issuer,
    audience: readAudience(NAME, audience),
    clockTolerance: readSeconds(NAME, 'clockTolerance', given.clockTolerance, { usual: 5 }),
    isRevoked,
    ...settleRules(given),
  };
}

function settleRules(given: ClaimRules) {
  const { typ = ['at+jwt'], requiredClaims = REQUIRED_CLAIMS, tokenUse, isClientCredentials } = given;
  assertConfig(
    isList(typ, (one) => one === null || isName(one)),
    `${NAME} takes as \`typ\` a list of header values such as \`['at+jwt']\`; \`null\` accepts a token without one`,
  );
  assertConfig(isList(requiredClaims, isName, true), `${NAME} takes as \`requiredClaims\` a list of claim names`);
  assertConfig(
    tokenUse === undefined || (isPath(tokenUse?.claim) && isList(tokenUse.values, isName)),
    `${NAME} takes as \`tokenUse\` an object such as \`{ claim: 'token_use', values: ['access'] }\``,
  );
  assertConfig(
    isClientCredentials === undefined || typeof isClientCredentials === 'function',
    `${NAME} takes as \`isClientCredentials\` a function of the claims`,
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

function paths(name: keyof ClaimRules, given: readonly ClaimPath[] | undefined, usual: readonly ClaimPath[]) {
  assertConfig(
    given === undefined || isList(given, isPath),
    `${NAME} takes as \`${name}\` a list of claims, each a name or a path such as \`['realm_access', 'roles']\``,
  );
  return given ?? usual;
}

const isName = (value: unknown) => typeof value === 'string' && value !== '';
const isPath = (value: unknown) => isName(value) || isList(value, isName);
const isList = (value: unknown, isOne: (value: unknown) => boolean, mayBeEmpty = false) =>
  Array.isArray(value) && (mayBeEmpty || value.length > 0) && value.every(isOne);
