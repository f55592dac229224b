import { isClientItself } from '../tokens/client-subject.js';
import { allowOrigin } from '../endpoints/cross-origin.js';
import type { Handler } from '../contracts/handler.js';
import { errorResponse } from '../http/error-response.js';
import { InvalidTokenError, toOAuthError, UnauthorizedRequestError } from '../errors/index.js';
import type { Endpoint, ServerContext } from '../contracts/feature.js';
import { RESOURCE_INDICATORS } from '../features/resource-indicators/requested-resources.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import { verifyRequestAndResponse } from '../endpoints/operation.js';
import { resolveOptions } from '../options/resolve-options.js';
import { AuthenticateOperation } from '../endpoints/resource/authenticate.js';
import { rejectRequest } from '../endpoints/resource/refusal.js';
import { type Provider, PROVIDER } from './provider.js';
import { OPENID_SCOPE } from './scopes.js';

/** Where a client asks who its access token is of. OpenID Connect Core §5.3 */
export const userinfoEndpoint: Endpoint = {
  path: 'oauth/userinfo',
  methods: ['GET', 'POST'],
  metadata: 'userinfo_endpoint',
  cors: true,
  description: {
    summary: 'Says who the user of an access token is (OpenID Connect Core 1.0, section 5.3).',
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
    this.authenticator = new AuthenticateOperation(options, withoutResourceBinding(server));
  }

  async handle(request: Request, response: Response): Promise<object> {
    verifyRequestAndResponse(request, response);
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    const { server, provider } = this;
    if (server.options.cors) allowOrigin(request, response, server.options.cors);
    try {
      const token = await this.authenticator.handle(request, response);
      if (isClientItself(token.user))
        throw rejectRequest(response, tokenWithoutUser(), { request, options: server.options, server });
      const claims = await provider.userinfo(token);
      const jwt = await provider.userinfoJwt(token.client, claims, server.issuerOf(request));
      response.headers['content-type'] = jwt === undefined ? 'application/json' : 'application/jwt';
      // oxlint-disable-next-line no-explicit-any
      response.body = (jwt ?? claims) as any;
      return claims;
    } catch (error) {
      const failure = toOAuthError(error);
      response.status = failure.code;
      // Who has brought nothing learns no more than how to. RFC 6750 §3.1
      response.body = failure instanceof UnauthorizedRequestError ? {} : errorResponse(failure);
      throw failure;
    }
  }
}

/**
 * An access token with the scope `openid` is good here, whatever resources it is for: that scope is what it is given out for.
 * RFC 8707 knows no other way for a client to have both in one token.
 */
function withoutResourceBinding(server: ServerContext): ServerContext {
  const others = server.installed.filter(({ feature }) => feature.id !== RESOURCE_INDICATORS);
  if (others.length === server.installed.length) return server;
  const verify = others.flatMap(({ parts }) => parts.resource?.verify?.bind(parts.resource) ?? []);
  const hooks = { ...server.hooks, resource: { ...server.hooks.resource, verify } };
  return Object.create(server, { hooks: { value: hooks } }) as ServerContext;
}

function tokenWithoutUser(): InvalidTokenError {
  const reason = 'the token is of a user, and not of a client that acts for itself';
  return new InvalidTokenError('Invalid token: access token is of no user').because({ reason });
}
