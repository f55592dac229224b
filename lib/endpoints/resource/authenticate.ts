import { InvalidArgumentError, InvalidTokenError, OAuthError, ServerError, toOAuthError } from '../../errors/index.js';
import type { EventSink } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { isScope } from '../../http/syntax.js';
import type { Awaitable, Falsy, Scope, Token } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import { Operation, verifyRequestAndResponse } from '../operation.js';
import type { Options } from '../../options/resolve-options.js';
import type { TokenRequirements } from '../../options/token-requirements.js';
import { isConfirmationSupported } from '../../tokens/confirmation.js';
import { ID_TOKEN_DETAIL, ID_TOKEN_SENT, looksLikeIdToken } from '../../tokens/id-token-shape.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isExpired } from '../../tokens/lifetime.js';
import { scopeText } from '../../tokens/scope.js';
import { admitRequest } from './admission.js';
import { tokenHeaderPattern, readBearerToken, schemeOf } from './bearer-token.js';
import { findPrincipal } from './principal.js';
import { rejectRequest, reportAccessRefusal } from './refusal.js';
import type { Requirement } from './requirement.js';
import {
  acceptsPersonalTokens,
  PERSONAL_TOKEN_SOURCE,
  personalTokenError,
  type PersonalTokenSource,
} from './personal-tokens.js';
import { requirementsOf } from './requirements.js';
import { isFirstRefusal, lookUp, shareLookUp } from './shared-look-ups.js';

/** Finds and verifies the access token of a request to a protected resource. RFC 6750 */
export class AuthenticateOperation extends Operation<Token> {
  /** The required scope as text, with its values separated by spaces. `undefined` if no scope is required. */
  private readonly required: string | undefined;
  /** The required scope, if its characters are allowed in a challenge. Otherwise `undefined`. RFC 6750 §3 */
  private readonly challengeScope: string | undefined;
  private readonly requirements: readonly Requirement[];
  private readonly isAdmissionChecked = this.server.hooks.resource.admit.length > 0;
  private readonly verifyHooks = this.server.hooks.resource.verify;
  private readonly schemes = [...this.server.tokenSchemes.keys()];
  private readonly header = tokenHeaderPattern('Bearer', ...this.schemes);

  private readonly acceptsPersonalTokens: boolean;

  /**
   * @param endpoint The ID of the endpoint. Default: `resource`, a protected resource of the application.
   * @param personalTokens The personal access tokens that are accepted. If omitted, none are.
   */
  constructor(
    options: Options & TokenRequirements,
    server: ServerContext,
    private readonly endpoint = 'resource',
    private readonly personalTokens?: PersonalTokenSource,
  ) {
    super(options, server);
    requireMethods(options.model, METHODS);
    this.required = requiredScope(options.scope);
    this.challengeScope = scopeForChallenge(this.required);
    this.requirements = requirementsOf(options, this.required);
    this.acceptsPersonalTokens = acceptsPersonalTokens(options, this.required);
  }

  handle(request: Request, response: Response): Promise<Token> {
    return this.verify(request, response, this.options.events);
  }

  /**
   * Like `handle()`, but emits the event of a refusal to `events` instead of the option `events`. If omitted, no event
   * is emitted.
   */
  async verify(request: Request, response: Response, events?: EventSink): Promise<Token> {
    verifyRequestAndResponse(request, response);
    const { model, allowBearerTokensInQueryString } = this.options;
    if (this.isAdmissionChecked)
      admitRequest(request, response, { server: this.server, events, endpoint: this.endpoint });
    // Errors are passed as values and thrown once, at the end: rethrowing took a sixth of the time of a refusal.
    let tokenError: OAuthError | undefined;
    let token: Token | Falsy;
    let issuer: string | undefined;
    let requirement: Requirement | undefined;
    try {
      const value = readBearerToken(request, allowBearerTokensInQueryString, this.header);
      if (value === undefined) token = await findPrincipal(request);
      else if (this.personalTokens?.matches(value)) token = await this.findPersonalToken(value, request);
      else token = await lookUp(model, value, request);
      tokenError = findTokenError(
        token,
        value,
        (issuer = this.server.issuerOf(request)),
        this.server.confirmationMethods,
      );
      if (!tokenError && this.verifyHooks.length > 0) {
        const { options, server } = this;
        const scheme = schemeOf(request, this.schemes) ?? 'Bearer';
        const presented = { token: token as Token, value: value ?? '', scheme, request, response, options, server };
        for (const verify of this.verifyHooks) await verify(presented);
      }
      for (let index = 0; !tokenError && index < this.requirements.length; index++) {
        requirement = this.requirements[index]!;
        const result = requirement.isMet(token as Token);
        // Await promises only: an `await` for each requirement made a call slower by a quarter.
        const isMet = typeof result === 'boolean' ? result : await result;
        if (!isMet) tokenError = requirement.createError(token as Token);
        else if (requirement.scope) this.writeScopeHeaders(response, requirement.scope, (token as Token).scope);
      }
      if (!tokenError) return token as Token;
    } catch (error) {
      tokenError = toOAuthError(error);
    }
    throw this.reject(tokenError, { token, issuer, requirement, request, response, events });
  }

