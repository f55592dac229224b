import { grantNotAllowed } from '../../clients/grant-not-allowed.js';
import { BackChannelEndpoint } from '../../endpoints/back-channel-endpoint.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidScopeError, ServerError, UnauthorizedClientError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { deviceAuthorizationRequest } from '../../features/device-authorization/device-authorization-request.js';
import type {
  DeviceAuthorizationModel,
  NewDeviceAuthorization,
} from '../../features/device-authorization/device-model.js';
import type { CoreClient, Model, OnceModel, User } from '../../model/model.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { coversScope, requestedScope, verifyClientScope } from '../../tokens/scope.js';
import { subjectOf } from '../../tokens/subject.js';
import { OPENID_SCOPE } from '../scopes.js';
import { CIBA_ENDPOINT, findBackchannelRequest } from './backchannel-requests.js';
import { CIBA_GRANT } from './ciba-grant.js';
import type { CibaModel } from './ciba-model.js';
import { type BackchannelParameters, readBackchannelParameters } from './ciba-parameters.js';
import { findHintedUser, verifyUserCode } from './hinted-user.js';
import { encryptPing, type StoredBackchannelRequest, storageKeyOf } from './stored-request.js';
import type { CibaSettings } from './options.js';
import { SignedRequestReader } from './signed-request-reader.js';

/** The `auth_req_id` with which the client polls, and its lifetime in seconds. */
interface StartedAuthentication {
  authReqId: string;
  lifetime: number;
}

/**
 * The backchannel authentication endpoint: a client requests the authentication of a user on the user's own device.
 * CIBA §7
 */
export class CibaEndpoint extends BackChannelEndpoint<StartedAuthentication> {
  protected readonly id = CIBA_ENDPOINT;
  /** Only authenticated clients may request the authentication of a user. CIBA §7.1 */
  protected override readonly clientAuthentication = 'required';
  protected override readonly audienceEndpoints = ['token', CIBA_ENDPOINT];
  private readonly model = this.options.model as Model & DeviceAuthorizationModel & OnceModel & CibaModel;
  private readonly signed: SignedRequestReader;

  constructor(
    server: ServerContext,
    private readonly settings: CibaSettings,
  ) {
    super(server.options, server);
    this.signed = new SignedRequestReader(settings.signed, settings.fetch);
  }

  protected async serve(received: ClientRequest): Promise<StartedAuthentication> {
    verifyGrant(received.client);
    const clientRequest = await this.signed.read(received);
    const { client, parameters, request } = clientRequest;
    const requestScope = requestedScope(request);
    if (requestScope === undefined || !coversScope(requestScope, OPENID_SCOPE)) {
      throw new InvalidScopeError('Invalid scope: the scope must contain `openid`');
    }
    const scope = (await verifyClientScope(
      this.options,
      { client, scope: requestScope },
      this.server.ignorableScopes,
    ))!;
    const requested = readBackchannelParameters(parameters, client, this.settings);
    const user = await findHintedUser(clientRequest, this.server);
    await verifyUserCode(requested.userCode, user, { client, issuer: clientRequest.issuer, model: this.model });
    return await this.startAuthentication(clientRequest, { scope, requested, user });
  }

  protected bodyOf({ authReqId, lifetime }: StartedAuthentication): object {
    return { auth_req_id: authReqId, expires_in: lifetime, interval: this.settings.interval };
  }

  /** Stores the request, reads it again in the same way as for the user's decision, and asks the user. */
  private async startAuthentication(
    { client, issuer, parameters, request }: ClientRequest,
    authentication: AuthenticationRequest,
  ): Promise<StartedAuthentication> {
    const { scope, requested, user } = authentication;
    const authorizationRequest = deviceAuthorizationRequest(client, { requestedScope: scope, issuer, request });
    for (const read of this.server.hooks.authorization.read) {
      Object.assign(authorizationRequest.data, await read(parameters, authorizationRequest));
    }
    const [authReqId, id] = [opaqueToken(), opaqueToken()];
    const authorization: NewDeviceAuthorization = {
      ...authorizationRequest.data,
      backchannel: toStoredRequest({ ...authentication, client }, authReqId, id),
      deviceCode: storageKeyOf(authReqId),
      userCode: storageKeyOf(id),
      scope,
      expiresAt: new Date(Date.now() + requested.lifetime * 1000),
      interval: this.settings.interval,
    };
    if (issuer !== undefined) authorization.issuer = issuer;
    await this.model.saveDeviceAuthorization(authorization, client);
    const storedRequest = await findBackchannelRequest({ context: this.server }, id, { user, request });
    if (!storedRequest)
      throw new ServerError('Server error: the model did not return the backchannel request that it has just stored');
    await this.model.askUser(storedRequest);
    return { authReqId, lifetime: requested.lifetime };
  }
}

interface AuthenticationRequest {
  scope: string;
  requested: BackchannelParameters;
  user: User;
}

function toStoredRequest(
  { requested, user, client }: AuthenticationRequest & { client: CoreClient },
  authReqId: string,
  id: string,
): StoredBackchannelRequest {
  const { acrValues, bindingMessage, notificationToken: token } = requested;
  const sub = subjectOf(user, client);
  if (sub === undefined) throw new ServerError('Server error: the `user` of `findHintedUser()` has no `id`');
  return {
    sub,
    acrValues,
    ...(bindingMessage !== undefined && { bindingMessage }),
    ...(token !== undefined && { ping: encryptPing({ authReqId, token }, id) }),
  };
}

function verifyGrant(client: CoreClient): void {
  if (client.grants.includes(CIBA_GRANT)) return;
  const detail = grantNotAllowed(client, CIBA_GRANT);
  throw new UnauthorizedClientError('Unauthorized client: this client must not use backchannel authentication').because(
    detail,
  );
}
