import { mayBeUnauthenticated } from '../../clients/none.js';
import { PublicClientRate } from '../../clients/public-client-rate.js';
import { resolveRequest } from '../../endpoints/authorization/resolve-request.js';
import { AuthorizationContext } from '../../endpoints/authorization/authorization-context.js';
import { openTransaction } from '../../endpoints/authorization/open-transaction.js';
import { BackChannelEndpoint } from '../../endpoints/back-channel-endpoint.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidClientError, InvalidRequestError, OAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import { Response } from '../../http/response.js';
import type { CoreClient, Falsy, Model } from '../../model/model.js';
import type { RequestRate } from '../../limits/memory-counts.js';
import { PUSHED_REQUEST_URI_PREFIX } from '../../endpoints/authorization/pushed-request-uri.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { asRequest, readPushedParameters } from './pushed-parameters.js';
import type { PushedParameters, PushedRequest, PushedRequestModel } from './pushed-request.js';

/** The settings of the pushed authorization request endpoint. */
interface PushEndpointSettings {
  /** Seconds in which the browser must open a pushed request. */
  lifetime: number;
  /** Seconds for which an opened request is stored after `lifetime`. */
  interactionLifetime: number;
  /** Requests that are only being validated. Their `request_uri` is not stored yet, so it must not be looked up. */
  requestsInValidation: WeakSet<Request>;
  /** How many requests public and self-registered clients may push from one network. `false`: any number. */
  rate: RequestRate | false;
}

/**
 * The endpoint at which clients push authorization requests. The browser then sends only the `request_uri`. RFC 9126 §2
 */
export class PushEndpoint extends BackChannelEndpoint<PushedRequest> {
  protected readonly id = 'pushed_authorization_request';
  /** Public clients follow the policy of the token endpoint, where they redeem the authorization code. RFC 9126 §2 */
  protected override readonly clientAuthentication = (client: CoreClient | Falsy): boolean =>
    mayBeUnauthenticated(client, 'authorization_code', this.options);
  protected override readonly consumesCredentials = true;
  protected override readonly audienceEndpoints = ['token', this.id];
  // Without events: this endpoint reports a refusal itself, once.
  private readonly context = new AuthorizationContext({ ...this.options, events: undefined }, this.server, true);

  private readonly rate: PublicClientRate;

  constructor(
    server: ServerContext,
    private readonly settings: PushEndpointSettings,
  ) {
    super(server.options, server);
    this.rate = new PublicClientRate(settings.rate);
  }

  protected async serve(clientRequest: ClientRequest): Promise<PushedRequest> {
    this.rate.verify(clientRequest);
    const { client, issuer, parameters, request, response } = clientRequest;
    const { lifetime, interactionLifetime } = this.settings;
    const requestUri = PUSHED_REQUEST_URI_PREFIX + opaqueToken();
    // A pushed request object contains the client ID, so the form may contain only the credentials. RFC 9126 §3
    const isObject = parameters.optional('request') !== undefined;
    const clientId = parameters.optional('client_id') ?? (isObject ? client.id : parameters.required('client_id'));
    const now = Date.now();
    const pushed: PushedRequest = {
      requestUri,
      clientId,
      parameters: await this.parametersOf(clientRequest, { clientId, requestUri }),
      openUntil: new Date(now + lifetime * 1000),
      expiresAt: new Date(now + (lifetime + interactionLifetime) * 1000),
    };
    if (issuer !== undefined) pushed.issuer = issuer;
    await this.validate(asRequest(pushed, request), client);
    await (this.options.model as Model & PushedRequestModel).savePushedRequest(pushed);
    response.status = 201;
    return pushed;
  }

  /**
   * Returns the parameters of the pushed request. If it is a request object, the parameters in it are returned, and it
   * is consumed. Also consumes the client's single-use credentials. RFC 9126 §3
   */
  private async parametersOf(
    clientRequest: ClientRequest,
    { clientId, requestUri }: Pick<PushedRequest, 'clientId' | 'requestUri'>,
  ): Promise<PushedParameters> {
    const parameters = { ...readPushedParameters(clientRequest.request.body), client_id: clientId };
    const pushedRequest = asRequest({ parameters, requestUri }, clientRequest.request);
    this.settings.requestsInValidation.add(pushedRequest);
    const resolved = await resolveRequest(pushedRequest, this.server);
    const { request } = resolved;
    const pushed = request === pushedRequest ? { ...parameters } : { ...(request.query as PushedParameters) };
    // Run these hooks first: after `use_dpop_nonce`, the client sends the same assertion and request object again.
    for (const complete of this.server.hooks.pushedRequest.complete) await complete(clientRequest, pushed);
    await this.consumeCredentials(clientRequest);
    if (resolved.consume && !(await resolved.consume()))
      throw new InvalidRequestError('Invalid request: this request object was already used');
    return pushed;
  }

  protected bodyOf({ requestUri }: PushedRequest): object {
    return { request_uri: requestUri, expires_in: Math.floor(this.settings.lifetime) };
  }

  /**
   * Validates a request like the authorization endpoint does. That endpoint validates it again, because the request may
   * become invalid in the meantime. RFC 9126 §2.1, §7.4
   */
  private async validate(request: Request, client: CoreClient): Promise<void> {
    const unusedResponse = new Response();
    this.settings.requestsInValidation.add(request);
    try {
      const transaction = await openTransaction(this.context, request, unusedResponse);
      verifySameClient(transaction.client, client);
      await transaction.read(unusedResponse);
      await transaction.verifyScope(unusedResponse);
    } catch (error) {
      // The client is authenticated, so the error is one of the request. RFC 9126 §2.3
      if (!(error instanceof InvalidClientError)) throw error;
      const failure = new InvalidRequestError(error.message.replace(/^Invalid client/, 'Invalid request'));
      throw failure.because(
        OAuthError.detailOf(error) ?? { reason: 'the authorization endpoint does not accept requests of this client' },
      );
    }
  }
}

/**
 * Verifies that the `client_id` in the request is the authenticated client. Two missing IDs are not equal.
 * @throws {InvalidRequestError} If it is not.
 */
function verifySameClient(requested: CoreClient, authenticated: CoreClient): void {
  if (requested.id !== undefined && requested.id !== null && String(requested.id) === String(authenticated.id)) return;
  const reason = '`client_id` of the request is not the authenticated client';
  throw new InvalidRequestError('Invalid request: `client_id` belongs to another client').because({ reason });
}