  /**
   * Finds a personal access token, if this operation accepts one.
   * @throws {InvalidTokenError} If it accepts none. The token is not looked up then.
   */
  private findPersonalToken(value: string, request: Request): Awaitable<Token | Falsy> {
    const source = this.personalTokens!;
    if (!this.acceptsPersonalTokens) throw personalTokenError();
    return shareLookUp(request, source, value, () => source.find(value, request));
  }

  /**
   * Emits the event of a refusal, and writes the challenge with the scope of the requirement that the token does not
   * meet.
   * @returns The error to throw.
   */
  private reject(error: OAuthError, refused: RejectionDetails): OAuthError {
    const { options, server } = this;
    const { requirement, request, response, events } = refused;
    const scope = requirement ? scopeForChallenge(requirement.scope) : this.challengeScope;
    if (scope !== undefined && error.code < 500) this.writeAcceptedScopes(response, scope);
    const required = requirement?.scope ?? this.required;
    if (events && isFirstRefusal(request, `${requirement ? refusalKey(error) : error.name} ${required}`)) {
      const { endpoint } = this;
      reportAccessRefusal(events, error, { token: refused.token, required, issuer: refused.issuer, endpoint });
    }
    return rejectRequest(response, error, { request, options, server, scope });
  }

  private writeAcceptedScopes({ headers }: Response, scope: string): void {
    if (this.options.addAcceptedScopesHeader) headers['x-accepted-oauth-scopes'] = scope;
  }

  private writeScopeHeaders(response: Response, required: string, granted: Scope | undefined): void {
    this.writeAcceptedScopes(response, required);
    const authorized = this.options.addAuthorizedScopesHeader && scopeText(granted);
    if (authorized) response.headers['x-oauth-scopes'] = authorized;
  }
}

/** Returns the operation that authenticates requests to protected resources of the application. */
export const resourceOperation = (options: Options, server: ServerContext): AuthenticateOperation =>
  new AuthenticateOperation(options, server, 'resource', server.find(PERSONAL_TOKEN_SOURCE));

/** A rejected request, with its token and issuer as far as they are known. */
interface RejectionDetails {
  readonly request: Request;
  readonly response: Response;
  readonly events: EventSink | undefined;
  readonly token: Token | Falsy;
  readonly issuer: string | undefined;
  /**
   * The requirement that the token does not meet, or that was verified last. `undefined` if no requirement was reached,
   * because the token itself is invalid.
   */
  readonly requirement: Requirement | undefined;
}

const METHODS = ['getAccessToken'] as const;

/** Returns a text that differs for refusals by different requirements: the error message and the expected values. */
const refusalKey = (error: OAuthError) => `${error.message} ${String(OAuthError.detailOf(error)?.expected)}`;

/** Returns the scope if its characters are allowed in a challenge. Otherwise `undefined`. RFC 6750 §3 */
const scopeForChallenge = (scope: string | undefined) => (scope !== undefined && isScope(scope) ? scope : undefined);

/**
 * Returns the required scope as text, or `undefined` if no scope is required.
 * @throws {InvalidArgumentError} If the scope is invalid, because it would otherwise count as no requirement.
 */
function requiredScope(scope: unknown): string | undefined {
  if (scope && typeof scope !== 'string' && !Array.isArray(scope)) {
    throw new InvalidArgumentError('Invalid parameter: `scope`');
  }
  const required = scopeText(scope)?.split(' ').filter(Boolean).join(' ');
  const isGiven = Array.isArray(scope) ? scope.length > 0 : Boolean(scope);
  if (isGiven && !required) throw new InvalidArgumentError('Invalid parameter: `scope`');
  return required;
}

/**
 * Returns the error of a token that is unknown, expired, of another issuer, incomplete, or bound to a key that no
 * feature verifies. `undefined` for a valid token.
 */
function findTokenError(
  token: Token | Falsy,
  value: string | undefined,
  issuer: string | undefined,
  confirmationMethods: ReadonlySet<string>,
): OAuthError | undefined {
  if (!token) {
    return value !== undefined && looksLikeIdToken(value)
      ? new InvalidTokenError(`Invalid token: ${ID_TOKEN_SENT}`).because(ID_TOKEN_DETAIL)
      : new InvalidTokenError('Invalid token: access token is invalid');
  }
  if (!isOfIssuer(token, issuer)) {
    const detail = { reason: 'access token was issued by another issuer', expected: issuer, given: token.issuer };
    return new InvalidTokenError('Invalid token: access token is invalid').because(detail);
  }
  if (!token.user) return new ServerError('Server error: `getAccessToken()` did not return a `user` object');
  if (!(token.accessTokenExpiresAt instanceof Date)) {
    return new ServerError('Server error: `accessTokenExpiresAt` must be a Date instance');
  }
  if (isExpired(token.accessTokenExpiresAt)) return new InvalidTokenError('Invalid token: access token has expired');
  if (token['cnf'] === undefined || isConfirmationSupported(token['cnf'], confirmationMethods)) return undefined;
  const reason =
    'no installed feature verifies the key that the token is bound to: add `dpop()`, `mutualTls()` or a feature with its `confirmationMethods`';
  return new InvalidTokenError('Invalid token: it is bound to a key').because({ reason });
}
