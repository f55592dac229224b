import { All, Controller, Inject, Req, Res, type Type, VERSION_NEUTRAL } from '@nestjs/common';
import { answerPreflight } from '../lib/endpoints/cross-origin.js';
import { toOAuthError } from '../lib/errors.js';
import { InvalidArgumentError, InvalidRequestError, OAuth2Server, Response } from '../lib/index.js';
import { Public } from './decorators/public.decorator.js';
import { reportRefused } from './event-log.js';
import { logFault } from './fault-log.js';
import { readForm } from './form-body.js';
import { isPreflight, sendAnswer, type Visit } from './cross-origin.js';
import { ENDPOINTS } from './endpoint.js';
import { type NativeRequest, refusal, toOAuthRequest } from './http-adapter.js';
import { InteractionFlow } from './interaction/interaction-flow.js';
import type { NativeReply } from './native-reply.js';
import type { OAuth2Paths } from './interfaces/oauth2-module-options.interface.js';

/**
 * The endpoints under these paths. They take the native request and answer through the native reply, so that no pipe,
 * interceptor or filter of the host can bend an OAuth answer; every method arrives, so that a wrong one gets one too.
 */
export function createController(paths: OAuth2Paths): Type<unknown> {
  @Public()
  @Controller({ version: VERSION_NEUTRAL })
  class OAuth2Controller {
    constructor(
      @Inject(OAuth2Server) private readonly server: OAuth2Server,
      @Inject(InteractionFlow) private readonly interaction: InteractionFlow | undefined,
    ) {}

    /** RFC 6749 §3.1 */
    @All(paths.authorize)
    authorize(@Req() native: NativeRequest, @Res() reply: NativeReply): Promise<void> {
      const { events } = this.server;
      const visit = { native, reply, endpoint: ENDPOINTS.authorize, facts: { cors: undefined, events } };
      return answer(visit, async (response) => {
        if (this.interaction) return this.interaction.handle(native, response);
        verifyUserIsAsked(this.server.options);
        return this.server.authorize(toOAuthRequest(native), response);
      });
    }

    /** RFC 6749 §3.2 */
    @All(paths.token)
    token(@Req() native: NativeRequest, @Res() reply: NativeReply): Promise<void> {
      const { events, options } = this.server;
      const visit = { native, reply, endpoint: ENDPOINTS.token, facts: { cors: options?.cors, events } };
      return answer(visit, (response) => this.server.token(toOAuthRequest(native), response));
    }
  }
  return OAuth2Controller;
}

/** Runs an operation and sends what it wrote; never throws. */
async function answer(visit: Visit, operation: (response: Response) => Promise<unknown>): Promise<void> {
  const { native, endpoint, facts } = visit;
  let response = new Response();
  try {
    if (endpoint.cors && facts.cors && isPreflight(native)) {
      answerPreflight(toOAuthRequest(native), response, endpoint.methods, facts.cors);
    } else {
      verifyMethod(native.method, endpoint.methods);
      await readForm(native);
      await operation(response);
    }
  } catch (error) {
    const failure = toOAuthError(error);
    const written = response.status !== 200 || response.get('location') !== undefined;
    if (!written) {
      response = refusal(failure);
      reportRefused(facts.events, { endpoint: endpoint.name }, failure);
    }
    logFault(failure);
    if (response.status === 405) response.set('Allow', endpoint.methods.join(', '));
  }
  sendAnswer(visit, response);
}

/** The engine would take an access token for the user's word, and give a code of any scope for it: nobody was asked. */
function verifyUserIsAsked({ authenticateHandler }: OAuth2Server['options']): void {
  if (authenticateHandler) return;
  throw new InvalidArgumentError(
    'Invalid argument: the authorization endpoint needs the option `interaction` or `authenticateHandler` to ask the user',
  );
}

function verifyMethod(method: string, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  throw new InvalidRequestError(`Invalid request: method must be ${methods.join(' or ')}`, { code: 405 });
}
