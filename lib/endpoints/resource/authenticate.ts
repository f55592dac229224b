import { InvalidArgumentError, InvalidTokenError, OAuthError, ServerError, toOAuthError } from '../../errors/index.js';
import type { EventSink } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { isScope } from '../../http/syntax.js';
import type { Falsy, Scope, Token } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import { Operation, verifyWrappers } from '../operation.js';
import type { Options } from '../../options/settle.js';
import type { TokenRequirements } from '../../options/token-requirements.js';
import { isConfirmed } from '../../tokens/confirmation.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isOver } from '../../tokens/lifetime.js';
import { scopeText } from '../../tokens/scope.js';
import { headerBy, readBearerToken, schemeOf } from './bearer-token.js';
import { rejectRequest, reportAccessRefusal } from './refusal.js';
import { type Requirement, requirementsOf } from './requirements.js';
import { isFirstRefusal, lookUp } from './shared-look-ups.js';

/** Finds and checks the access token of a request. RFC 6750 */
export class AuthenticateOperation extends Operation<Token> {
  /** The required scope as headers name it; undefined when any token will do. */
  private readonly required: string | undefined;
  /** The required scope, if a challenge can contain it. RFC 6750 §3 */
  private readonly sayable: string | undefined;
  private readonly requirements: readonly Requirement[];
  private readonly presents = this.server.hooks.resource.verify;
  private readonly schemes = [...this.server.tokenSchemes.keys()];
  private readonly header = headerBy('Bearer', ...this.schemes);

  constructor(options: Options & TokenRequirements, server: ServerContext) {
    super(options, server);
    requireMethods(options.model, METHODS);
    this.required = requiredScope(options.scope);
    this.sayable = sayable(this.required);
    this.requirements = requirementsOf(options, this.required);
  }

  handle(request: Request, response: Response): Promise<Token> {
    return this.verify(request, response, this.options.events);
  }

  /** Like `handle()`, but emits the event of a refusal to these listeners. `undefined`: no event is emitted. */
  async verify(request: Request, response: Response, events?: EventSink): Promise<Token> {
    verifyWrappers(request, response);
    const { model, allowBearerTokensInQueryString } = this.options;
    // Thrown once, at the end: to throw it up to here first was a sixth of the time of a refusal.
    let objection: OAuthError | undefined;
    let token: Token | Falsy;
    let issuer: string | undefined;
    let requirement: Requirement | undefined;
    try {
      const value = readBearerToken(request, allowBearerTokensInQueryString, this.header);
      token = await lookUp(model, value, request);
      objection = objectionTo(token, (issuer = this.server.issuerOf(request)), this.server.confirmationMethods);
      if (!objection && this.presents.length > 0) {
        const { options, server } = this;
        const scheme = schemeOf(request, this.schemes) ?? 'Bearer';
        const presented = { token: token as Token, value, scheme, request, response, options, server };
        for (const verify of this.presents) await verify(presented);
      }
      for (let index = 0; !objection && index < this.requirements.length; index++) {
        requirement = this.requirements[index]!;
        const met = requirement.isMet(token as Token);
        // A boolean is not awaited: an `await` for each requirement made a call slower by a quarter.
        const isMet = typeof met === 'boolean' ? met : await met;
        if (!isMet) objection = requirement.createError(token as Token);
        else if (requirement.scope) this.reportScopes(response, requirement.scope, (token as Token).scope);
      }
      if (!objection) return token as Token;
    } catch (error) {
      objection = toOAuthError(error);
    }
    throw this.reject(objection, { token, issuer, requirement, request, response, events });
  }

  /** Reports the refusal, and writes the challenge with the scope of the requirement that is not met. @returns the error to throw */
  private reject(error: OAuthError, refused: Rejected): OAuthError {
    const { options, server } = this;
    const { requirement, request, response, events } = refused;
    const scope = requirement ? sayable(requirement.scope) : this.sayable;
    if (scope !== undefined && error.code < 500) this.reportAccepted(response, scope);
    const required = requirement?.scope ?? this.required;
    if (events && isFirstRefusal(request, `${requirement ? kindOf(error) : error.name} ${required}`)) {
      reportAccessRefusal(events, error, { token: refused.token, required, issuer: refused.issuer });
    }
    return rejectRequest(response, error, { request, options, server, scope });
  }

  private reportAccepted({ headers }: Response, scope: string): void {
    if (this.options.addAcceptedScopesHeader) headers['x-accepted-oauth-scopes'] = scope;
  }

  private reportScopes(response: Response, required: string, granted: Scope | undefined): void {
    this.reportAccepted(response, required);
    const authorized = this.options.addAuthorizedScopesHeader && scopeText(granted);
    if (authorized) response.headers['x-oauth-scopes'] = authorized;
  }
}

/** A rejected request, with the token and issuer as far as they are known. */
interface Rejected {
  readonly request: Request;
  readonly response: Response;
  readonly events: EventSink | undefined;
  readonly token: Token | Falsy;
  readonly issuer: string | undefined;
  /** The requirement that was being verified; `undefined` if the token itself is invalid. */
  readonly requirement: Requirement | undefined;
}

const METHODS = ['getAccessToken'] as const;

/** Returns what distinguishes the refusals of requirements: their message, and the values that they want. */
const kindOf = (error: OAuthError) => `${error.message} ${String(OAuthError.detailOf(error)?.wanted)}`;

/** Returns the scope if a challenge can contain it. RFC 6750 §3 */
const sayable = (scope: string | undefined) => (scope !== undefined && isScope(scope) ? scope : undefined);

/**
 * Returns the required scope as text.
 * @throws {InvalidArgumentError} If the scope is invalid. Otherwise it would count as no requirement.
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
 * Returns the error of a token that is invalid, expired, of another issuer, or bound in a way that no feature verifies.
 */
function objectionTo(
  token: Token | Falsy,
  issuer: string | undefined,
  confirms: ReadonlySet<string>,
): OAuthError | undefined {
  if (!token) return new InvalidTokenError('Invalid token: access token is invalid');
  if (!isOfIssuer(token, issuer)) {
    const detail = { rule: 'the token is of the issuer that is asked', wanted: issuer, given: token.issuer };
    return new InvalidTokenError('Invalid token: access token is invalid').because(detail);
  }
  if (!token.user) return new ServerError('Server error: `getAccessToken()` did not return a `user` object');
  if (!(token.accessTokenExpiresAt instanceof Date)) {
    return new ServerError('Server error: `accessTokenExpiresAt` must be a Date instance');
  }
  if (isOver(token.accessTokenExpiresAt)) return new InvalidTokenError('Invalid token: access token has expired');
  if (token['cnf'] === undefined || isConfirmed(token['cnf'], confirms)) return undefined;
  const rule = 'a feature verifies the key: list `dpop()`, or one of yours whose `confirmationMethods` name it';
  return new InvalidTokenError('Invalid token: it is bound to a key').because({ rule });
}
