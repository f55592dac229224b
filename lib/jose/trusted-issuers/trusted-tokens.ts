import type { ClientRequest } from '../../contracts/client-request.js';
import type { RefusalDetail } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { ForeignToken, VerifiedToken } from '../../features/token-exchange/exchange-model.js';
import { EXCHANGE_GRANT } from '../../features/token-exchange/token-exchange.js';
import { invalidTokenError } from '../../features/token-exchange/presented-tokens.js';
import { OTHER_TOKENS } from '../../features/token-exchange/other-tokens.js';
import { ACCESS_TOKEN, ID_TOKEN, JWT } from '../../features/token-exchange/token-types.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import type { Model } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { readAudience, readSeconds } from '../../remote/option-readers.js';
import { expiryOf } from '../../remote/token-claims.js';
import { isAmong } from '../../tokens/audience.js';
import { scopeText, withinScope } from '../../tokens/scope.js';
import { ISSUER_OPTIONS, type IssuerOptions } from '../issuer-keys.js';
import { CLOCK_TOLERANCE } from '../verify-jwt.js';
import type { AssertionClaims, AssertedUserModel } from './asserted-model.js';
import { loggableAudience, TrustedIssuers, type TrustedJwt } from './trusted-issuers.js';

/** A server whose tokens may be exchanged. */
export interface TokenIssuerOptions extends IssuerOptions {
  /**
   * Whom its tokens are for that may be exchanged: the id that this server has there as a client, for ID tokens, or the resource that it
   * is. Default: the issuer of this server. RFC 7519 §4.1.3
   */
  audience?: string | readonly string[];
  /** What its tokens are good for here, at most; of one that has a `scope` itself, what both say. Default: nothing */
  scope?: string;
}

/** What `trustedTokens()` takes. */
export interface TrustedTokensOptions {
  /** The servers whose tokens may be exchanged, with their keys. */
  issuers: readonly TokenIssuerOptions[];
  /** Seconds by which the clocks of the issuers may differ. Default: 10 */
  clockTolerance?: number;
}

/** What `typ` a token of each type may have: what is said to be something else is something else. RFC 8725 §3.11, RFC 9068 §2.1 */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  [ACCESS_TOKEN, ['at+jwt']],
  [ID_TOKEN, ['', 'jwt']],
  [JWT, ['', 'jwt', 'at+jwt']],
]);

const FEATURE = '`trustedTokens()`';

/**
 * `tokenExchange()` takes JWTs of other servers, for the subject and for who acts: ID tokens, access tokens and others. Which user they are
 * of says `findAssertedUser()` of the model, and who may exchange them `mayExchange()`. RFC 8693 §3, §5
 */
export function trustedTokens(options: TrustedTokensOptions): Feature {
  const { clockTolerance } = settle(options);
  const issuers = new TrustedIssuers(FEATURE, options.issuers, clockTolerance);
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

/** Reads a JWT of a trusted issuer. Returns undefined if it is none, or if the model does not know its user. RFC 8693 §5 */
async function readToken(
  { as, type, value }: ForeignToken,
  request: ClientRequest,
  issuers: TrustedIssuers<TokenIssuerOptions>,
): Promise<VerifiedToken | undefined> {
  const types = TYPES.get(type);
  if (!types || !issuers.isIssuerOf(value)) return undefined;
  const refused = (detail: RefusalDetail) => invalidTokenError(as).because(detail);
  const { claims, typ, issuer } = await issuers.verify(value, refused);
  if (!types.includes(typ))
    throw refused({ reason: '`typ` says that it is such a token', expected: types, given: typ });
  const audience = issuer.audience ?? request.issuer ?? [];
  if (!isFor(claims, [audience].flat(), type)) {
    throw refused({ reason: 'it is for this server', expected: audience, given: loggableAudience(claims) });
  }
  const model: Model & Partial<AssertedUserModel> = request.options.model;
  const user = await model.findAssertedUser!(claims as unknown as AssertionClaims, request.client);
  return user ? { user, ...verifiedDetails(claims, issuer, issuers.clockTolerance) } : undefined;
}

/** An ID token for several is that of the one it was issued to. OpenID Connect Core §2 */
function isFor({ aud, azp }: TrustedJwt<IssuerOptions>['claims'], audience: readonly string[], type: string): boolean {
  const named = [aud ?? []].flat();
  if (!named.some((one) => typeof one === 'string' && isAmong(one, audience))) return false;
  return type !== ID_TOKEN || named.length === 1 || (typeof azp === 'string' && isAmong(azp, audience));
}

/** What it says of its subject, and what it is good for here. */
function verifiedDetails(
  claims: TrustedJwt<IssuerOptions>['claims'],
  { scope: most }: TokenIssuerOptions,
  clockTolerance: number,
): Omit<VerifiedToken, 'user'> {
  const { iss, sub, client_id: clientId, scope, act, may_act: mayAct, cnf } = claims;
  const held = scopeText(scope);
  const within = most === undefined || held === undefined ? most : withinScope(most, held);
  return {
    ...(within !== undefined && { scope: within }),
    // By whichever clock it was found good, it is until then.
    expiresAt: new Date(expiryOf(claims)! + clockTolerance * 1000),
    claims: { iss, sub, ...(typeof clientId === 'string' && { client_id: clientId }) },
    ...(isObject(act) && { act }),
    ...(mayAct !== undefined && { may_act: isObject(mayAct) ? mayAct : {} }),
    ...(cnf !== undefined && { cnf: isObject(cnf) ? cnf : { unknown: true } }),
    allClaims: claims,
  };
}

const NEEDS_ISSUERS = 'needs a list of `issuers`, whose tokens may be exchanged';

function settle(given: TrustedTokensOptions): { clockTolerance: number } {
  assertKnownOptions(given ?? {}, { issuers: true, clockTolerance: true }, FEATURE);
  assertConfig(Array.isArray(given?.issuers) && given.issuers.length > 0, `${FEATURE} ${NEEDS_ISSUERS}`);
  for (const one of given.issuers) {
    assertKnownOptions(one ?? {}, { ...ISSUER_OPTIONS, audience: true, scope: true }, `an issuer of ${FEATURE}`);
    readAudience(`an issuer of ${FEATURE}`, one?.audience);
    assertConfig(
      one?.scope === undefined || typeof one.scope === 'string',
      `${FEATURE} takes as \`scope\` of an issuer text`,
    );
  }
  return { clockTolerance: readSeconds(FEATURE, 'clockTolerance', given.clockTolerance, { usual: CLOCK_TOLERANCE }) };
}

function* findConfigurationErrors(server: ServerContext, { issuers }: TrustedTokensOptions): Iterable<string> {
  const { issuer } = server.options;
  if (!server.grants.has(EXCHANGE_GRANT))
    yield `${FEATURE} says which tokens may be exchanged: list \`tokenExchange()\` too`;
  if (issuer === undefined && issuers.some(({ audience }) => audience === undefined)) {
    yield `${FEATURE} needs the option \`issuer\`, which tokens are for, or an \`audience\` of each issuer`;
  }
  if (issuers.some((one) => one.issuer === issuer))
    yield `${FEATURE} trusts the server's own issuer, whose tokens it knows`;
}
