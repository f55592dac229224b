import { ServerError, UnauthorizedClientError, UnsupportedGrantTypeError } from '../errors.js';
import { isHeard, report, shortText } from '../events.js';
import { GrantType, type GrantTypeClass, type GrantTypeOptions } from '../grants/grant-type.js';
import { GRANT_TYPES } from '../grants/index.js';
import { required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isGrantType } from '../http/syntax.js';
import type { Awaitable, Client, Token } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import type { Options } from '../options.js';
import { lifetime } from '../tokens/lifetime.js';
import { scopeText } from '../tokens/scope.js';
import { tokenResponse } from '../tokens/token-response.js';
import { BackChannelEndpoint } from './back-channel-endpoint.js';

/** Issues tokens. RFC 6749 §3.2 */
export class TokenEndpoint extends BackChannelEndpoint<Token> {
  private readonly grantTypes: ReadonlyMap<string, GrantTypeClass>;
  /** Those that the model was found able to serve. */
  private readonly served = new Set<GrantTypeClass>();
  private readonly report: GrantTypeOptions['report'];

  constructor(options: Options) {
    super(options);
    lifetime(options.accessTokenLifetime, 'accessTokenLifetime');
    lifetime(options.refreshTokenLifetime, 'refreshTokenLifetime');
    requireMethods(options.model, ['getClient']);
    const { events } = options;
    if (events) this.report = (name, payload) => report(events, name as never, payload as never);
    this.grantTypes = new Map([...Object.entries(GRANT_TYPES), ...Object.entries(options.extendedGrantTypes ?? {})]);
  }

  protected serve(request: Request, client: Client): Awaitable<Token> {
    const Grant = this.findGrantType(request, client);
    return new Grant(this.grantTypeOptions(client)).handle(request, client) as Awaitable<Token>;
  }

  protected bodyOf(token: Token): object {
    return tokenResponse(token, this.options.allowExtendedTokenAttributes);
  }

  protected override reportDone(request: Request, client: Client, { user, scope, grantId }: Token): void {
    const { events } = this.options;
    const grantType = shortText(request.body.grant_type);
    const name = grantType === 'refresh_token' ? 'token.refreshed' : 'token.issued';
    if (!isHeard(events, name)) return;
    const granted = scopeText(scope);
    report(events, name, {
      endpoint: 'token',
      clientId: client.id,
      userId: user['id'],
      grantType,
      scope: granted,
      grantId,
    });
  }

  private findGrantType(request: Request, client: Client): GrantTypeClass {
    const name = required(request, 'grant_type', isGrantType);
    const Grant = this.grantTypes.get(name);
    if (!Grant) {
      const detail = { rule: 'the grant type is served', wanted: [...this.grantTypes.keys()], given: name };
      throw new UnsupportedGrantTypeError('Unsupported grant type: `grant_type` is invalid').because(detail);
    }
    if (!client.grants.includes(name)) {
      const detail = { rule: 'the client may use the grant', wanted: client.grants, given: name };
      throw new UnauthorizedClientError('Unauthorized client: `grant_type` is invalid').because(detail);
    }
    if (!this.served.has(Grant)) this.verifyServed(Grant);
    return Grant;
  }

  private verifyServed(Grant: GrantTypeClass): void {
    if (typeof Grant !== 'function') throw new ServerError('Server error: `extendedGrantTypes` must map to classes');
    requireMethods(this.options.model, Grant.requires ?? []);
    if (Grant.prototype instanceof GrantType) requireMethods(this.options.model, ['saveToken']);
    this.served.add(Grant);
  }

  private grantTypeOptions(client: Client): GrantTypeOptions {
    const { options } = this;
    return {
      accessTokenLifetime: client.accessTokenLifetime || options.accessTokenLifetime,
      refreshTokenLifetime: client.refreshTokenLifetime || options.refreshTokenLifetime,
      alwaysIssueNewRefreshToken: options.alwaysIssueNewRefreshToken,
      enablePlainPKCE: options.enablePlainPKCE,
      grantLifetime: options.grantLifetime,
      model: options.model,
      report: this.report,
      refreshTokenReuseInterval: options.refreshTokenReuseInterval,
      requirePKCE: options.requirePKCE,
      scopeFormat: options.scopeFormat,
    };
  }
}
