import { isClientItself } from '../tokens/client-subject.js';
import { InvalidTokenError } from '../errors/index.js';
import type { Endpoint, ServerContext } from '../contracts/feature.js';
import { RESOURCE_INDICATORS } from '../features/resource-indicators/requested-resources.js';
import { ProtectedEndpoint, type ProtectedRequest } from '../endpoints/resource/protected-endpoint.js';
import { type Provider, PROVIDER } from './provider.js';
import { OPENID_SCOPE } from './scopes.js';

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

/** The claims about a user, also as a JWT if the client has registered for one. */
interface UserinfoResult {
  readonly claims: object;
  readonly jwt: string | undefined;
}

class UserinfoEndpoint extends ProtectedEndpoint<UserinfoResult> {
  protected readonly id = 'userinfo';
  protected override readonly scope = OPENID_SCOPE;

  constructor(
    server: ServerContext,
    private readonly provider: Provider,
  ) {
    super(server.options, withoutResourceBinding(server));
  }

  protected async serve({ token, request }: ProtectedRequest): Promise<UserinfoResult> {
    if (isClientItself(token.user)) throw tokenWithoutUser();
    const claims = await this.provider.userinfo(token);
    return { claims, jwt: await this.provider.userinfoJwt(token.client, claims, this.server.issuerOf(request)) };
  }

  protected bodyOf({ claims, jwt }: UserinfoResult, { response }: ProtectedRequest): object | string {
    response.headers['content-type'] = jwt === undefined ? 'application/json' : 'application/jwt';
    return jwt ?? claims;
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
