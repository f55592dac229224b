import {
  consentRequired,
  deferredErrorOf,
  endpointPath,
  loginRequired,
  reportEndpointRefusal,
  toOAuthError,
  userDenied,
} from '../../lib/internal.js';
import {
  type RequiredInteraction,
  type OAuth2Server,
  type OAuthError,
  Request,
  type Response,
  type User,
} from '../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import type { Choices, InteractionContext, OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import { withContext } from '../module/oauth2-context.js';
import { BrowserCookie, newCookieValue } from '../pages/sessions/browser-cookie.js';
import { type Allowed, allowedByConsent, readAllowedScope } from './allowed-scope.js';
import { readAuthorizationParameters } from './authorization-parameters.js';
import { invalidCsrfToken, readDecision } from './consent-form.js';
import { ChoiceCsrfTokens, ConsentCsrfTokens } from './signed-tokens.js';
import { verifySender } from './decision-sender.js';
import { isChoiceForm, readChoice } from './choice-form.js';
import { writeInteractionResponse } from './interaction-response.js';
import { isSameUser } from './same-user.js';
import { PromptStates, withPromptState } from './prompt-state.js';
import { type BoundRequest, choiceBinding, consentBinding, requestBinding } from './token-bindings.js';
import { eventDetails, type InvalidRequest, type ReadRequest, type UserInteraction } from './user-interaction.js';

/**
 * Handles authorization requests. It calls the application's interaction to find the signed-in user, to show the login
 * and consent pages, and to read the decision.
 */
export class InteractionFlow {
  private readonly csrfTokens: ConsentCsrfTokens;
  private readonly choiceTokens: ChoiceCsrfTokens;
  private readonly promptStates: PromptStates;

  constructor(
    private readonly server: OAuth2Server,
    private readonly interaction: OAuth2Interaction,
    secrets: readonly string[],
  ) {
    this.csrfTokens = new ConsentCsrfTokens(secrets, server.options?.model);
    this.choiceTokens = new ChoiceCsrfTokens(secrets);
    this.promptStates = new PromptStates(secrets, server.options?.model);
  }

  /**
   * Handles an authorization request and writes the response. It rejects with the errors of the engine and the
   * interaction.
   */
  async handle(native: NativeRequest, response: Response): Promise<void> {
    return withContext(this.server.context, toOAuthRequest(native), () => this.run(native, response));
  }

  private async run(native: NativeRequest, response: Response): Promise<void> {
    try {
      await this.respond(native, response);
    } catch (error) {
      if (response.status >= 400) await this.showError(toOAuthError(error), native, response);
      throw error;
    } finally {
      // Redirect with 303 after a form: browsers may repeat the POST request after a 302. RFC 9700 §4.12
      if (native.method === 'POST' && response.get('location') !== undefined) response.status = 303;
    }
  }

  /** Renders an error as a page, if the interaction has a method `showError()`. */
  async showError(error: OAuthError, native: NativeRequest, response: Response): Promise<void> {
    if (!this.interaction.showError) return;
    const page = await this.interaction.showError(error, { request: native });
    writeInteractionResponse(response, { status: response.status, ...page });
  }

  private async respond(native: NativeRequest, response: Response): Promise<void> {
    const { query, url, promptState } = readAuthorizationParameters(native);
    const request = new Request({ headers: native.headers, method: 'GET', query, native });
    verifySender(native, request, response, this.server);
    const { authorization, failure, silent } = await this.read(request, response);
    // The URL as the browser sees it. A proxy may have removed the path of the issuer.
    const returnTo = authorization.issuer === undefined ? url : endpointPath(authorization.issuer, url);
    const context: InteractionContext = { authorization, request: native, returnTo, requestedLogin: {} };
    const user = (await this.interaction.findUser(context)) || undefined;
    if (failure) return this.returnErrorToClient(failure, { context, response, user, silent });
    const signIn = user && ((await this.interaction.howSignedIn?.(user, context)) || undefined);
    const bound = { authorization, request, returnTo };
    const cookie = new BrowserCookie(request, response, this.server.context, 'oauth2-prompt');
    const binding = requestBinding(bound);
    const current = { context, response, user, signIn, promptState, binding, cookie };
    const loginPrompt = this.promptStates.read(promptState, binding, cookie.value);
    const required = await this.server.requiredInteraction(authorization, { user, signIn, loginPrompt }, response);
    if (!user || required.login) return this.login(current, required);

    // From here on, `grantableScope` is what this user can grant. It may be more or less than the requested scope.
    await this.server.grantableScope(authorization, user, response);
    if (loginPrompt) context.returnTo = withPromptState(returnTo, promptState!);
    if (required.requestedLogin) context.requestedLogin = required.requestedLogin;
    const chosen = this.interaction.choose ? await this.choose(native, bound, current, required) : {};
    if (!chosen) return;
    const { choices } = chosen;
    const consent = consentBinding(user, bound, choices);
    const decision = await this.findDecision(native, { user, binding: consent, context, required });
    if (!decision) return this.askForConsent(current, required, consent);
    if (loginPrompt && !(await this.promptStates.consume(promptState!))) {
      const again = await this.server.requiredInteraction(authorization, { user, signIn }, response);
      if (again.login) return this.login({ ...current, promptState: undefined }, again);
    }
    // A change of the password ends the session, and may not find the code that is saved at the same time.
    const isSignedIn = async () => isSameUser(await this.interaction.findUser(context), user);
    const outcome =
      decision === 'deny' ? { user, error: userDenied() } : { user, signIn, choices, isSignedIn, ...decision };
    await this.server.decide(authorization, outcome, response);
  }

