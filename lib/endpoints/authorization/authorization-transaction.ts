import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import { hasDetails } from '../../contracts/authorization-details.js';
import type { RequiredInteraction, AuthenticationState } from '../../contracts/required-interaction.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import type { AuthorizationRequest, Decision, Destination } from '../../contracts/response-type.js';
import { InvalidArgumentError, type OAuthError } from '../../errors/index.js';
import { FORM_OR_URL, Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationCode, Awaitable, CoreClient, Token, User } from '../../model/model.js';
import { approveScope, scopeText, verifyClientScope, withinScope } from '../../tokens/scope.js';
import { signInClaims } from '../../tokens/sign-in-claims.js';
import type { AuthorizationContext } from './authorization-context.js';
import { alreadyDecided, loginRequired } from './authorization-errors.js';
import { reportGranted } from './authorization-events.js';
import { readAuthorizationRequest } from './authorization-request.js';
import { renderError, sendError, sendGranted } from './authorization-response.js';
import { findResponseType, verifyResponseTypeAllowed } from './destination.js';
import { type ConsentingDecision, verifySignedIn } from './verify-signed-in.js';

/** The request that contains the parameters of an authorization transaction, and where it was resolved from. */
export interface TransactionSource {
  /**
   * The request that contains all parameters: the browser's request, or the pushed request or request object that it
   * refers to.
   */
  readonly effectiveRequest: Request;
  readonly issuer: string | undefined;
  /**
   * The result of resolving a pushed request or request object. `undefined` if the browser's request contains the
   * parameters.
   */
  readonly resolved: ResolvedRequest | undefined;
}

/**
 * An authorization request between its arrival and its response. Its phases are `read`, `verifyScope` or
 * `findGrantableScope`, `findRequiredInteraction` and `decide`. A phase that fails writes the error response and
 * rejects. RFC 6749 §4.1.1, §4.1.2
 */
export class AuthorizationTransaction implements Destination, TransactionSource {
  readonly client: CoreClient;
  readonly redirectUri: string;
  readonly redirectUriSent: boolean;
  readonly effectiveRequest: Request;
  readonly issuer: string | undefined;
  readonly resolved: ResolvedRequest | undefined;
  /** The signed-in user, once known. */
  user: User | undefined = undefined;
  /** Whether the user denied the request. */
  denied = false;
  /** The validated request, once it was read. */
  request: AuthorizationRequest | undefined = undefined;
  /** Whether all parameters were read and found valid. */
  isValid = false;
  private isInteractionKnown = false;
  private grantable: { readonly user: User; readonly scope: string | undefined } | undefined = undefined;

  constructor(
    private readonly context: AuthorizationContext,
    { client, redirectUri, redirectUriSent }: Destination,
    { effectiveRequest, issuer, resolved }: TransactionSource,
  ) {
    this.client = client;
    this.redirectUri = redirectUri;
    this.redirectUriSent = redirectUriSent;
    this.effectiveRequest = effectiveRequest;
    this.issuer = issuer;
    this.resolved = resolved;
  }

  /**
   * Reads and validates the parameters of the authorization request. Errors are returned to the client if a redirect is
   * allowed, otherwise they are rendered as an error page. The result is a promise only if a feature reads parameters, or
   * if the request is invalid.
   */
  read(response: Response): Awaitable<AuthorizationRequest> {
    const { responseTypes, hooks } = this.context.server;
    try {
      if (isSelfRegistered(this.client)) {
        verifyResponseTypeAllowed(findResponseType(this.effectiveRequest, responseTypes), this.client, responseTypes);
      }
      const request = (this.request = readAuthorizationRequest(this, this.context));
      if (hooks.authorization.read.length > 0) return this.runPhase(response, () => this.runReadHooks(request));
      this.isValid = true;
      return request;
    } catch (error) {
      return this.runPhase(response, () => Promise.reject(error));
    }
  }

  private async runReadHooks(request: AuthorizationRequest): Promise<AuthorizationRequest> {
    const parameters = new Parameters(this.effectiveRequest, FORM_OR_URL);
    for (const hook of this.context.server.hooks.authorization.read)
      Object.assign(request.data, await hook(parameters, request));
    this.isValid = true;
    return request;
  }

  /**
   * Verifies that the client may request the scope, before a user has to sign in.
   * @returns The requested scope without ignorable values that the client may not request.
   */
  verifyScope(response: Response): Promise<string | undefined> {
    return this.runPhase(response, async () => {
      const { options, server } = this.context;
      const request = this.request!;
      this.isValid = false;
      const requested = { client: this.client, scope: request.requestedScope };
      request.requestedScope = await verifyClientScope(options, requested, server.ignorableScopes);
      this.isValid = true;
      return request.requestedScope;
    });
  }

  /**
   * Returns the part of the requested scope that this user would be granted. The result is reused if the next call has
   * the same user.
   */
  findGrantableScope(user: User, response: Response): Promise<string | undefined> {
    this.user = user;
    return this.runPhase(response, () => this.grantableScope(user));
  }

