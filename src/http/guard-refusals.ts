import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  type InjectionToken,
  Logger,
  type Type,
} from '@nestjs/common';

import { createErrorResponse, reportEndpointRefusal, toOAuthError } from '../../lib/internal.js';
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
 * Returns an exception filter for one endpoint. It turns the exceptions of the application's guards, such as the 429 of
 * a throttler, into OAuth errors, because clients cannot read others. Headers that the guard has set are kept.
 * RFC 6749 §5.2
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
      if (failure instanceof AccessDeniedError) warnOnce(this.server, endpoint, failure.code);
      const response = createErrorResponse(failure);
      reportEndpointRefusal(events, { endpoint: endpoint.name }, failure);
      logServerError(failure);
      // Nest does not await exception filters and ignores their errors.
      if (endpoint.name === 'authorize') await this.interaction?.showError(failure, native, response).catch(logCause);
      addRetryAfter(reply);
      sendWithCorsHeaders({ native, reply, endpoint, settings: { cors: options?.cors, events } }, response);
    }
  }
  return GuardRefusals;
}

/** The servers for which a refusal of a guard was logged. */
const warned = new WeakSet<OAuth2Server>();

/**
 * Logs a guard that requires a login at the endpoints, which is not visible at the start. Logged once for each server,
 * because any client can cause it at any rate.
 */
function warnOnce(server: OAuth2Server, { path }: Endpoint, status: number): void {
  if (warned.has(server)) return;
  warned.add(server);
  new Logger('OAuth2').warn(
    `A guard of the application rejected a request to /${path} with ${status}. The OAuth endpoints verify clients and users ` +
      'themselves, so let the guard accept handlers and controllers with the metadata `OAUTH2_METADATA.public`.',
  );
}

const logCause = (error: unknown) => logServerError(toOAuthError(error));

/**
 * Returns the OAuth error for an exception. The message of the exception is sent to the client, except for server
 * errors.
 */
function toFailure(exception: HttpException): OAuthError {
  const code = exception.getStatus();
  if (code === 429 || code === 503) return new TemporarilyUnavailableError(exception.message, { code });
  if (code >= 500) return new ServerError(exception, { code });
  return code === 401 || code === 403
    ? new AccessDeniedError(exception.message, { code })
    : new InvalidRequestError(exception.message, { code });
}
