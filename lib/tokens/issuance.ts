import type { Authorization } from '../contracts/authorization.js';
import type { TokenFormat } from '../contracts/token-format.js';
import type { Awaitable, CoreClient, Model, Scope, Token, Unsaved, User } from '../model/model.js';
import { earlier, type GrantSpan, grantSpan, notAfter } from './grant-lifetime.js';
import { expiry } from './lifetime.js';
import { newGrantId, opaqueToken } from './opaque.js';
import { verifySubject } from './subject.js';
import { approveScope, scopeForModel, withinScope } from './scope.js';

/** The options with which a token is issued. Lifetimes are in seconds. */
export interface IssueOptions {
  model: Model;
  accessTokenLifetime: number;
  refreshTokenLifetime?: number;
  grantLifetime?: number;
  /** The issuer of the token. `undefined` if the option `issuer` is not set. */
  issuer?: string | undefined;
  scopeFormat?: 'string' | 'array';
  /** Scope values that are removed if they cannot be granted. Default: none. OpenID Connect Core §11 */
  ignorableScopes?: readonly string[];
  /** The scope values of a request without `scope` by a client that has no default scope. Default: none. */
  defaultScope?: readonly string[];
  /** Whether `scope` may be missing, because the request contains `authorization_details`. RFC 9396 §3.1 */
  scopeOptional?: boolean;
  /**
   * Runs the `issue` hooks of all features, and returns members to save with the token. If omitted, there are no hooks.
   */
  complete?(authorization: Authorization): Awaitable<object>;
  /** Returns the text of access tokens. If omitted, the model generates it, or it is random. */
  format?: TokenFormat | undefined;
}

/** When the tokens of one authorization expire. */
interface Lifetimes {
  readonly accessTokenExpiresAt: Date;
  /** `undefined` if no refresh token is issued. */
  readonly refreshTokenExpiresAt: Date | undefined;
  /** Start and end of the grant. `undefined` if the option `grantLifetime` is not set. */
  readonly span: GrantSpan | undefined;
}

/** A token that is being issued: its authorization, and the results of the steps so far. */
export interface Issuance {
  readonly options: IssueOptions;
  readonly authorization: Authorization;
  lifetimes: Lifetimes;
  /** The granted scope in the form that the model uses. */
  scope: Scope | undefined;
  /** Members that the `issue` hooks add to the saved token. */
  additions: object | undefined;
  /** The texts of the tokens. `undefined` if the model generates none. */
  texts: TokenTexts | undefined;
}

interface TokenTexts {
  readonly access: string;
  readonly refresh?: string;
}

/**
 * Verifies the subject and decides the lifetimes of a token. It comes first, because an invalid lifetime must fail before
 * the model is called.
 */
export function beginIssuance(options: IssueOptions, authorization: Authorization): Issuance {
  if (!authorization.isForClient) verifySubject(authorization.user, authorization.client);
  const lifetimes = decideLifetimes(options, authorization);
  return { options, authorization, lifetimes, scope: undefined, additions: undefined, texts: undefined };
}

/**
 * Asks the model which part of the scope is granted.
 * @throws {InvalidScopeError} If the model grants none of it. RFC 6749 §3.3
 */
export function requestScope({ options, authorization }: Issuance): Promise<string | undefined> {
  const isNeeded = authorization.scopeStatus !== 'consented' && !options.scopeOptional;
  return approveScope(options, authorization, isNeeded);
}

/**
 * Creates the complete token with an approved scope, without saving it. The result is a promise only if the model or a
 * feature takes part, because `await` is expensive compared to the other steps. RFC 6749 §5.1
 */
export function completeIssuance(issuance: Issuance, approved: Scope | undefined): Awaitable<Unsaved<Token>> {
  const { options, authorization } = issuance;
  const { scope: requested, scopeStatus } = authorization;
  const granted = scopeStatus === 'consented' ? withinScope(approved, requested) : approved;
  issuance.scope = scopeForModel(granted, options.scopeFormat ?? 'string');
  const { model } = options;
  const isGenerated = model.generateAccessToken !== undefined || model.generateRefreshToken !== undefined;
  if (options.complete || options.format || isGenerated) return completeWithHooks(issuance, isGenerated);
  return mint(issuance);
}

