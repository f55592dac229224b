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
import type { RequestRate } from '../../http/window-counts.js';
import { PUSHED_REQUEST_URI_PREFIX } from '../../endpoints/authorization/pushed-request-uri.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { asRequest, readPushedParameters } from './pushed-parameters.js';
import type { PushedParameters, PushedRequest, PushedRequestModel } from './pushed-request.js';

/** What a push endpoint is made with. */
interface PushEndpointSettings {
  /** Seconds in which a pushed request must be opened. */
  lifetime: number;
  /** Seconds that a request is kept which was opened in time. */
  interactionLifetime: number;
  /** Requests that are only being checked: their `request_uri` is not known yet. */
  requestsInValidation: WeakSet<Request>;
  /** How many requests public clients may push from one network. */
  rate: RequestRate | false;
}

/** Takes authorization requests from the clients themselves: what a browser brings later is no more than a name. RFC 9126 §2 */
export class PushEndpoint extends BackChannelEndpoint<PushedRequest> {
  protected readonly id = 'pushed_authorization_request';
  /** The policy is that of the token endpoint, where the client redeems the authorization code. RFC 9126 §2 */
  protected override readonly clientAuthentication = (client: CoreClient | Falsy): boolean =>
    mayBeUnauthenticated(client, 'authorization_code', this.options);
  protected override readonly consumesCredentials = true;
  protected override readonly audienceEndpoints = ['token', this.id];
  // What is refused is told to the client here, and to the operator once.
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
    // Beside a request object stands what the client proves itself by, and that may be all. RFC 9126 §3
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

  /** The parameters, which may be those of a request object that is pushed: it is read once, and here. RFC 9126 §3 */
  private async parametersOf(
    clientRequest: ClientRequest,
    { clientId, requestUri }: Pick<PushedRequest, 'clientId' | 'requestUri'>,
  ): Promise<PushedParameters> {
    const parameters = { ...readPushedParameters(clientRequest.request.body), client_id: clientId };
    const sent = asRequest({ parameters, requestUri }, clientRequest.request);
    this.settings.requestsInValidation.add(sent);
    const resolved = await resolveRequest(sent, this.server);
    const { request } = resolved;
    const pushed = request === sent ? { ...parameters } : { ...(request.query as PushedParameters) };
    // These may ask for a retry (`use_dpop_nonce`): the client then sends the same assertion and the same request object.
    for (const complete of this.server.hooks.pushedRequest.complete) await complete(clientRequest, pushed);
    await this.consumeCredentials(clientRequest);
    if (resolved.consume && !(await resolved.consume()))
      throw new InvalidRequestError('Invalid request: it was pushed before');
    return pushed;
  }

  protected bodyOf({ requestUri }: PushedRequest): object {
    return { request_uri: requestUri, expires_in: Math.floor(this.settings.lifetime) };
  }

  /** Checks a request as the authorization endpoint will, which does it again: much may change until then. RFC 9126 §2.1, §7.4 */
  private async validate(request: Request, client: CoreClient): Promise<void> {
    const nowhere = new Response();
    this.settings.requestsInValidation.add(request);
    try {
      const transaction = await openTransaction(this.context, request, nowhere);
      verifySameClient(transaction.client, client);
      await transaction.read(nowhere);
      await transaction.verifyScope(nowhere);
    } catch (error) {
      // The client has proven who it is: what is wrong with it there is wrong with the request here. RFC 9126 §2.3
      if (!(error instanceof InvalidClientError)) throw error;
      const failure = new InvalidRequestError(error.message.replace(/^Invalid client/, 'Invalid request'));
      throw failure.because(
        OAuthError.detailOf(error) ?? { reason: 'the authorization endpoint would serve the client' },
      );
    }
  }
}

/** By the very id: two ids that are missing are not the same. */
function verifySameClient(named: CoreClient, authenticated: CoreClient): void {
  if (named.id !== undefined && named.id !== null && String(named.id) === String(authenticated.id)) return;
  const reason = 'the `client_id` of the request is that of the client that pushes it';
  throw new InvalidRequestError('Invalid request: `client_id` is of another client').because({ reason });
}
