import type { ClientRequest } from '../../contracts/client-request.js';
import type { RefusalDetail } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { ForeignToken, VerifiedToken } from '../../features/token-exchange/exchange-model.js';
import { EXCHANGE_GRANT } from '../../features/token-exchange/token-exchange.js';
import { invalidTokenError } from '../../features/token-exchange/presented-tokens.js';
import { OTHER_TOKENS } from '../../features/token-exchange/other-tokens.js';
import { ACCESS_TOKEN, ID_TOKEN, JWT } from '../../features/token-exchange/token-types.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { acceptsListOf, AUDIENCE, TEXT, TIMER_SECONDS } from '../../options/value-checks.js';
import type { Model } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { expiryOf } from '../../remote/token-claims.js';
import { isAmong } from '../../tokens/audience.js';
import { scopeText, withinScope } from '../../tokens/scope.js';
import { ISSUER_ROWS, type IssuerOptions } from '../issuer-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';
import type { AssertionClaims, AssertedUserModel } from './asserted-model.js';
import { loggableAudience, TrustedIssuers, type TrustedJwt } from './trusted-issuers.js';

/** A trusted authorization server whose tokens clients may exchange at this server. */
export interface TokenIssuerOptions extends IssuerOptions {
  /**
   * The accepted audiences of the issuer's tokens. For ID tokens, it is the client ID of this server at the issuer. For
   * access tokens, it is the resource identifier of this server. Default: the issuer of this server. RFC 7519 §4.1.3
   */
  audience?: string | readonly string[];
  /**
   * The maximum scope for its tokens on this server. A token with its own `scope` gets the intersection of both.
   * Default: none.
   */
  scope?: string;
}

/** The options of `trustedTokens()`. */
export interface TrustedTokensOptions {
  /** The servers whose tokens clients may exchange, with their keys. */
  issuers: readonly TokenIssuerOptions[];
  /** The accepted clock skew of the issuers, in seconds. Default: `10`. */
  clockTolerance?: number;
}

/**
 * The accepted `typ` headers of each token type. A JWT with another `typ` has another purpose. RFC 8725 §3.11,
 * RFC 9068 §2.1
 */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  [ACCESS_TOKEN, ['at+jwt']],
  [ID_TOKEN, ['', 'jwt']],
  [JWT, ['', 'jwt', 'at+jwt']],
]);

const FEATURE = '`trustedTokens()`';

const ISSUER = optionTable(`an issuer of ${FEATURE}`, {
  ...ISSUER_ROWS,
  audience: { check: AUDIENCE },
  scope: { check: TEXT },
} satisfies OptionRows<TokenIssuerOptions>);

const OPTIONS = optionTable(FEATURE, {
  issuers: {
    check: acceptsListOf<TokenIssuerOptions>(ISSUER, 'trusted issuers'),
    required: 'a list of trusted issuers',
  },
  clockTolerance: { check: TIMER_SECONDS, default: CLOCK_TOLERANCE },
} satisfies OptionRows<TrustedTokensOptions>);

/**
 * Lets `tokenExchange()` accept JWTs of other servers as subject tokens and actor tokens: ID tokens, access tokens and
 * others. The model method `findAssertedUser()` returns the user of a token, and `mayExchange()` decides which client
 * may exchange it. RFC 8693 §3, §5
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function trustedTokens(options: TrustedTokensOptions): Feature {
  const { clockTolerance, issuers: listed } = OPTIONS.read(options);
  assertConfig(listed.length > 0, `${FEATURE} requires a non-empty list of trusted \`issuers\``);
  const issuers = new TrustedIssuers(FEATURE, listed, clockTolerance);
  return {
    id: 'trustedTokens',
    specification: 'RFC 8693 §5',
    requires: ['findAssertedUser', 'mayExchange'],
    install(builder) {
      issuers.contributeTo(builder);
      builder.contribute(OTHER_TOKENS, { read: (token, request) => readToken(token, request, issuers) });
      return { misconfigurations: (server) => findConfigurationErrors(server, options) };
    },
  };
}

/**
 * Returns the properties of a JWT of a trusted issuer. Returns `undefined` if the token is not one, or if the model
 * finds no user for it. RFC 8693 §5
 */
