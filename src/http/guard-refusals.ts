import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  type InjectionToken,
  type Type,
} from '@nestjs/common';
import { createErrorResponse, reportEndpointRefusal, toOAuthError } from '../../lib/adapter/index.js';
import {
  AccessDeniedError,
  InvalidRequestError,
  type OAuth2Server,
  type OAuthError,
  ServerError,
  TemporarilyUnavailableError,
} from '../../lib/index.js';
import { sendWithCorsHeaders } from './cross-origin.js';
import type { Endpoint } from './endpoint.js';
import { logServerError } from '../operations/error-log.js';
import type { NativeRequest } from './http-adapter.js';
import { InteractionFlow } from '../interaction/interaction-flow.js';
import { addRetryAfter, type NativeReply } from './native-reply.js';

/**
 * A filter for one endpoint: what a guard of the host refuses there, a throttler's 429 say, is answered as OAuth has it, and
 * with the headers that the guard has set. Clients read nothing else there. RFC 6749 §5.2
 */
export function guardRefusals(endpoint: Endpoint, token: InjectionToken): Type<ExceptionFilter> {
  @Catch(HttpException)
  class GuardRefusals implements ExceptionFilter<HttpException> {
    constructor(
      @Inject(token) private readonly server: OAuth2Server,
      @Inject(InteractionFlow) private readonly interaction: InteractionFlow | undefined,
    ) {}

    async catch(exception: HttpException, host: ArgumentsHost): Promise<void> {
      const http = host.switchToHttp();
      const [native, reply] = [http.getRequest<NativeRequest>(), http.getResponse<NativeReply>()];
      const { events, options } = this.server;
      const failure = toFailure(exception);
      const response = createErrorResponse(failure);
      reportEndpointRefusal(events, { endpoint: endpoint.name }, failure);
      logServerError(failure);
      // Nest waits for no filter, and hears of none that fails.
      if (endpoint.name === 'authorize') await this.interaction?.showError(failure, native, response).catch(logCause);
      addRetryAfter(reply);
      sendWithCorsHeaders({ native, reply, endpoint, facts: { cors: options?.cors, events } }, response);
    }
  }
  return GuardRefusals;
}

const logCause = (error: unknown) => logServerError(toOAuthError(error));

/** The host's own words, which every exception of Nest has for clients; of a fault nobody is told more. */
function toFailure(exception: HttpException): OAuthError {
  const code = exception.getStatus();
  if (code === 429 || code === 503) return new TemporarilyUnavailableError(exception.message, { code });
  if (code >= 500) return new ServerError(exception, { code });
  return code === 401 || code === 403
    ? new AccessDeniedError(exception.message, { code })
    : new InvalidRequestError(exception.message, { code });
}