  /**
   * Reads the authorization request. If it is invalid and its error may be returned to the client once the user is
   * authenticated, the error is returned with the request.
   */
  private async read(request: Request, response: Response): Promise<ReadRequest> {
    try {
      return { authorization: await this.server.readAuthorizationRequest(request, response) };
    } catch (error) {
      const deferred = deferredErrorOf(error);
      if (!deferred) throw error;
      const { authorizationRequest: authorization, silent } = deferred;
      return { authorization, silent, failure: error as OAuthError };
    }
  }

  /**
   * Handles an invalid request of a self-registered client. The user signs in first, then the error is returned to the
   * client. With `prompt=none` and without a signed-in user, the error is thrown instead. RFC 9700 §4.11.2
   */
  private async returnErrorToClient(
    error: OAuthError,
    { context, response, user, silent }: InvalidRequest,
  ): Promise<void> {
    if (user) await this.server.decide(context.authorization, { user, error }, response);
    if (silent) throw error;
    writeInteractionResponse(response, await this.interaction.login(context));
  }

  /**
   * Sends the user to sign in. If the request requires a login, the return URL gets a signed state which shows that the
   * user was sent to sign in. With `prompt=none`, or after too many prompts, the client gets `login_required` instead.
   */
  private async login(current: UserInteraction, required: RequiredInteraction): Promise<void> {
    const { context, response, user, signIn, promptState, binding, cookie } = current;
    const { authorization, returnTo } = context;
    const loginContext = { ...context, requestedLogin: required.requestedLogin ?? {}, returnTo };
    const browser = cookie.value ?? newCookieValue();
    const next = required.login ? this.promptStates.next(promptState, { binding, signIn, browser }) : undefined;
    if (required.silent || (required.login && next === undefined)) {
      await this.server.decide(authorization, { user, error: loginRequired() }, response);
    }
    if (next !== undefined) loginContext.returnTo = withPromptState(returnTo, next);
    writeInteractionResponse(response, await this.interaction.login(loginContext));
    // Set the cookie after the interaction has responded, so that the cookies of its response are kept.
    if (next !== undefined && cookie.value === undefined) cookie.issue(undefined, browser);
  }

  /**
   * Returns what the user has chosen before consent. `undefined` if the response is the page with the choice.
   * @throws {OAuthError} The error for the client, if the user cannot choose. The response contains it.
   */
  private async choose(
    native: NativeRequest,
    bound: BoundRequest,
    { context, response, user }: UserInteraction,
    { silent = false }: RequiredInteraction,
  ): Promise<Choices | undefined> {
    const binding = choiceBinding(user!, bound);
    const { value, isExpired } = readChoice(native, (token) => this.choiceTokens.isValid(token, binding));
    if (isExpired) reportEndpointRefusal(this.server.events, eventDetails(user!, context), invalidCsrfToken());
    const { page, error, ...chosen } = await this.interaction.choose!(user!, {
      ...context,
      choice: value,
      isExpired,
      silent,
      action: context.returnTo,
      csrfToken: this.choiceTokens.issue(binding),
    });
    if (error) await this.server.decide(context.authorization, { user, error }, response);
    if (page) writeInteractionResponse(response, page);
    return page ? undefined : chosen;
  }

  private async askForConsent(
    { context, response, user }: UserInteraction,
    { silent }: RequiredInteraction,
    binding: string,
  ): Promise<void> {
    if (silent) await this.server.decide(context.authorization, { user, error: consentRequired() }, response);
    const consentContext = { ...context, action: context.returnTo, csrfToken: this.csrfTokens.issue(binding) };
    writeInteractionResponse(response, await this.interaction.consent(user!, consentContext));
  }

  /**
   * Returns the user's decision, or `undefined` if the user must be asked. A posted form counts only with a valid CSRF
   * token. Without a form, an earlier consent counts, unless the client requests a new one. A user who allows a part of
   * the scope is not asked again for the rest.
   */
  private async findDecision(
    native: NativeRequest,
    {
      user,
      binding,
      context,
      required,
    }: { user: User; binding: string; context: InteractionContext; required: RequiredInteraction },
  ): Promise<'deny' | Allowed | undefined> {
    if (native.method !== 'POST' || required.silent || isChoiceForm(native.body)) {
      return required.consent ? undefined : allowedByConsent(await this.interaction.hasConsented?.(user, context));
    }
    const form = readDecision(native.body);
    if (!form) return undefined;
    if (!this.csrfTokens.isValid(form.csrfToken, binding) || !(await this.csrfTokens.consume(form.csrfToken))) {
      reportEndpointRefusal(this.server.events, eventDetails(user, context), invalidCsrfToken());
      return undefined;
    }
    if (form.decision === 'deny') return 'deny';
    const allowed = await readAllowedScope(this.interaction, native.body, user, context);
    if (!allowed) return 'deny';
    await this.interaction.saveConsent?.(user, context);
    this.server.report('consent.given', eventDetails(user, context));
    return allowed;
  }
}