async function readToken(
  { as, type, value }: ForeignToken,
  request: ClientRequest,
  issuers: TrustedIssuers<TokenIssuerOptions>,
): Promise<VerifiedToken | undefined> {
  const types = TYPES.get(type);
  if (!types || !issuers.isIssuerOf(value)) return undefined;
  const createError = (detail: RefusalDetail) => invalidTokenError(as).because(detail);
  const { claims, typ, issuer } = await issuers.verify(value, createError);
  if (!types.includes(typ))
    throw createError({
      reason: 'header `typ` of the token does not match the token type that the client declared',
      expected: types,
      given: typ,
    });
  const audience = issuer.audience ?? request.issuer ?? [];
  if (!isFor(claims, [audience].flat(), type)) {
    throw createError({
      reason: 'token was not issued for this server',
      expected: audience,
      given: loggableAudience(claims),
    });
  }
  const model: Model & Partial<AssertedUserModel> = request.options.model;
  const user = await model.findAssertedUser!(claims as unknown as AssertionClaims, request.client);
  return user ? { user, ...verifiedDetails(claims, issuer, issuers.clockTolerance) } : undefined;
}

/**
 * Whether a token is for one of these audiences. If an ID token has several audiences, its `azp` must be one of these
 * too. OpenID Connect Core §2
 */
function isFor({ aud, azp }: TrustedJwt<IssuerOptions>['claims'], audience: readonly string[], type: string): boolean {
  const tokenAudiences = [aud].flat();
  if (!tokenAudiences.some((one) => typeof one === 'string' && isAmong(one, audience))) return false;
  return type !== ID_TOKEN || tokenAudiences.length === 1 || (typeof azp === 'string' && isAmong(azp, audience));
}

/** Returns the properties of a verified token: its claims, its expiry, and its maximum scope on this server. */
function verifiedDetails(
  claims: TrustedJwt<IssuerOptions>['claims'],
  { scope: maxScope }: TokenIssuerOptions,
  clockTolerance: number,
): Omit<VerifiedToken, 'user'> {
  const { iss, sub, client_id: clientId, scope, act, may_act: mayAct, cnf } = claims;
  const tokenScope = scopeText(scope);
  const grantedScope =
    maxScope === undefined || tokenScope === undefined ? maxScope : withinScope(maxScope, tokenScope);
  return {
    ...(grantedScope !== undefined && { scope: grantedScope }),
    // The token was accepted with this clock tolerance, so its expiry is extended by the tolerance too.
    expiresAt: new Date(expiryOf(claims)! + clockTolerance * 1000),
    claims: { iss, sub, ...(typeof clientId === 'string' && { client_id: clientId }) },
    ...(isObject(act) && { act }),
    ...(mayAct !== undefined && { may_act: isObject(mayAct) ? mayAct : {} }),
    ...(cnf !== undefined && { cnf: isObject(cnf) ? cnf : { unknown: true } }),
    allClaims: claims,
  };
}

function* findConfigurationErrors(server: ServerContext, { issuers }: TrustedTokensOptions): Iterable<string> {
  const { issuer } = server.options;
  if (!server.grants.has(EXCHANGE_GRANT)) yield `${FEATURE} requires \`tokenExchange()\`. Add it to the \`features\``;
  if (issuer === undefined && issuers.some(({ audience }) => audience === undefined)) {
    yield `${FEATURE} requires the option \`issuer\`, or an \`audience\` for each issuer`;
  }
  if (issuers.some((one) => one.issuer === issuer))
    yield `\`issuers\` of ${FEATURE} must not contain this server's own issuer, whose tokens are known already`;
}
