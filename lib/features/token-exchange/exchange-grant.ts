import type { Authorization } from '../../contracts/authorization.js';
import { type AuthorizationDetail, DETAILS, detailsOf } from '../../contracts/authorization-details.js';
import { type ClientRequest, stateKey } from '../../contracts/client-request.js';
import type { SaveToken } from '../../contracts/redemption.js';
import { type GrantHandler, ISSUED_TOKEN_TYPE, type TokenRequest } from '../../contracts/token-request.js';
import { InvalidRequestError, InvalidScopeError, InvalidTargetError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Model, Scope, Token } from '../../model/model.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { coversScope, requestedScope, scopeText } from '../../tokens/scope.js';
import { requestedResources } from '../resource-indicators/requested-resources.js';
import { actOf } from './actors.js';
import type { Act, SubjectOrActorToken, ExchangeRequest, TokenExchangeModel } from './exchange-model.js';
import type { KnownTokens, TokenIssuer } from './other-tokens.js';
import { findPresentedTokens, isHolder, isIssuedTo } from './presented-tokens.js';
import { ACCESS_TOKEN, isTokenType, REFRESH_TOKEN } from './token-types.js';

/** The settings and tokens of a server that the token exchange grant uses. */
export interface ExchangeContext {
  /** The URIs of resources, by the names that the parameter `audience` may contain. */
  readonly audiences: ReadonlyMap<string, string>;
  /** Whether the server issues tokens for resources. */
  readonly issuesForResources: boolean;
  /** The foreign tokens that features can read, and the other kinds of tokens that features can issue. */
  readonly otherTokens: KnownTokens;
}

/** The members that a token exchange stores with the issued token. */
export interface ExchangedToken {
  /** The actor of the new token. RFC 8693 §4.1 */
  readonly act?: Act | undefined;
  /** The resources of the new token, if `resourceIndicators()` does not store them. */
  readonly resource?: readonly string[] | undefined;
}

/** The state key for the members to store with the new token. It is set once a token exchange is found valid. */
export const EXCHANGED_TOKEN = stateKey<ExchangedToken>('EXCHANGED_TOKEN');

/**
 * Returns the grant handler of token exchange, which issues a new token for another one: with fewer rights, or for an
 * actor. RFC 8693 §2
 */
export const exchangeGrant = (contextOf: () => ExchangeContext): GrantHandler =>
  Object.assign((request: TokenRequest) => exchangeToken(request, contextOf()), { requires: ['saveToken'] });

async function exchangeToken(request: TokenRequest, context: ExchangeContext): Promise<Token> {
  const { client, authenticationMethod } = request;
  const { otherTokens, issuesForResources } = context;
  const type = requestedType(request, otherTokens);
  const scope = requestedScope(request.request);
  const issue = otherTokens.issuers.get(type);
  const requested = issue ? [] : readTargets(request, context);
  const { subject, actor } = await findPresentedTokens(request, otherTokens);
  const act = actOf(subject, actor, client);
  const exchange = withoutUndefined({ client, authenticationMethod, subject, actor, act, scope, resource: requested });
  if (issue) return await issueOtherToken(issue, exchange, { request, type });

  const audience = audienceOf(subject.resource);
  const permitted = await permittedResources(exchange, request);
  // Permitted resources that the subject token is not for must be requested.
  const granted = requested.length > 0 ? [...audience, ...permitted] : audience;
  if (audience.length > 0) verifyTargets(requested, granted);
  const { token: record } = subject;
  request.source = {
    ...(record && { record }),
    details: detailsWithin(subject),
    resources: granted,
    requestedResources: requested,
  };
  request.set(EXCHANGED_TOKEN, { act, resource: issuesForResources ? undefined : granted });
  const authorization = {
    client,
    user: subject.user,
    ...scopeWithin(subject.scope, scope),
    grantId: familyOf(subject, request),
    notAfter: earliest(subject.expiresAt, actor?.expiresAt),
  };
  return await request.issue(authorization, saveFor(subject, request));
}

/**
 * Returns the distinct resources in the parameters `resource` and `audience`.
 * @throws {InvalidTargetError} If an audience is unknown, or if the server does not issue tokens for resources.
 * RFC 8693 §2.1
 */
function readTargets({ parameters }: ClientRequest, { audiences: uris, issuesForResources }: ExchangeContext) {
  const resources = requestedResources(parameters);
  const audiences = parameters
    .all('audience', () => true)
    .map((name) => {
      const uri = uris.get(name);
      if (uri !== undefined) return uri;
      throw targetError('audience is not in the option `audiences`', [...uris.keys()], name);
    });
  const requested = [...new Set([...resources, ...audiences])];
  if (requested.length === 0 || issuesForResources) return requested;
  throw targetError('tokens for resources require the feature `resourceIndicators()`', undefined, requested[0]);
}

/**
 * Returns the authorization details that limit the new token. The record of an access token may also contain the
 * details of its refresh token, which may be more. `undefined` for a refresh token, whose record contains the limit.
 * RFC 9396 §6
 */
function detailsWithin({ token, type }: SubjectOrActorToken): readonly AuthorizationDetail[] | undefined {
  return token && type === REFRESH_TOKEN ? undefined : detailsOf((token as Partial<Token> | undefined)?.[DETAILS]);
}

