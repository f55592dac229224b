import { authenticateClient, claimedId } from '../clients/authenticate-client.js';
import { errorResponse, sayRetryAfter, wireCode } from '../error-response.js';
import { InvalidClientError, InvalidRequestError, type OAuthError, toOAuthError } from '../errors.js';
import { isHeard, refusalEvent, report, shortText } from '../events.js';
import { isForm } from '../http/media-type.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, Client } from '../model/model.js';
import { Operation, verifyWrappers } from '../operation.js';
import { allowOrigin, verifyOrigin } from './cross-origin.js';

/** A client posts a form and proves who it is; the answer is JSON that nobody may keep. RFC 6749 §3.2, §5.1 */
export abstract class BackChannelEndpoint<Result> extends Operation<Result> {
  /** Does what the client asks for. */
  protected abstract serve(request: Request, client: Client): Awaitable<Result>;
  /** Says what was done. */
  protected abstract bodyOf(result: Result): object;
  /** Tells the operator what was done; asked only where there are listeners. */
  protected reportDone?(request: Request, client: Client, result: Result): void;

  async handle(request: Request, response: Response): Promise<Result> {
    verifyWrappers(request, response);
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    const { cors } = this.options;
    if (cors) allowOrigin(request, response, cors);
    let client: Client | undefined;
    try {
      verifyFormPost(request);
      client = await authenticateClient(request, this.options);
      if (cors) verifyOrigin(request, client, this.options);
      const result = await this.serve(request, client);
      response.body = this.bodyOf(result);
      if (this.options.events) this.reportDone?.(request, client, result);
      return result;
    } catch (error) {
      const failure = toOAuthError(error);
      response.status = failure.code;
      response.body = errorResponse(failure);
      if (failure.code === 401) challenge(response, failure);
      sayRetryAfter(response, failure);
      if (this.options.events) this.reportRefusal(request, client, failure);
      throw failure;
    }
  }

  /** A fault is no refusal: it is the host's to log. */
  private reportRefusal(request: Request, client: Client | undefined, error: OAuthError): void {
    const { events } = this.options;
    const name = client || !(error instanceof InvalidClientError) ? 'token.refused' : 'client.refused';
    if (error.code >= 500 || !isHeard(events, name)) return;
    const { grant_type: grantType, scope } = (request.body ?? {}) as Record<string, unknown>;
    const facts = {
      endpoint: 'token',
      clientId: client?.id ?? claimedId(request),
      grantType: shortText(grantType),
      scope: shortText(scope),
    };
    report(events, name, refusalEvent(error, facts));
  }
}

/** Asks for the one scheme that every client may use, and says what was wrong. RFC 6749 §5.2 */
function challenge(response: Response, error: OAuthError): void {
  response.headers['www-authenticate'] = `Basic realm="Service", error="${wireCode(error)}"`;
}

function verifyFormPost(request: Request): void {
  if (String(request.method).toUpperCase() !== 'POST')
    throw new InvalidRequestError('Invalid request: method must be POST');
  if (!isForm(request.get('content-type'))) {
    throw new InvalidRequestError('Invalid request: content must be application/x-www-form-urlencoded');
  }
}
