import {
  consentRequired,
  type DeferredRequest,
  deferredRequestOf,
  endpointPath,
  loginRequired,
  reportEndpointRefusal,
  toOAuthError,
  userDenied,
} from '../../lib/adapter/index.js';
import {
  type AuthorizationRequest,
  type RequiredInteraction,
  type OAuth2Server,
  type OAuthError,
  Request,
  type Response,
  type SignIn,
  type User,
} from '../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import type { InteractionContext, OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import { withContext } from '../module/oauth2-context.js';
import { BrowserCookie, newCookieValue } from '../pages/browser-cookie.js';
import { readAuthorizationParameters } from './authorization-parameters.js';
import { invalidCsrfToken, type Decision, readDecision } from './consent-form.js';
import { ConsentCsrfTokens } from './signed-tokens.js';
import { verifySender } from './decision-sender.js';
import { writeInteractionResponse } from './interaction-response.js';
import { PromptStates, withPromptState } from './prompt-state.js';
import { consentBinding, requestBinding } from './token-bindings.js';

/**
 * Handles authorization requests. It calls the application's interaction to find the signed-in user, to show the login
 * and consent pages, and to read the decision.
 */
export class InteractionFlow {
  private readonly csrfTokens: ConsentCsrfTokens;
  private readonly promptStates: PromptStates;

  constructor(
    private readonly server: OAuth2Server,
    private readonly interaction: OAuth2Interaction,
    secret: string,
  ) {
    this.csrfTokens = new ConsentCsrfTokens(secret, server.options?.model);
    this.promptStates = new PromptStates(secret, server.options?.model);
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
    const answer = await this.interaction.showError(error, { request: native });
    writeInteractionResponse(response, { status: response.status, ...answer });
  }

  private async respond(native: NativeRequest, response: Response): Promise<void> {
    const { query, url, promptState: ticket } = readAuthorizationParameters(native);
    const request = new Request({ headers: native.headers, method: 'GET', query, native });
    verifySender(native, request, response, this.server);
    const { authorizationRequest: asked, failure, silent } = await this.read(request, response);
    // The URL as the browser sees it. A proxy may have removed the path of the issuer.
    const returnTo = asked.issuer === undefined ? url : endpointPath(asked.issuer, url);
    const context: InteractionContext = { authorization: asked, request: native, returnTo, wanted: {} };
    const user = (await this.interaction.findUser(context)) || undefined;
    if (failure) return this.returnErrorToClient(failure, { context, response, user, silent });
    const signIn = user && ((await this.interaction.howSignedIn?.(user, context)) || undefined);
    const question = { asked, request, returnTo };
    const cookie = new BrowserCookie(request, response, this.server.context, 'oauth2-prompt');
    const visit = { context, response, user, signIn, ticket, request: requestBinding(question), cookie };
    const prompted = this.promptStates.read(ticket, visit.request, cookie.value);
    const need = await this.server.requiredInteraction(asked, { user, signIn, loginPrompt: prompted }, response);
    if (!user || need.login) return this.login(visit, need);

    // From here on, `grantableScope` is what this user can grant. It may be more or less than the requested scope.
    await this.server.grantableScope(asked, user, response);
    if (prompted) context.returnTo = withPromptState(returnTo, ticket!);
    if (need.requestedLogin) context.wanted = need.requestedLogin;
    const subject = consentBinding(user, question);
    const decision = await this.findDecision(native, { user, subject, context, need });
    if (!decision) return this.askForConsent(visit, need, subject);
    if (prompted && !(await this.promptStates.consume(ticket!))) {
      const again = await this.server.requiredInteraction(asked, { user, signIn }, response);
      if (again.login) return this.login({ ...visit, ticket: undefined }, again);
    }
    await this.server.decide(asked, decision === 'deny' ? { user, error: userDenied() } : { user, signIn }, response);
  }