const modelOf = ({ options: { model } }: ClientRequest): Model & TokenExchangeModel => model;

/**
 * Verifies that the exchange is permitted. Returns the resources that `mayExchange()` of the model permits in addition
 * to those of the subject token.
 * @throws {InvalidRequestError} If the exchange is not permitted. RFC 8693 §2.2.2
 */
async function permittedResources(exchange: ExchangeRequest, request: ClientRequest): Promise<readonly string[]> {
  const model = modelOf(request);
  if (model.mayExchange) {
    const permission = await model.mayExchange(exchange);
    if (!permission) throw notPermitted('`mayExchange()` of the model refused the exchange');
    return permission === true ? [] : audienceOf(permission.resource);
  }
  const { subject, actor } = exchange;
  if (!isHolder(request, subject))
    throw notPermitted(
      'the client did not authenticate, or the subject token is not its own and not for one of its resources',
    );
  if (actor && !isHolder(request, actor))
    throw notPermitted("the actor token is not the client's own and not for one of its resources");
  return [];
}

/**
 * Returns a function that saves the new token so that it is revoked with its subject token. `undefined` if the model
 * cannot do that, or does not store the subject token.
 */
function saveFor({ token: subject, user }: SubjectOrActorToken, request: ClientRequest): SaveToken | undefined {
  const model = modelOf(request);
  const { client } = request;
  return subject && model.saveExchangedToken && ((token) => model.saveExchangedToken!(subject, token, client, user));
}

/**
 * Returns the token family of the new token. If a client exchanges its own token, that is the family of the subject
 * token. `undefined` begins a new family, if the model revokes the new token with the subject token or did not issue
 * the subject token.
 */
function familyOf({ token }: SubjectOrActorToken, request: ClientRequest): string | undefined {
  if (!token || (modelOf(request).saveExchangedToken && !isIssuedTo(token, request.client))) return undefined;
  return token.grantId;
}

/** Removes members that are `undefined`, so that the application does not see them. */
const withoutUndefined = (members: Record<keyof ExchangeRequest, unknown>): ExchangeRequest =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as unknown as ExchangeRequest;

/**
 * Returns the requested token type. If the request contains none, the type of access tokens.
 * @throws {InvalidRequestError} If the server does not issue tokens of this type. RFC 8693 §2.1
 */
function requestedType({ parameters }: ClientRequest, { issuers }: KnownTokens): string {
  const type = parameters.optional('requested_token_type', isTokenType) ?? ACCESS_TOKEN;
  if (type === ACCESS_TOKEN || issuers.has(type)) return type;
  const detail = {
    reason: 'requested token type is not supported',
    expected: [ACCESS_TOKEN, ...issuers.keys()],
    given: type,
  };
  throw new InvalidRequestError('Invalid parameter: `requested_token_type` is not supported').because(detail);
}

/**
 * Issues a token that is not an access token. It is not saved: the result only has the form of an access token, to
 * create the response. RFC 8693 §2.2.1
 */
async function issueOtherToken(
  issue: TokenIssuer,
  exchange: ExchangeRequest,
  { request, type }: { request: ClientRequest; type: string },
): Promise<Token> {
  const { value, expiresAt, scope } = await issue(exchange, request);
  request.set(EXCHANGED_TOKEN, {});
  request.set(ISSUED_TOKEN_TYPE, type);
  const { client, subject } = exchange;
  return {
    ...request.tokenMembers,
    accessToken: value,
    accessTokenExpiresAt: expiresAt,
    scope,
    client,
    user: subject.user,
  };
}

function verifyTargets(requested: readonly string[], granted: readonly string[]): void {
  const unauthorized = requested.find((uri) => !isAmong(uri, granted));
  if (unauthorized !== undefined)
    throw targetError('neither the subject token nor `mayExchange()` permits the resource', granted, unauthorized);
}

function targetError(reason: string, expected: unknown, given: string | undefined): InvalidTargetError {
  const error = new InvalidTargetError('Invalid target: no token can be issued for this `resource` or `audience`');
  return error.because({ reason, ...(expected !== undefined && { expected }), given: shortText(given) });
}

const notPermitted = (reason: string) =>
  new InvalidRequestError('Invalid request: this exchange is not permitted').because({ reason });

/**
 * Returns the scope of the new token, which cannot exceed that of the subject token. If the subject token has no scope,
 * the new token has none, and `validateScope()` of the model is not called.
 * @throws {InvalidScopeError} If the requested scope exceeds that of the subject token.
 */
function scopeWithin(
  limit: Scope | undefined,
  requested: string | undefined,
): Pick<Authorization, 'scope' | 'scopeStatus'> {
  const held = scopeText(limit);
  if (requested !== undefined && !coversScope(held, requested)) {
    const detail = {
      reason: 'requested scope exceeds the scope of the subject token',
      expected: held,
      given: requested,
    };
    throw new InvalidScopeError('Invalid scope: requested scope exceeds the scope of the subject token').because(
      detail,
    );
  }
  return held === undefined ? { scopeStatus: 'approved' } : { scope: requested ?? held, scopeStatus: 'consented' };
}

function earliest(...moments: (Date | undefined)[]): Date | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map(Number)));
}
