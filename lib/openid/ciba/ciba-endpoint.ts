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

/** What the client polls with, and for how many seconds. */
interface StartedAuthentication {
  authReqId: string;
  lifetime: number;
}

/** A client asks for a user who is elsewhere. CIBA §7 */
export class CibaEndpoint extends BackChannelEndpoint<StartedAuthentication> {
  protected readonly id = CIBA_ENDPOINT;
  /** Only authenticated clients may start the authentication of a user. CIBA §7.1 */
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

  protected async serve(given: ClientRequest): Promise<StartedAuthentication> {
    verifyGrant(given.client);
    const clientRequest = await this.signed.read(given);
    const { client, parameters, request } = clientRequest;
    const requested = requestedScope(request);
    if (requested === undefined || !coversScope(requested, OPENID_SCOPE)) {
      throw new InvalidScopeError('Invalid scope: `openid` is among what is asked for');
    }
    const scope = (await verifyClientScope(this.options, { client, scope: requested }, this.server.ignorableScopes))!;
    const said = readBackchannelParameters(parameters, client, this.settings);
    const user = await findHintedUser(clientRequest, this.server);
    await verifyUserCode(said.userCode, user, { client, issuer: clientRequest.issuer, model: this.model });
    return await this.startAuthentication(clientRequest, { scope, requested: said, user });
  }

  protected bodyOf({ authReqId, lifetime }: StartedAuthentication): object {
    return { auth_req_id: authReqId, expires_in: lifetime, interval: this.settings.interval };
  }

  /** What is kept is found again as it will be by the user, who is asked then. */
  private async startAuthentication(
    { client, issuer, parameters, request }: ClientRequest,
    what: AuthenticationRequest,
  ): Promise<StartedAuthentication> {
    const { scope, requested: said, user } = what;
    const asked = deviceAuthorizationRequest(client, { requestedScope: scope, issuer, request });
    for (const read of this.server.hooks.authorization.read) {
      Object.assign(asked.data, await read(parameters, asked));
    }
    const [authReqId, id] = [opaqueToken(), opaqueToken()];
    const begun: NewDeviceAuthorization = {
      ...asked.data,
      backchannel: toStoredRequest(what, authReqId, id),
      deviceCode: storageKeyOf(authReqId),
      userCode: storageKeyOf(id),
      scope,
      expiresAt: new Date(Date.now() + said.lifetime * 1000),
      interval: this.settings.interval,
    };
    if (issuer !== undefined) begun.issuer = issuer;
    await this.model.saveDeviceAuthorization(begun, client);
    const shown = await findBackchannelRequest({ context: this.server }, id, { user, request });
    if (!shown) throw new ServerError('Server error: the model does not find what it was to keep for a user');
    await this.model.askUser(shown);
    return { authReqId, lifetime: said.lifetime };
  }
}

interface AuthenticationRequest {
  scope: string;
  requested: BackchannelParameters;
  user: User;
}

function toStoredRequest(
  { requested: said, user }: AuthenticationRequest,
  authReqId: string,
  id: string,
): StoredBackchannelRequest {
  const { acrValues, bindingMessage, notificationToken: token } = said;
  const sub = subjectOf(user);
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
  throw new UnauthorizedClientError('Unauthorized client: it may not have users asked').because(detail);
}
