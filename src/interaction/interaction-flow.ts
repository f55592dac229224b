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

/** Answers authorization requests by asking the host's interaction who is signed in and what they agree to. */
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

  /** Writes the answer to `response`; throws what the engine or the interaction throws. */
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
      // What follows a form is fetched, never posted: a browser may repeat a post at a 302. RFC 9700 §4.12
      if (native.method === 'POST' && response.get('location') !== undefined) response.status = 303;
    }
  }

  /** Makes a page of a refusal that is told to the browser, where the host has one. */
  async showError(error: OAuthError, native: NativeRequest, response: Response): Promise<void> {
    if (!this.interaction.showError) return;
    const answer = await this.interaction.showError(error, { request: native });
    writeInteractionResponse(response, { status: response.status, ...answer });
  }

  private async respond(native: NativeRequest, response: Response): Promise<void> {
    const { query, url, promptState: ticket } = readAuthorizationParameters(native);
    const request = new Request({ headers: native.headers, method: 'GET', query, native });
    verifySender(native, request, response, this.server);
    const { asked, failure, silent } = await this.read(request, response);
    // As the browser sees it, before whose eyes a proxy may have taken the path of the issuer off.
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

    // From here on `asked.grantableScope` is what this user can grant. It may be more or less than the requested scope.
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

  /** Reads the request. An error that may be returned to the client once the user is authenticated is returned with what was read. */
  private async read(request: Request, response: Response): Promise<Partial<DeferredRequest> & ReadRequest> {
    try {
      return { asked: await this.server.readAuthorizationRequest(request, response) };
    } catch (error) {
      const deferred = deferredRequestOf(error);
      if (!deferred) throw error;
      return { ...deferred, failure: error as OAuthError };
    }
  }

  /**
   * Handles an invalid request of a client that has registered itself: the user signs in first, then the error is returned to the client.
   * RFC 9700 §4.11.2
   */
  private async returnErrorToClient(
    error: OAuthError,
    { context, response, user, silent }: InvalidRequest,
  ): Promise<void> {
    if (user) await this.server.decide(context.authorization, { user, error }, response);
    if (silent) throw error;
    writeInteractionResponse(response, await this.interaction.login(context));
  }

  /** Sends the user to sign in; where they are to do so for this request, the address they come back by shows that. */
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
    // Behind the answer, whose own cookies stay.
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

  /** A form decides only with a good ticket; without a form, only what the user agreed to before. */
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

/** What the operator is told of a decision. */
function eventDetails(user: User, { authorization }: InteractionContext) {
  const { client, issuer, grantableScope: scope } = authorization;
  return { endpoint: 'authorize', issuer, clientId: client.id, userId: user['id'] as unknown, scope };
}

/** An authorization request, and the error if it is invalid. */
interface ReadRequest {
  readonly asked: AuthorizationRequest;
  readonly failure?: OAuthError;
}

/** A browser that came with an invalid request. */
interface InvalidRequest {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  silent: boolean | undefined;
}

/** Somebody who came with an authorization request. */
interface UserInteraction {
  context: InteractionContext;
  response: Response;
  user: User | undefined;
  signIn: SignIn | undefined;
  ticket: string | undefined;
  /** Names the request. */
  request: string;
  /** Ties prompt tickets to the browser. */
  cookie: BrowserCookie;
}
