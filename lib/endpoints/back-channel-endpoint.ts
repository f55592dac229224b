import { asUnauthorized, authenticateClient } from '../clients/authenticate-client.js';
import { findClaimedClientId } from '../clients/presented-credentials.js';
import type { ClientAuthenticationPolicy, ConsumeCredentials } from '../contracts/client-authentication.js';
import { InvalidClientError, InvalidRequestError } from '../errors/index.js';
import { type EventDetails, hasListener, reportEvent, shortText } from '../events/events.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable } from '../model/model.js';
import { FeatureEndpoint } from './feature-endpoint.js';
import { verifyOrigin } from './cross-origin.js';
import { ClientRequest, stateKey } from '../contracts/client-request.js';

/**
 * The state key for the function that consumes the client's single-use credentials. Its value is `undefined` once the
 * function was called, or if there is nothing to consume.
 */
const CONSUME_CREDENTIALS = stateKey<ConsumeCredentials | undefined>('consume client credentials');

/**
 * The base class of endpoints that clients call directly. It verifies the POST of a form, or of a JSON object,
 * authenticates the client and writes a JSON response that must not be cached. RFC 6749 §3.2, §5.1
 */
export abstract class BackChannelEndpoint<Result> extends FeatureEndpoint<Result> {
  /** Which clients may use this endpoint without client authentication. Default: `'public-allowed'` */
  protected readonly clientAuthentication: ClientAuthenticationPolicy = 'public-allowed';

  /**
   * Whether `serve()` calls `consumeCredentials()` itself, because some of its checks must come first: a client that
   * fails them, for example with `use_dpop_nonce`, retries with the same client assertion. By default, credentials are
   * consumed before `serve()`. RFC 9449 §8
   */
  protected readonly consumesCredentials: boolean = false;

  /**
   * The IDs of endpoints whose URLs are accepted as `aud` of a client assertion at this endpoint, in addition to the
   * issuer. Default: none. RFC 9126 §2, CIBA §7.1
   */
  protected readonly audienceEndpoints: readonly string[] = [];

  /** The class of the client request that `serve()` receives. Default: `ClientRequest`. */
  protected readonly requestClass: typeof ClientRequest = ClientRequest;

  /** Processes the request after client authentication, and returns the result. An error rejects the request. */
  protected abstract serve(clientRequest: ClientRequest): Awaitable<Result>;
  /** Builds the response body. A string is sent with the `Content-Type` already set on the response. */
  protected abstract bodyOf(result: Result, clientRequest: ClientRequest): object | string;
  /** Emits the events of a successful request. Called only if the server has event listeners. */
  protected reportDone?(clientRequest: ClientRequest, result: Result): void;

  async handle(request: Request, response: Response): Promise<Result> {
    const { options, server } = this;
    const cors = this.prepare(request, response);
    let clientRequest: ClientRequest | undefined;
    try {
      verifyPost(request);
      this.verifyContent(request);
      const { client, method, consume } = await authenticateClient(request, options, {
        server,
        audienceEndpoints: this.audienceEndpoints,
        clientAuthentication: this.clientAuthentication,
      });
      const issuer = server.issuerOf(request);
      clientRequest = new this.requestClass(request, response, options, issuer, client, method, server);
      if (consume) clientRequest.set(CONSUME_CREDENTIALS, consume);
      else this.reportAuthenticated(clientRequest);
      if (cors) verifyOrigin(clientRequest);
      if (consume && !this.consumesCredentials) await this.consumeCredentials(clientRequest);
      const result = await this.serve(clientRequest);
      response.body = this.bodyOf(result, clientRequest);
      if (options.events) this.reportDone?.(clientRequest, result);
      return result;
    } catch (error) {
      const isAuthenticated = clientRequest !== undefined && !this.hasCredentialsToConsume(clientRequest);
      throw this.fail(response, error, {
        scheme: 'Basic',
        ...(!isAuthenticated && error instanceof InvalidClientError && { name: 'client.refused' }),
        details: () => this.refusalDetails(request, clientRequest),
      });
    }
  }

  /** Whether the client sent single-use credentials, such as a client assertion, that are not consumed yet. */
  protected hasCredentialsToConsume(clientRequest: ClientRequest): boolean {
    return clientRequest.get(CONSUME_CREDENTIALS) !== undefined;
  }

  /**
   * Completes client authentication: consumes the client's single-use credentials, if it sent any, and emits
   * `client.authenticated`.
   * @throws {InvalidClientError} If the credentials were used before.
   */
  protected async consumeCredentials(clientRequest: ClientRequest): Promise<void> {
    const consume = clientRequest.get(CONSUME_CREDENTIALS);
    if (!consume) return;
    try {
      await consume();
    } catch (error) {
      throw asUnauthorized(error);
    }
    clientRequest.set(CONSUME_CREDENTIALS, undefined);
    this.reportAuthenticated(clientRequest);
  }

  private reportAuthenticated({ client, issuer, authenticationMethod: method }: ClientRequest): void {
    const { events } = this.options;
    if (method === 'none' || !hasListener(events, 'client.authenticated')) return;
    reportEvent(events, 'client.authenticated', { endpoint: this.id, issuer, clientId: client.id, method });
  }

  private refusalDetails(request: Request, clientRequest: ClientRequest | undefined): EventDetails {
    const { client, issuer = this.options.issuer } = clientRequest ?? {};
    const { grant_type: grantType, scope } = (request.body ?? {}) as Record<string, unknown>;
    return {
      endpoint: this.id,
      issuer,
      clientId: client?.id ?? findClaimedClientId(request, this.server.clientAuthentications),
      grantType: shortText(grantType),
      scope: shortText(scope),
    };
  }
}

function verifyPost(request: Request): void {
  if (String(request.method).toUpperCase() !== 'POST')
    throw new InvalidRequestError('Invalid request: method must be POST');
}