  /**
   * Reads the authorization request. If it is invalid and its error may be returned to the client once the user is
   * authenticated, the error is returned with the request.
   */
  private async read(request: Request, response: Response): Promise<Partial<DeferredRequest> & ReadRequest> {
    try {
      return { authorizationRequest: await this.server.readAuthorizationRequest(request, response) };
    } catch (error) {
      const deferred = deferredRequestOf(error);
      if (!deferred) throw error;
      return { ...deferred, failure: error as OAuthError };
    }
  }

  /**
   * Handles an invalid request of a self-registered client. The user signs in first, then the error is returned to the
   * client. RFC 9700 §4.11.2
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
   * user was sent to sign in.
   */
  private async login(visit: UserInteraction, need: RequiredInteraction): Promise<void> {
    const { context, response, user, signIn, ticket, request, cookie } = visit;
    const { authorization, returnTo } = context;
    const wanted = { ...context, wanted: need.requestedLogin ?? {}, returnTo };
    const browser = cookie.value ?? newCookieValue();
    const next = need.login ? this.promptStates.next(ticket, { subject: request, signIn, browser }) : undefined;
    if (need.silent || (need.login && next === undefined)) {
      await this.server.decide(authorization, { user, error: loginRequired() }, response);
    }
    if (next !== undefined) wanted.returnTo = withPromptState(returnTo, next);
    writeInteractionResponse(response, await this.interaction.login(wanted));
    // Set the cookie after the interaction has responded, so that the cookies of its response are kept.
    if (next !== undefined && cookie.value === undefined) cookie.issue(undefined, browser);
  }

  private async askForConsent(
    { context, response, user }: UserInteraction,
    { silent }: RequiredInteraction,
    subject: string,
  ): Promise<void> {
    if (silent) await this.server.decide(context.authorization, { user, error: consentRequired() }, response);
    const ticket = this.csrfTokens.issue(subject);
    writeInteractionResponse(
      response,
      await this.interaction.consent(user!, { ...context, action: context.returnTo, ticket }),
    );
  }

  /**
   * Returns the user's decision. A posted form counts only with a valid CSRF token. Without a form, an earlier consent
   * counts.
   */
  private async findDecision(
    native: NativeRequest,
    {
      user,
      subject,
      context,
      need,
    }: { user: User; subject: string; context: InteractionContext; need: RequiredInteraction },
  ): Promise<Decision | undefined> {
    if (native.method !== 'POST' || need.silent) {
      const isKnown = !need.consent && (await this.interaction.hasConsented?.(user, context)) === true;
      return isKnown ? 'allow' : undefined;
    }
    const form = readDecision(native.body);
    if (!form) return undefined;
    if (!this.csrfTokens.isValid(form.ticket, subject) || !(await this.csrfTokens.consume(form.ticket))) {
      reportEndpointRefusal(this.server.events, eventDetails(user, context), invalidCsrfToken());
      return undefined;
    }
    if (form.decision === 'deny') return 'deny';
    await this.interaction.saveConsent?.(user, context);
    this.server.report('consent.given', eventDetails(user, context));
    return 'allow';
  }
}

/** Returns the details of a decision for its event. */
function eventDetails(user: User, { authorization }: InteractionContext) {
  const { client, issuer, grantableScope: scope } = authorization;
  return { endpoint: 'authorize', issuer, clientId: client.id, userId: user['id'] as unknown, scope };
}

/** An authorization request, with the error if it is invalid. */
interface ReadRequest {
  readonly authorizationRequest: AuthorizationRequest;
  readonly failure?: OAuthError;
}

/** An invalid authorization request and the state of its browser. */
interface InvalidRequest {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  silent: boolean | undefined;
}

/** An authorization request, the user's authentication state, and the response to the browser. */
interface UserInteraction {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  signIn: SignIn | undefined;
  ticket: string | undefined;
  /** The text that binds a prompt state to this authorization request. */
  request: string;
  /** The cookie that binds prompt states to the browser. */
  cookie: BrowserCookie;
}
