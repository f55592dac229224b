import { grantNotAllowed } from '../../clients/grant-not-allowed.js';
import { isPublicClient, mayBeUnauthenticated } from '../../clients/none.js';
import { UnauthorizedClientError, UnsupportedGrantTypeError } from '../../errors/index.js';
import { hasListener, reportEvent, shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { type GrantHandler, ISSUED_TOKEN_TYPE } from '../../contracts/token-request.js';
import { classGrant } from './class-grant.js';
import { IssuingRequest } from './issuing-request.js';
import { required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isGrantType } from '../../http/syntax.js';
import type { Awaitable, CoreClient, Falsy, Token } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import type { Options } from '../../options/resolve-options.js';
import { lifetime } from '../../tokens/lifetime.js';
import { scopeText } from '../../tokens/scope.js';
import { readSignInClaims } from '../../tokens/sign-in-claims.js';
import { tokenResponse } from '../../tokens/token-response.js';
import { BackChannelEndpoint } from '../back-channel-endpoint.js';
import type { ClientRequest } from '../../contracts/client-request.js';

/** The token endpoint, which issues tokens. RFC 6749 §3.2 */
export class TokenEndpoint extends BackChannelEndpoint<Token> {
  protected readonly id = 'token';
  protected override readonly consumesCredentials = true;
  protected override readonly requestClass = IssuingRequest;
  protected override readonly clientAuthentication = (client: CoreClient | Falsy, request: Request): boolean => {
    const grantType: unknown = request.body?.grant_type;
    if (grantType === 'client_credentials' && client && isPublicClient(client)) throw publicClientError();
    return mayBeUnauthenticated(client, grantType, this.options);
  };
  private readonly grants: ReadonlyMap<string, GrantHandler>;
  /** Grant types whose required methods the model is known to have. */
  private readonly verifiedGrants = new Set<string>();

  constructor(options: Options, server: ServerContext) {
    super(options, server);
    lifetime(options.accessTokenLifetime, 'accessTokenLifetime');
    lifetime(options.refreshTokenLifetime, 'refreshTokenLifetime');
    requireMethods(options.model, ['getClient']);
    this.grants = grantsOf(options, server);
  }

  protected serve(request: IssuingRequest): Awaitable<Token> {
    const { admit, respond } = this.server.hooks.token;
    const grant = this.findGrant(request.request, request.client);
    const isPlain = admit.length + respond.length === 0 && !this.hasCredentialsToConsume(request);
    return isPlain ? (grant(request) as Awaitable<Token>) : this.serveWithHooks(request, grant);
  }

  private async serveWithHooks(request: IssuingRequest, grant: GrantHandler): Promise<Token> {
    const { admit, respond } = this.server.hooks.token;
    for (const hook of admit) await hook(request);
    if (this.hasCredentialsToConsume(request)) await this.consumeCredentials(request);
    const token = (await grant(request)) as Token;
    for (const hook of respond) await hook(request, token);
    return token;
  }

  protected bodyOf(token: Token, request: ClientRequest): object {
    const { tokenMembers, responseMembers, code, refreshToken } = request;
    if (request.get(ISSUED_TOKEN_TYPE) !== undefined)
      return tokenResponse(token, { responseMembers, isNotAccessToken: true });
    if (!this.options.allowExtendedTokenAttributes) return tokenResponse(token, { responseMembers });
    return tokenResponse(token, {
      responseMembers,
      storedMembers: { ...tokenMembers, ...readSignInClaims(code ?? refreshToken ?? {}) },
    });
  }

  protected override reportDone({ request, client, issuer }: ClientRequest, { user, scope, grantId }: Token): void {
    const { events } = this.options;
    const grantType = shortText(request.body.grant_type);
    const name = grantType === 'refresh_token' ? 'token.refreshed' : 'token.issued';
    if (!hasListener(events, name)) return;
    const granted = scopeText(scope);
    reportEvent(events, name, {
      endpoint: 'token',
      issuer,
      clientId: client.id,
      userId: user['id'],
      grantType,
      scope: granted,
      grantId,
    });
  }

  private findGrant(request: Request, client: CoreClient): GrantHandler {
    const name = required(request, 'grant_type', isGrantType);
    const grant = this.grants.get(name);
    if (!grant) {
      const detail = {
        reason: 'grant type is not supported',
        expected: [...this.grants.keys()],
        given: name,
        remedy: 'send one of these grant types, or add the feature of the grant to `features`',
      };
      throw new UnsupportedGrantTypeError('Unsupported grant type: `grant_type` is invalid').because(detail);
    }
    if (!client.grants.includes(name)) {
      const detail = grantNotAllowed(client, name);
      throw new UnauthorizedClientError(
        'Unauthorized client: this client is not allowed to use this `grant_type`: register the grant for it',
      ).because(detail);
    }
    if (!this.verifiedGrants.has(name)) {
      requireMethods(this.options.model, grant.requires ?? []);
      this.verifiedGrants.add(name);
    }
    return grant;
  }
}

/**
 * Returns the grants of the server and those of the option `extendedGrantTypes`, which replace grants of the server
 * with the same name.
 */
function grantsOf({ extendedGrantTypes }: Options, { grants }: ServerContext): ReadonlyMap<string, GrantHandler> {
  const extended = Object.entries(extendedGrantTypes ?? {});
  if (extended.length === 0) return grants;
  return new Map([...grants, ...extended.map(([name, Class]) => [name, classGrant(Class)] as const)]);
}

/**
 * Returns the error for a public client that requests a client credentials token. The grant requires client
 * authentication. RFC 6749 §4.4
 */
function publicClientError(): UnauthorizedClientError {
  const reason = 'client is public, and grant_type=client_credentials requires client authentication';
  const message = 'Unauthorized client: a public client is not allowed to use this `grant_type`';
  const remedy = 'give the client a secret or keys, and remove `tokenEndpointAuthMethod: none`';
  return new UnauthorizedClientError(message).because({ reason, remedy });
}
