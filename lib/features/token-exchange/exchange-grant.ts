import type { Authorization } from '../../contracts/authorization.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidRequestError, InvalidScopeError, InvalidTargetError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { GrantType } from '../../endpoints/token/grant-type.js';
import type { Request } from '../../http/request.js';
import type { Client, Scope, Token } from '../../model/model.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { issueToken, type SaveToken } from '../../tokens/issue-token.js';
import { coversScope, requestedScope, scopeText } from '../../tokens/scope.js';
import { namedResources } from '../resource-indicators/named-resources.js';
import { actOf } from './actors.js';
import type { ExchangeParty, ExchangeRequest, TokenExchangeModel } from './exchange-model.js';
import type { BoundIssuer, KnownTokens } from './other-tokens.js';
import { findParties, isHolder, isIssuedTo } from './parties.js';
import { ACCESS_TOKEN, isTokenType } from './token-types.js';

/** What an exchange has to know of its server. */
export interface ExchangeFacts {
  /** The resources that `audience` may name. */
  readonly audiences: ReadonlyMap<string, string>;
  /** Does the server issue tokens for resources? */
  readonly isTargeting: boolean;
  /** What its features know of other tokens. */
  readonly others: KnownTokens;
}

/** One token for another: with less in it, or for somebody who acts for its subject. RFC 8693 §2 */
export abstract class TokenExchangeGrantType extends GrantType<TokenExchangeModel> {
  protected abstract readonly facts: ExchangeFacts;

  async handle(request: Request, client: Client): Promise<Token> {
    const exchange = this.options.exchange!;
    const { others } = this.facts;
    const type = requestedType(exchange, others);
    const scope = requestedScope(request);
    const issue = others.issuers.get(type);
    const named = issue ? [] : this.readTargets(exchange);
    const { subject, actor } = await findParties(exchange, others);
    const act = actOf(subject, actor, client);
    const asked = withoutHoles({ client, proof: exchange.proof, subject, actor, act, scope, resource: named });
    if (issue) return await issueOther(issue, asked, { exchange, type });

    const audience = audienceOf(subject.resource);
    const permitted = await this.permitted(asked, exchange);
    // What is permitted beside them has to be asked for.
    const granted = named.length > 0 ? [...audience, ...permitted] : audience;
    if (audience.length > 0) verifyTargets(named, granted);
    exchange.exchanged = { ...(subject.token && { subject: subject.token }), ...(act && { act }), named, granted };
    const authorization = {
      client,
      user: subject.user,
      ...scopeWithin(subject.scope, scope),
      grantId: this.familyOf(subject, client),
      notAfter: earliest(subject.expiresAt, actor?.expiresAt),
    };
    return await issueToken(this.options, authorization, this.saveFor(subject, client));
  }

  /** What is named by `resource` and `audience`, each once. @throws InvalidTargetError for what is unknown. RFC 8693 §2.1 */
  private readTargets({ parameters }: ClientRequest): readonly string[] {
    const { audiences: known, isTargeting } = this.facts;
    const resources = namedResources(parameters);
    const audiences = parameters
      .all('audience', () => true)
      .map((name) => {
        const uri = known.get(name);
        if (uri !== undefined) return uri;
        throw targetError('the audience is one of the option `audiences`', [...known.keys()], name);
      });
    const named = [...new Set([...resources, ...audiences])];
    if (named.length === 0 || isTargeting) return named;
    throw targetError('the server issues tokens for resources: `resourceIndicators()` is listed', undefined, named[0]);
  }

  /** @returns resources beside those of the subject token. @throws InvalidRequestError where the host does not let it. RFC 8693 §2.2.2 */
  private async permitted(asked: ExchangeRequest, exchange: ClientRequest): Promise<readonly string[]> {
    const { model } = this;
    if (model.mayExchange) {
      const answer = await model.mayExchange(asked);
      if (!answer) throw notPermitted('`mayExchange()` of the model permits the exchange');
      return answer === true ? [] : audienceOf(answer.resource);
    }
    const { subject, actor } = asked;
    if (!isHolder(exchange, subject)) throw notPermitted('a client that has proven who it is holds the subject token');
    if (actor && !isHolder(exchange, actor)) throw notPermitted('the client holds the actor token');
    return [];
  }

  /** Returns how the model saves a token with the subject token it ends with. Undefined if the model cannot, or has no such token. */
  private saveFor({ token: subject, user }: ExchangeParty, client: Client): SaveToken | undefined {
    const { model } = this;
    return subject && model.saveExchangedToken && ((token) => model.saveExchangedToken!(subject, token, client, user));
  }

  /**
   * What a client makes of its own token belongs to the grant of that. What another one makes of it is a grant of its own, where the
   * model sees to it that it ends with the token it came of.
   */
  private familyOf({ token }: ExchangeParty, client: Client): string | undefined {
    if (!token || (this.model.saveExchangedToken && !isIssuedTo(token, client))) return undefined;
    return token.grantId;
  }
}

/** What the host is shown has no member that is undefined. */
const withoutHoles = (asked: Record<keyof ExchangeRequest, unknown>): ExchangeRequest =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as unknown as ExchangeRequest;

/** @throws InvalidRequestError for a type that is not issued. RFC 8693 §2.1 */
function requestedType({ parameters }: ClientRequest, { issuers }: KnownTokens): string {
  const type = parameters.optional('requested_token_type', isTokenType) ?? ACCESS_TOKEN;
  if (type === ACCESS_TOKEN || issuers.has(type)) return type;
  const detail = { rule: 'the type is issued', wanted: [ACCESS_TOKEN, ...issuers.keys()], given: type };
  throw new InvalidRequestError('Invalid parameter: `requested_token_type` is not issued').because(detail);
}

/** What is no access token is not kept: what the answer is made of only looks like one. RFC 8693 §2.2.1 */
async function issueOther(
  issue: BoundIssuer,
  asked: ExchangeRequest,
  { exchange, type }: { exchange: ClientRequest; type: string },
): Promise<Token> {
  const { value, expiresAt, scope } = await issue(asked, exchange);
  exchange.exchanged = { type, named: [], granted: [] };
  const { client, subject } = asked;
  return { ...exchange.token, accessToken: value, accessTokenExpiresAt: expiresAt, scope, client, user: subject.user };
}

function verifyTargets(named: readonly string[], granted: readonly string[]): void {
  const more = named.find((uri) => !isAmong(uri, granted));
  if (more !== undefined)
    throw targetError('the subject token is for it, or `mayExchange()` permits it', granted, more);
}

function targetError(rule: string, wanted: unknown, given: string | undefined): InvalidTargetError {
  const error = new InvalidTargetError('Invalid target: no token is issued for `resource` or `audience`');
  return error.because({ rule, ...(wanted !== undefined && { wanted }), given: shortText(given) });
}

const notPermitted = (rule: string) =>
  new InvalidRequestError('Invalid request: this exchange is not permitted').because({ rule });

/** Less than the subject token has, never more. Where that has nothing, there is nothing to be asked of the model. */
function scopeWithin(most: Scope | undefined, asked: string | undefined): Pick<Authorization, 'scope' | 'scopeStatus'> {
  const held = scopeText(most);
  if (asked !== undefined && !coversScope(held, asked)) {
    const detail = { rule: 'the new token has no more scope than the subject token', wanted: held, given: asked };
    throw new InvalidScopeError('Invalid scope: the subject token has less').because(detail);
  }
  return held === undefined ? { scopeStatus: 'approved' } : { scope: asked ?? held, scopeStatus: 'consented' };
}

function earliest(...moments: (Date | undefined)[]): Date | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map(Number)));
}
