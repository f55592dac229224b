import { InvalidRequestError, ServerError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { CoreClient, Falsy, Model, RefreshToken, Token, User } from '../../model/model.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { isShown } from '../../tokens/confirmation.js';
import { findToken } from '../../tokens/find-token.js';
import { grantSpan } from '../../tokens/grant-lifetime.js';
import { isOver } from '../../tokens/lifetime.js';
import { subjectOf } from '../../tokens/subject.js';
import type { ExchangeParty, ForeignToken, TokenExchangeModel, VerifiedToken } from './exchange-model.js';
import type { KnownTokens } from './other-tokens.js';
import { isTokenType, OWN, type OwnTokenType } from './token-types.js';

type Role = 'subject' | 'actor';

/** Who asks for whom: the tokens of both parties, found and good. @throws InvalidRequestError RFC 8693 §2.1 */
export async function findParties(request: ClientRequest, others: KnownTokens) {
  const subject = await findParty('subject', request, others);
  const { parameters } = request;
  const isActing = parameters.optional('actor_token') !== undefined;
  // The type comes with the token, and not without it.
  if (!isActing && parameters.optional('actor_token_type', isTokenType) !== undefined) {
    throw new InvalidRequestError('Missing parameter: `actor_token`');
  }
  return { subject, actor: isActing ? await findParty('actor', request, others) : undefined };
}

/** The token of a party, found and good. @throws InvalidRequestError for one that is not, whatever is wrong. RFC 8693 §2.2.2 */
async function findParty(role: Role, request: ClientRequest, others: KnownTokens): Promise<ExchangeParty> {
  const { parameters } = request;
  const value = parameters.required(`${role}_token`, isVSCHAR);
  const type = parameters.required(`${role}_token_type`, isTokenType);
  const own = OWN.get(type as OwnTokenType);
  const token = { value, type, as: role };
  // An access token may be another server's; a refresh token is never anybody else's.
  const party = own
    ? ((await findOwn(own, value, request)) ?? (own === 'access_token' && (await readOther(token, request, others))))
    : await verifyForeign(token, request, others);
  if (party) {
    verifyUnbound(party, request, role);
    return { ...party, type };
  }
  const rule = `the ${role} token is known, and neither revoked, expired nor another issuer's`;
  throw refusedToken(role).because({ rule, given: type });
}

/** A token that is bound to a key is good for nobody who has not shown that very key with this request, which then binds its successor. */
function verifyUnbound({ token, cnf }: Omit<ExchangeParty, 'type'>, request: ClientRequest, role: Role): void {
  if (isShown(token?.['cnf' as never] ?? cnf, request.token['cnf'])) return;
  throw refusedToken(role).because({ rule: 'the token is bound to no key, or to the one that the request shows' });
}

/** What is wrong with the token of a party, only the operator hears. */
export const refusedToken = (role: Role) => new InvalidRequestError(`Invalid request: \`${role}_token\` is invalid`);

/** A token of this server. One that was revoked, or is another issuer's, is as good as unknown. */
async function findOwn(
  kind: 'access_token' | 'refresh_token',
  value: string,
  request: ClientRequest,
): Promise<Omit<ExchangeParty, 'type'> | undefined> {
  const { options, issuer } = request;
  const token = (await findToken(kind, value, { model: options.model, issuer }))?.token as Token & RefreshToken;
  if (!token || token.revokedAt) return undefined;
  if (!token.client || !token.user) throw new ServerError('Server error: a token without `client` or `user` was found');
  const span = token.grantedAt && grantSpan(options, token.grantedAt);
  if (span && isOver(span.ends)) return undefined;
  const { user, scope, resource, refreshTokenResource, act, may_act, accessTokenExpiresAt, refreshTokenExpiresAt } =
    token;
  const isAccess = kind === 'access_token';
  if (!isAccess && !mayBring(token, request)) return undefined;
  return {
    token,
    user,
    scope,
    resource: (isAccess ? resource : (refreshTokenResource ?? resource)) as VerifiedToken['resource'],
    expiresAt: isAccess ? accessTokenExpiresAt : refreshTokenExpiresAt,
    claims: claimsOf(token.client, user),
    act: act as VerifiedToken['act'],
    may_act: may_act as VerifiedToken['may_act'],
    says: token,
  };
}

/** Who a token of this server names. Of a client that acts for itself `sub` is its own id. RFC 9068 §2.2 */
function claimsOf(client: CoreClient, user: User): Record<string, unknown> {
  return { sub: subjectOf(user), client_id: client.id };
}

async function verifyForeign(
  token: ForeignToken,
  request: ClientRequest,
  others: KnownTokens,
): Promise<Omit<ExchangeParty, 'type'> | undefined> {
  const found = await readOther(token, request, others);
  if (found) return found;
  const model: Model & TokenExchangeModel = request.options.model;
  if (!model.verifyForeignToken && others.isReading) return undefined;
  if (!model.verifyForeignToken) {
    const detail = { rule: 'the model reads tokens of others, by `verifyForeignToken()`', wanted: [...OWN.keys()] };
    const error = new InvalidRequestError(`Invalid parameter: \`${token.as}_token_type\``);
    throw error.because({ ...detail, given: token.type });
  }
  return verified(await model.verifyForeignToken(token, request.client), '`verifyForeignToken()`');
}

const readOther = async (token: ForeignToken, request: ClientRequest, others: KnownTokens) =>
  verified(await others.read(token, request), 'a feature that reads other tokens');

/** @param by what has read it, for who wrote that */
function verified(found: VerifiedToken | Falsy, by: string): Omit<ExchangeParty, 'type'> | undefined {
  if (!found) return undefined;
  const { user, scope, resource, expiresAt, claims, act, may_act, cnf, says } = found;
  if (!user) throw new ServerError(`Server error: ${by} did not return a \`user\` object`);
  if (expiresAt !== undefined && !(expiresAt instanceof Date)) {
    throw new ServerError('Server error: `expiresAt` must be a Date instance');
  }
  if (expiresAt && isOver(expiresAt)) return undefined;
  return { user, scope, resource, expiresAt, claims: claims ?? { sub: subjectOf(user) }, act, may_act, cnf, says };
}

/**
 * Whoever holds a token may have a lesser one: the client that it was issued to, and a resource server that it is for. A refresh
 * token is nobody's but its client's.
 */
export function isHolder(
  { client, proof }: Pick<ClientRequest, 'client' | 'proof'>,
  { token, resource }: ExchangeParty,
): boolean {
  if (!token || proof === 'none') return false;
  if (isIssuedTo(token, client)) return true;
  const served: unknown = client.resources;
  return Array.isArray(served) && audienceOf(resource).some((uri) => isAmong(uri, served as string[]));
}

/** Two missing ids are not the same id. */
export const isIssuedTo = ({ client: { id } }: Pick<Token, 'client'>, client: CoreClient): boolean =>
  id !== undefined && id !== null && id === client.id;

/**
 * A refresh token is nobody's but its client's, which must prove who it is: here it is not spent, so that nobody would notice
 * that it was stolen.
 */
function mayBring(token: RefreshToken, { client, proof }: ClientRequest): boolean {
  return proof !== 'none' && isIssuedTo(token, client);
}
