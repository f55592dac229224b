import { authenticateClient, claimedId, unauthorized } from '../clients/authenticate-client.js';
import type { ConsumeCredentials } from '../contracts/client-authentication.js';
import { isPublic } from '../clients/none.js';
import { errorResponse, sayRetryAfter, wireCode } from '../http/error-response.js';
import { InvalidClientError, InvalidRequestError, type OAuthError, toOAuthError } from '../errors/index.js';
import { isHeard, refusedAt, report, reportRefusal, shortText } from '../events/events.js';
import { isForm } from '../http/media-type.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, CoreClient, Falsy } from '../model/model.js';
import { Operation, verifyWrappers } from './operation.js';
import { allowOrigin, verifyOrigin } from './cross-origin.js';
import { ClientRequest } from '../contracts/client-request.js';

/** A client posts a form and proves who it is; the answer is JSON that nobody may keep. RFC 6749 §3.2, §5.1 */
export abstract class BackChannelEndpoint<Result> extends Operation<Result> {
  /** Its id, for the operator. */
  protected abstract readonly id: string;

  /**
   * Whether `serve()` calls `consumeCredentials()` itself, because some of its checks come first: a client that fails them, as with
   * `use_dpop_nonce`, retries with the same client assertion. By default, credentials are consumed before `serve()`. RFC 9449 §8
   */
  protected readonly consumesCredentials: boolean = false;

  /**
   * The ids of the endpoints whose URLs the specification of this endpoint accepts as `aud` of a client assertion, besides the issuer.
   * RFC 9126 §2, CIBA §7.1
   */
  protected readonly audienceEndpoints: readonly string[] = [];

  /** Returns the context of a request. An endpoint may return one of its own class, which `serve()` then receives. */
  protected requestOf(...given: ConstructorParameters<typeof ClientRequest>): ClientRequest {
    return new ClientRequest(...given);
  }

  /** Does what the client asks for. */
  protected abstract serve(exchange: ClientRequest): Awaitable<Result>;
  /** Says what was done; text is of the type that is written beside it. */
  protected abstract bodyOf(result: Result, exchange: ClientRequest): object | string;
  /** Tells the operator what was done; asked only where there are listeners. */
  protected reportDone?(exchange: ClientRequest, result: Result): void;

  /** May this client go without proof here? Unless an endpoint says otherwise, those may that declare they have none. */
  protected excuses(client: CoreClient | Falsy, request: Request): boolean;
  protected excuses(client: CoreClient | Falsy): boolean {
    return Boolean(client) && isPublic(client as CoreClient);
  }

  async handle(request: Request, response: Response): Promise<Result> {
    verifyWrappers(request, response);
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    const { options, server } = this;
    const cors = options.cors && server.endpoints.get(this.id)?.cors ? options.cors : undefined;
    if (cors) allowOrigin(request, response, cors);
    let exchange: ClientRequest | undefined;
    try {
      verifyFormPost(request);
      const { client, proof, consume } = await authenticateClient(request, options, this.ways());
      exchange = this.requestOf(request, response, options, server.issuerOf(request), client, proof, server);
      if (consume) this.unconsumed.set(exchange, consume);
      else this.reportAuthenticated(exchange);
      if (cors) verifyOrigin(exchange);
      if (!this.consumesCredentials) await this.consumeCredentials(exchange);
      const result = await this.serve(exchange);
      response.body = this.bodyOf(result, exchange);
      if (options.events) this.reportDone?.(exchange, result);
      return result;
    } catch (error) {
      const failure = toOAuthError(error);
      response.status = failure.code;
      response.body = errorResponse(failure);
      if (failure.code === 401) challenge(response, failure);
      sayRetryAfter(response, failure);
      if (options.events) this.reportRefused(request, exchange, failure);
      throw failure;
    }
  }

  /**
   * Completes client authentication: consumes single-use credentials, if the client sent such, and reports the client.
   * @throws InvalidClientError If the credentials were used before.
   */
  protected async consumeCredentials(exchange: ClientRequest): Promise<void> {
    const consume = this.unconsumed.get(exchange);
    if (!consume) return;
    try {
      await consume();
    } catch (error) {
      throw unauthorized(error);
    }
    this.unconsumed.delete(exchange);
    this.reportAuthenticated(exchange);
  }

  private readonly unconsumed = new WeakMap<ClientRequest, ConsumeCredentials>();

  private ways() {
    return {
      server: this.server,
      audienceEndpoints: this.audienceEndpoints,
      excuses: (client: CoreClient | Falsy, request: Request) => this.excuses(client, request),
    };
  }

  private reportAuthenticated({ client, issuer, proof }: ClientRequest): void {
    const { events } = this.options;
    if (proof === 'none' || !isHeard(events, 'client.authenticated')) return;
    report(events, 'client.authenticated', { endpoint: this.id, issuer, clientId: client.id, method: proof });
  }

  private reportRefused(request: Request, exchange: ClientRequest | undefined, error: OAuthError): void {
    const { client, issuer = this.options.issuer } = exchange ?? {};
    const isAuthenticated = exchange !== undefined && !this.unconsumed.has(exchange);
    const name = isAuthenticated || !(error instanceof InvalidClientError) ? refusedAt(this.id) : 'client.refused';
    reportRefusal(this.options.events, name, error, () => {
      const { grant_type: grantType, scope } = (request.body ?? {}) as Record<string, unknown>;
      return {
        endpoint: this.id,
        issuer,
        clientId: client?.id ?? claimedId(request, this.server.clientAuthentications),
        grantType: shortText(grantType),
        scope: shortText(scope),
      };
    });
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
