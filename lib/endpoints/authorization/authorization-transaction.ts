import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import type { RequiredInteraction, AuthenticationState } from '../../contracts/required-interaction.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import type { AuthorizationRequest, Decision, Destination } from '../../contracts/response-type.js';
import { InvalidArgumentError, type OAuthError } from '../../errors/index.js';
import { FORM_OR_URL, Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationCode, Awaitable, CoreClient, Token, User } from '../../model/model.js';
import { scopeText, verifyClientScope, withinScope } from '../../tokens/scope.js';
import { signInClaims } from '../../tokens/sign-in-claims.js';
import type { AuthorizationContext } from './authorization-context.js';
import { alreadyDecided, loginRequired } from './authorization-errors.js';
import { reportGranted } from './authorization-events.js';
import { readAuthorizationRequest } from './authorization-request.js';
import { renderError, sendError, sendGranted } from './authorization-response.js';
import { findResponseType, verifyResponseTypeAllowed } from './destination.js';
import { approveRequest, findGrantableScope } from './grantable-scope.js';
import { verifySignedIn } from './verify-signed-in.js';

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
    return this.runPhase(response, async () => this.storeGrantable(user, await this.grantableScope(user)));
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

  /**
   * Sends the authorization response for a decision: a code or token if the user agreed, otherwise an error. It awaits
   * the model and the response type directly: each async method in between would take a twentieth of the time.
   */
  async decide(decision: Decision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { context, client, issuer, resolved, effectiveRequest } = this;
    const { options, server, format } = context;
    const { approve, requireInteraction } = server.hooks.authorization;
    const { user, error } = decision;
    const request = this.request!;
    this.user = user;
    try {
      if (!error) {
        this.verifyDecidable(user);
        if (!this.isInteractionKnown && requireInteraction.length > 0) await this.verifyNoLogin(decision);
        const { scope, signIn } = decision;
        const grantable = this.storeGrantable(user, await this.grantableScope(user));
        request.grantedScope = scope === undefined ? grantable : scopeText(withinScope(grantable, scope));
        if (approve.length > 0) await approveRequest(request, { user, decision }, server);
        if (signIn) Object.assign(request.data, signInClaims(signIn));
      }
      // From here on, only the store or the response can fail, so a single-use request is consumed now. RFC 9126 §7.3
      if (!resolved?.consume || (await resolved.consume())) {
        if (error) {
          this.denied = error.name === 'access_denied';
          throw error;
        }
        const responseType = server.responseTypes.get(request.responseType)!;
        const granted = await responseType.respond(request, user, { options, format });
        if (decision.isSignedIn) await verifySignedIn(decision.isSignedIn, granted, options.model);
        // Await promises only: the built-in response modes return none.
        const sending = sendGranted(context, this, granted.parameters, response);
        if (sending) await sending;
        if (options.events) reportGranted(options.events, request, { user, response: granted });
        return granted.result;
      }
    } catch (failure) {
      throw await this.fail(failure, response);
    }
    throw renderError(context, { error: alreadyDecided(), effectiveRequest, response, client, user, issuer });
  }

  /** @throws {InvalidArgumentError} If there is no user who agreed, or if the request is invalid. */
  private verifyDecidable(user: User): void {
    if (!user) throw new InvalidArgumentError(UNDECIDED);
    if (!this.isValid) throw new InvalidArgumentError(INVALID);
  }

  /**
   * Verifies that no feature requires a login. For applications that have not called `requiredInteraction()`.
   * @throws {LoginRequiredError} If a login is required. The client gets the error.
   */
  private async verifyNoLogin({ user, signIn }: AuthenticationState): Promise<void> {
    const { login } = await this.requiredInteraction({ user, signIn });
    if (login) throw loginRequired();
  }

  /** Returns the grantable scope of this user. The caller stores it. */
  private grantableScope(user: User): Awaitable<string | undefined> {
    if (this.grantable?.user === user) return this.grantable.scope;
    return findGrantableScope(this.context, this.request!, user);
  }

  private storeGrantable(user: User, scope: string | undefined): string | undefined {
    this.request!.grantableScope = scope;
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