async function completeWithHooks(issuance: Issuance, isGenerated: boolean): Promise<Unsaved<Token>> {
  const { options } = issuance;
  if (options.complete) await runIssueHooks(issuance);
  // Most models generate no texts: then nothing is awaited for them.
  if (isGenerated) issuance.texts = await generateTexts(issuance);
  const token = mint(issuance);
  if (options.format) await formatText(issuance, token);
  return token;
}

/** Returns when the tokens expire, and whether a refresh token is issued. */
function decideLifetimes(options: IssueOptions, authorization: Authorization): Lifetimes {
  const { client, grantedAt, notAfter: limit, refreshable } = authorization;
  const span = grantSpan(options, grantedAt);
  const expiresAt = notAfter(expiry(options.accessTokenLifetime, 'accessTokenLifetime'), span);
  const isRefreshable = refreshable === true && client.grants.includes('refresh_token');
  return {
    accessTokenExpiresAt: limit ? earlier(expiresAt, limit) : expiresAt,
    refreshTokenExpiresAt: isRefreshable
      ? notAfter(expiry(options.refreshTokenLifetime, 'refreshTokenLifetime'), span)
      : undefined,
    span,
  };
}

/** Runs the `issue` hooks. A hook may add properties, withhold the refresh token, or reject the request. */
async function runIssueHooks(issuance: Issuance): Promise<void> {
  const { options, authorization, scope } = issuance;
  const established: Authorization = { ...authorization, scope };
  issuance.additions = await options.complete!(established);
  if (!established.refreshable) issuance.lifetimes = { ...issuance.lifetimes, refreshTokenExpiresAt: undefined };
}

/** Lets the model generate the texts of the tokens. */
async function generateTexts({ options, authorization, lifetimes, scope }: Issuance): Promise<TokenTexts> {
  const { model } = options;
  const { client, user } = authorization;
  const access = await generateAccessToken(model, client, user, scope);
  if (!lifetimes.refreshTokenExpiresAt) return { access };
  return { access, refresh: await generateRefreshToken(model, client, user, scope) };
}

/** Creates the token from the decided lifetimes, scope and texts. */
function mint({ options, authorization, lifetimes, scope, additions, texts }: Issuance): Unsaved<Token> {
  const { model, issuer } = options;
  const { accessTokenExpiresAt, refreshTokenExpiresAt, span } = lifetimes;
  const token: Unsaved<Token> = { accessToken: texts?.access ?? opaqueToken(), accessTokenExpiresAt, scope };
  if (authorization.extra) Object.assign(token, authorization.extra);
  if (additions) Object.assign(token, additions);
  if (refreshTokenExpiresAt) {
    token.refreshToken = texts?.refresh ?? opaqueToken();
    token.refreshTokenExpiresAt = refreshTokenExpiresAt;
    if (span) token.grantedAt = span.start;
  }
  if (model.revokeGrant) {
    token.grantId = authorization.grantId ?? newGrantId();
    if (issuer !== undefined) token.issuer = issuer;
  }
  return token;
}

/**
 * Replaces the access token by the text that a feature returns, if it returns one. This step comes last, because a JWT
 * contains all other members of the token.
 */
async function formatText({ options, authorization }: Issuance, token: Unsaved<Token>): Promise<void> {
  const { client, user } = authorization;
  const text = await options.format!({ token, client, user, issuer: options.issuer });
  if (text !== undefined) token.accessToken = text;
}

/** Returns an access token that the model generates, or a random one. */
export async function generateAccessToken(
  model: Model,
  client: CoreClient,
  user: User,
  scope?: Scope,
): Promise<string> {
  return (model.generateAccessToken && (await model.generateAccessToken(client, user, scope))) || opaqueToken();
}

/** Returns a refresh token that the model generates, or a random one. */
export async function generateRefreshToken(
  model: Model,
  client: CoreClient,
  user: User,
  scope?: Scope,
): Promise<string> {
  return (model.generateRefreshToken && (await model.generateRefreshToken(client, user, scope))) || opaqueToken();
}
