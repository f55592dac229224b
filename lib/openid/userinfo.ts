import { isClientItself } from '../tokens/client-subject.js';
import { allowOrigin } from '../endpoints/cross-origin.js';
import type { Handler } from '../contracts/handler.js';
import { InvalidTokenError, UnauthorizedRequestError } from '../errors/index.js';
import type { Endpoint, ServerContext } from '../contracts/feature.js';
import { RESOURCE_INDICATORS } from '../features/resource-indicators/requested-resources.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import { writeFailure } from '../endpoints/endpoint-failure.js';
import { verifyRequestAndResponse } from '../endpoints/operation.js';
import type { Token } from '../model/model.js';
import { resolveOptions } from '../options/resolve-options.js';
import { AuthenticateOperation } from '../endpoints/resource/authenticate.js';
import { rejectRequest, reportAccessRefusal } from '../endpoints/resource/refusal.js';
import { type Provider, PROVIDER } from './provider.js';
import { OPENID_SCOPE } from './scopes.js';

/** The ID of the endpoint: its key in `endpoints` of the feature. */
const USERINFO = 'userinfo';

/** The userinfo endpoint, which returns claims about the user of an access token. OpenID Connect Core §5.3 */
export const userinfoEndpoint: Endpoint = {
  path: 'oauth/userinfo',
  methods: ['GET', 'POST'],
  metadata: 'userinfo_endpoint',
  cors: true,
  description: {
    summary: 'Returns claims about the user of an access token (OpenID Connect Core 1.0, section 5.3).',
    response: { sub: { type: 'string' } },
  },
  make: (server) => new UserinfoEndpoint(server, server.find(PROVIDER)!),
};

class UserinfoEndpoint implements Handler {
  private readonly authenticator: AuthenticateOperation;

  constructor(
    private readonly server: ServerContext,
    private readonly provider: Provider,
  ) {
    const options = resolveOptions(server.options, {
      scope: OPENID_SCOPE,
      allowBearerTokensInQueryString: false,
    } as object);
    this.authenticator = new AuthenticateOperation(options, withoutResourceBinding(server), USERINFO);
  }

  async handle(request: Request, response: Response): Promise<object> {
    verifyRequestAndResponse(request, response);
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    const { server, provider } = this;
    if (server.options.cors) allowOrigin(request, response, server.options.cors);
    let token: Token | undefined;
    try {
      token = await this.authenticator.handle(request, response);
      if (isClientItself(token.user))
        throw rejectRequest(response, tokenWithoutUser(), { request, options: server.options, server });
      const claims = await provider.userinfo(token);
      const jwt = await provider.userinfoJwt(token.client, claims, server.issuerOf(request));
      response.headers['content-type'] = jwt === undefined ? 'application/json' : 'application/jwt';
      // oxlint-disable-next-line no-explicit-any
      response.body = (jwt ?? claims) as any;
      return claims;
    } catch (error) {
      const failure = writeFailure(response, error);
      // A request without a token gets only the challenge, without an error code. RFC 6750 §3.1
      if (failure instanceof UnauthorizedRequestError) response.body = {};
      // The authenticator has reported the refusal of the token itself.
      const refused = { token, required: OPENID_SCOPE, issuer: server.issuerOf(request), endpoint: USERINFO };
      if (token) reportAccessRefusal(server.options.events, failure, refused);
      throw failure;
    }
  }
}

/**
 * Returns the server without the check of resource indicators. So the userinfo endpoint accepts every access token with
 * the scope `openid`, whatever resources it is for, because RFC 8707 has no other way to combine both in one token.
 */
function withoutResourceBinding(server: ServerContext): ServerContext {
  const others = server.installed.filter(({ feature }) => feature.id !== RESOURCE_INDICATORS);
  if (others.length === server.installed.length) return server;
  const verify = others.flatMap(({ parts }) => parts.resource?.verify?.bind(parts.resource) ?? []);
  const hooks = { ...server.hooks, resource: { ...server.hooks.resource, verify } };
  return Object.create(server, { hooks: { value: hooks } }) as ServerContext;
}

function tokenWithoutUser(): InvalidTokenError {
  const reason = 'access token was issued to a client without a user';
  return new InvalidTokenError('Invalid token: the access token belongs to no user').because({ reason });
}
