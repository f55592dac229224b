import { notAllowed } from '../../clients/grant-not-allowed.js';
import { isPublic, owesNoProof } from '../../clients/none.js';
import { ServerError, UnauthorizedClientError, UnsupportedGrantTypeError } from '../../errors/index.js';
import { isHeard, report, shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { findKnownDetails } from '../../features/authorization-details/known-details.js';
import { GrantType, type GrantTypeOptions } from './grant-type.js';
import type { GrantTypeClass } from '../../contracts/grant-type-class.js';
import { required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isGrantType } from '../../http/syntax.js';
import type { Awaitable, Client, Falsy, Token } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import type { Options } from '../../options/settle.js';
import type { Authorization } from '../../contracts/authorization.js';
import { DETAILS } from '../../contracts/authorization-details.js';
import { lifetime } from '../../tokens/lifetime.js';
import { scopeText } from '../../tokens/scope.js';
import { signedIn } from '../../tokens/signed-in.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import { tokenResponse } from '../../tokens/token-response.js';
import { BackChannelEndpoint } from '../back-channel-endpoint.js';
import { formatOf } from './format-of.js';
import type { ClientRequest } from '../../contracts/client-request.js';

/** Issues tokens. RFC 6749 §3.2 */
export class TokenEndpoint extends BackChannelEndpoint<Token> {
  protected readonly id = 'token';
  protected override readonly consumesCredentials = true;
  private readonly grantTypes: ReadonlyMap<string, GrantTypeClass>;
  /** Those that the model was found able to serve. */
  private readonly served = new Set<GrantTypeClass>();
  private readonly report: GrantTypeOptions['report'];
  private readonly knowsDetails = findKnownDetails(this.server) !== undefined;
  private readonly format: TokenFormat | undefined = formatOf(this.server);

  constructor(options: Options, server: ServerContext) {
    super(options, server);
    lifetime(options.accessTokenLifetime, 'accessTokenLifetime');
    lifetime(options.refreshTokenLifetime, 'refreshTokenLifetime');
    requireMethods(options.model, ['getClient']);
    const { events } = options;
    if (events) this.report = (name, payload) => report(events, name as never, payload as never);
    this.grantTypes = new Map([...server.grants, ...Object.entries(options.extendedGrantTypes ?? {})]);
  }

  protected override excuses(client: Client | Falsy, request: Request): boolean {
    const grantType: unknown = request.body?.grant_type;
    if (grantType === 'client_credentials' && client && isPublic(client)) throw actsForItself();
    return owesNoProof(client, grantType, this.options);
  }

  protected async serve(exchange: ClientRequest): Promise<Token> {
    const { admit, respond } = this.server.hooks;
    const Grant = this.findGrantType(exchange.request, exchange.client);
    for (const feature of admit) await feature.admit(exchange);
    await this.consumeCredentials(exchange);
    const token = await this.decide(exchange, Grant);
    for (const feature of respond) await feature.respond(exchange, token);
    return token;
  }

  private decide(exchange: ClientRequest, Grant: GrantTypeClass): Awaitable<Token> {
    return new Grant(this.grantTypeOptions(exchange)).handle(exchange.request, exchange.client) as Awaitable<Token>;
  }

  protected bodyOf(token: Token, { token: kept, answer, code, exchanged, refreshToken }: ClientRequest): object {
    if (exchanged?.type !== undefined) return tokenResponse(token, { answer, isOther: true });
    if (!this.options.allowExtendedTokenAttributes) return tokenResponse(token, { answer });
    return tokenResponse(token, { answer, kept: { ...kept, ...signedIn(code ?? refreshToken ?? {}) } });
  }

  protected override reportDone({ request, client, issuer }: ClientRequest, { user, scope, grantId }: Token): void {
    const { events } = this.options;
    const grantType = shortText(request.body.grant_type);
    const name = grantType === 'refresh_token' ? 'token.refreshed' : 'token.issued';
    if (!isHeard(events, name)) return;
    const granted = scopeText(scope);
    report(events, name, {
      endpoint: 'token',
      issuer,
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
      const detail = {
        rule: 'the grant type is served',
        wanted: [...this.grantTypes.keys()],
        given: name,
        remedy: 'send one of these grant types, or list the feature of the grant in `features`',
      };
      throw new UnsupportedGrantTypeError('Unsupported grant type: `grant_type` is invalid').because(detail);
    }
    if (!client.grants.includes(name)) {
      const detail = notAllowed(client, name);
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

  private grantTypeOptions(exchange: ClientRequest): GrantTypeOptions {
    const { options } = this;
    const { client } = exchange;
    return {
      accessTokenLifetime: client.accessTokenLifetime || options.accessTokenLifetime,
      refreshTokenLifetime: client.refreshTokenLifetime || options.refreshTokenLifetime,
      alwaysIssueNewRefreshToken: options.alwaysIssueNewRefreshToken,
      complete: this.server.hooks.issue.length > 0 ? (established) => this.complete(exchange, established) : undefined,
      enablePlainPKCE: options.enablePlainPKCE,
      exchange,
      format: this.format,
      grantLifetime: options.grantLifetime,
      issuer: exchange.issuer,
      model: options.model,
      report: this.report,
      refreshTokenReuseInterval: options.refreshTokenReuseInterval,
      requirePKCE: options.requirePKCE,
      ignorableScopes: this.server.ignorableScopes,
      scopeFormat: options.scopeFormat,
      scopeOptional: this.knowsDetails && exchange.parameters.optional(DETAILS, () => true) !== undefined,
    };
  }

  /** Lets the features judge and complete what a grant established. */
  private async complete(exchange: ClientRequest, established: Authorization): Promise<object> {
    exchange.authorization = established;
    for (const feature of this.server.hooks.issue) await feature.issue(exchange);
    return exchange.token;
  }
}

/** A client acting for itself has nothing but its own proof. That it has no secret is none either. RFC 6749 §4.4 */
function actsForItself(): UnauthorizedClientError {
  const rule = 'a client acts for itself only by a secret, and this one has none';
  return new UnauthorizedClientError('Unauthorized client: `grant_type` is invalid').because({ rule });
}
