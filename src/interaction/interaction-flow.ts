import {
  type AuthorizationRequest,
  InvalidArgumentError,
  type OAuth2Server,
  type OAuthError,
  Request,
  type Response,
  type User,
} from '../../lib/index.js';
import { userDenied } from '../../lib/endpoints/authorize-events.js';
import { toOAuthError } from '../../lib/errors.js';
import { endpointPath } from '../../lib/http/public-url.js';
import { isHeard, report } from '../../lib/events.js';
import { reportRefused } from '../event-log.js';
import { type NativeRequest, toOAuthRequest } from '../http-adapter.js';
import type { InteractionContext, OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import { withContext } from '../oauth2-context.js';
import { readAuthorizationParameters } from './authorization-parameters.js';
import { badTicket, type Decision, readDecision } from './consent-form.js';
import { ConsentTickets } from './consent-ticket.js';
import { verifySender } from './decision-sender.js';
import { showAnswer } from './interaction-answer.js';

/** Answers authorization requests by asking the host's interaction who is signed in and what they agree to. */
export class InteractionFlow {
  private readonly tickets: ConsentTickets;

  constructor(
    private readonly server: OAuth2Server,
    private readonly interaction: OAuth2Interaction,
    secret: string,
  ) {
    this.tickets = new ConsentTickets(secret, server.options?.model);
  }

  /** Writes the answer to `response`; throws what the engine or the interaction throws. */
  async handle(native: NativeRequest, response: Response): Promise<void> {
    return withContext(this.server, toOAuthRequest(native), () => this.run(native, response));
  }

  private async run(native: NativeRequest, response: Response): Promise<void> {
    try {
      await this.answer(native, response);
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
    showAnswer(response, { status: response.status, ...answer });
  }

  private async answer(native: NativeRequest, response: Response): Promise<void> {
    const { query, url } = readAuthorizationParameters(native);
    const request = new Request({ headers: native.headers, method: 'GET', query, native });
    verifySender(native, request, response, this.server);
    const asked = await this.server.readAuthorizationRequest(request, response);
    // As the browser sees it, before whose eyes a proxy may have taken the path of the issuer off.
    const returnTo = asked.issuer === undefined ? url : endpointPath(asked.issuer, url);
    const context: InteractionContext = { authorization: asked, request: native, returnTo };
    const user = await this.interaction.findUser(context);
    if (!user) return showAnswer(response, await this.interaction.login(context));

    // From here the scope is what this user can grant: it may be more or less than was asked for.
    asked.scope = await this.server.grantableScope(asked, user, response);
    const subject = subjectOf(user, { asked, request, returnTo });
    const decision = await this.findDecision(native, { user, subject, context });
    if (decision) {
      await this.server.decide(asked, decision === 'deny' ? { user, error: userDenied() } : { user }, response);
    } else {
      const ticket = this.tickets.issue(subject);
      showAnswer(response, await this.interaction.consent(user, { ...context, action: returnTo, ticket }));
    }
  }

  /** A form decides only with a good ticket; without a form, only what the user agreed to before. */
  private async findDecision(
    native: NativeRequest,
    { user, subject, context }: { user: User; subject: string; context: InteractionContext },
  ): Promise<Decision | undefined> {
    if (native.method !== 'POST') {
      return (await this.interaction.hasConsented?.(user, context)) === true ? 'allow' : undefined;
    }
    const form = readDecision(native.body);
    if (!form) return undefined;
    if (!this.tickets.isGood(form.ticket, subject) || !(await this.tickets.spend(form.ticket))) {
      reportRefused(this.server.events, factsOf(user, context), badTicket());
      return undefined;
    }
    if (form.decision === 'deny') return 'deny';
    await this.interaction.saveConsent?.(user, context);
    const { events } = this.server;
    if (isHeard(events, 'consent.given')) report(events, 'consent.given', factsOf(user, context));
    return 'allow';
  }
}

/** What the operator is told of a decision. */
function factsOf(user: User, { authorization: { client, scope, issuer } }: InteractionContext) {
  return { endpoint: 'authorize', issuer, clientId: client.id, userId: user['id'] as unknown, scope };
}

/** What a user is asked, by which request, and where. */
interface Question {
  asked: AuthorizationRequest;
  request: Request;
  returnTo: string;
}

/** What a ticket is good for: this user, what they were shown, every parameter of the request, and only here. */
function subjectOf(user: User, { asked, request, returnTo }: Question): string {
  const id: unknown = user['id'];
  if ((typeof id !== 'string' || id === '') && typeof id !== 'number') {
    throw new InvalidArgumentError(
      'Invalid argument: the interaction method `findUser()` must return a user with an `id`',
    );
  }
  const { client, redirectUri, scope, issuer } = asked;
  const [path] = returnTo.split('?', 1);
  const subject = [issuer ?? null, path, String(id), client.id, redirectUri, scope ?? null, sorted(request.query)];
  // One that stands for another says little itself, and may stand for a third tomorrow.
  if (asked.request !== request) subject.push(sorted(asked.request.query));
  return JSON.stringify(subject);
}

const sorted = (query: object) => Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1));