  /**
   * Returns what must happen before the request is decided, such as a login or consent. OpenID Connect Core
   * 1.0 §3.1.2.3
   */
  findRequiredInteraction(authentication: AuthenticationState, response: Response): Promise<RequiredInteraction> {
    this.user = authentication.user;
    return this.runPhase(response, () => {
      // An invalid authentication time is an error of the application. Report it before a hook reads it.
      if (authentication.signIn) signInClaims(authentication.signIn);
      return this.requiredInteraction(authentication);
    });
  }

  /** Sends the authorization response for a decision: a code or token if the user agreed, otherwise an error. */
  async decide(decision: Decision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { context, client, issuer, resolved, effectiveRequest } = this;
    const { user, error } = decision;
    this.user = user;
    try {
      await this.approve(decision);
      // From here on, only the store or the response can fail, so a single-use request is consumed now. RFC 9126 §7.3
      if (!resolved?.consume || (await resolved.consume())) {
        if (!error) return await this.grant(decision, response);
        this.denied = error.name === 'access_denied';
        throw error;
      }
    } catch (failure) {
      throw await this.fail(failure, response);
    }
    throw renderError(context, { error: alreadyDecided(), effectiveRequest, response, client, user, issuer });
  }

  /**
   * Validates a decision. If the user consented, sets the granted scope: the part of the grantable scope that the user
   * approved. RFC 6749 §3.3
   */
  private async approve(decision: Decision): Promise<void> {
    const { user, error } = decision;
    if (!user && !error) throw new InvalidArgumentError(UNDECIDED);
    if (!user || error) return;
    if (!this.isValid) throw new InvalidArgumentError(INVALID);
    const { signIn } = decision;
    const { approve, requireInteraction } = this.context.server.hooks.authorization;
    if (!this.isInteractionKnown && requireInteraction.length > 0) {
      // The application has not called `requiredInteraction()`. If a login is required, the client gets an error.
      const { login } = await this.requiredInteraction({ user, signIn });
      if (login) throw loginRequired();
    }
    const grantable = await this.grantableScope(user);
    const request = this.request!;
    request.grantedScope = decision.scope === undefined ? grantable : scopeText(withinScope(grantable, decision.scope));
    for (const hook of approve) await hook(request, { user, decision });
    if (signIn) Object.assign(request.data, signInClaims(signIn));
  }

  private async grant(decision: ConsentingDecision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { user } = decision;
    const { options, server, format } = this.context;
    const request = this.request!;
    const responseType = server.responseTypes.get(request.responseType)!;
    const authorizationResponse = await responseType.respond(request, user, { options, format });
    await verifySignedIn(decision, authorizationResponse, options.model);
    for (const hook of server.hooks.authorization.respond) await hook(request, user, authorizationResponse.parameters);
    // Await promises only: the built-in response modes return none.
    const sending = sendGranted(this.context, this, authorizationResponse.parameters, response);
    if (sending) await sending;
    if (options.events) reportGranted(options.events, request, { user, response: authorizationResponse });
    return authorizationResponse.result;
  }

  private async grantableScope(user: User): Promise<string | undefined> {
    if (this.grantable?.user === user) return this.grantable.scope;
    const { scopeOptions, server } = this.context;
    const request = this.request!;
    const requested = { client: this.client, user, scope: request.requestedScope };
    const scope = await approveScope(scopeOptions, requested, !hasDetails(request.data));
    request.grantableScope = scope;
    for (const hook of server.hooks.authorization.approve) await hook(request, { user });
    this.grantable = { user, scope };
    return scope;
  }

  /** Combines the interactions that all features require into one. */
  private async requiredInteraction(authentication: AuthenticationState): Promise<RequiredInteraction> {
    const all: RequiredInteraction = {};
    this.isInteractionKnown = true;
    for (const hook of this.context.server.hooks.authorization.requireInteraction) {
      const { requestedLogin, ...need } = (await hook(this.request!, authentication)) || {};
      for (const name of ['login', 'consent', 'silent'] as const) if (need[name]) all[name] = true;
      if (requestedLogin) all.requestedLogin = { ...all.requestedLogin, ...requestedLogin };
    }
    return all;
  }

  /**
   * Sends the error of a phase to the client, or renders it as an error page if a redirect to the client is not allowed
   * yet.
   * @returns The error to throw.
   */
  private fail(error: unknown, response: Response): Promise<OAuthError> {
    return sendError(this.context, this, error, response);
  }

  /** Runs a phase of the transaction. If it fails, the error is sent before the promise rejects. */
  private async runPhase<T>(response: Response, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw await this.fail(error, response);
    }
  }
}

const UNDECIDED = 'Invalid argument: `decision` must have the `user` who agreed, or an `error`';
const INVALID = 'Invalid argument: an invalid authorization request can only be decided with an `error`';
