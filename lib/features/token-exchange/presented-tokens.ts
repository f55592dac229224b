import { InvalidRequestError, ServerError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { CoreClient, Falsy, Model, RefreshToken, Token, User } from '../../model/model.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { matchesConfirmation } from '../../tokens/confirmation.js';
import { findToken } from '../../tokens/find-token.js';
import { grantSpan } from '../../tokens/grant-lifetime.js';
import { isExpired } from '../../tokens/lifetime.js';
import { subjectOf } from '../../tokens/subject.js';
import type { SubjectOrActorToken, ForeignToken, TokenExchangeModel, VerifiedToken } from './exchange-model.js';
import type { KnownTokens } from './other-tokens.js';
import { isTokenType, OWN_TOKEN_TYPES, type OwnTokenType } from './token-types.js';

type Role = 'subject' | 'actor';

/**
 * Finds and verifies the subject token and, if there is one, the actor token.
 * @throws {InvalidRequestError} If one is invalid. RFC 8693 §2.1
 */
export async function findPresentedTokens(request: ClientRequest, otherTokens: KnownTokens) {
  const subject = await findPresentedToken('subject', request, otherTokens);
  const { parameters } = request;
  const isActing = parameters.optional('actor_token') !== undefined;
  // `actor_token_type` is only allowed together with `actor_token`.
  if (!isActing && parameters.optional('actor_token_type', isTokenType) !== undefined) {
    throw new InvalidRequestError('Missing parameter: `actor_token`');
  }
  return { subject, actor: isActing ? await findPresentedToken('actor', request, otherTokens) : undefined };
}

/**
 * Finds and verifies the subject token or the actor token of a request.
 * @throws {InvalidRequestError} If the token is invalid, for whatever reason. RFC 8693 §2.2.2
 */
async function findPresentedToken(
  role: Role,
  request: ClientRequest,
  otherTokens: KnownTokens,
): Promise<SubjectOrActorToken> {
  const { parameters } = request;
  const value = parameters.required(`${role}_token`, isVSCHAR);
  const type = parameters.required(`${role}_token_type`, isTokenType);
  const kind = OWN_TOKEN_TYPES.get(type as OwnTokenType);
  const token = { value, type, as: role };
  // An unknown access token may be foreign. An unknown refresh token is invalid, since only this server issues them.
  const presented = kind
    ? ((await findOwn(kind, value, request)) ??
      (kind === 'access_token' && (await readOther(token, request, otherTokens))))
    : await verifyForeign(token, request, otherTokens);
  if (presented) {
    verifyBinding(presented, request, role);
    return { ...presented, type };
  }
  const reason = `${role} token is unknown, revoked, expired or of another issuer`;
  throw invalidTokenError(role).because({ reason, given: type });
}

/**
 * Verifies that the request proves possession of the key that a presented token is bound to. The new token is bound to
 * the same key.
 * @throws {InvalidRequestError} If it does not.
 */
function verifyBinding({ token, cnf }: Omit<SubjectOrActorToken, 'type'>, request: ClientRequest, role: Role): void {
  if (matchesConfirmation(token?.['cnf' as never] ?? cnf, request.tokenMembers['cnf'])) return;
  throw invalidTokenError(role).because({
    reason: 'token is bound to a key that the request does not prove possession of',
  });
}

/** Returns the error for an invalid subject or actor token. The reason is logged and not returned to the client. */
export const invalidTokenError = (role: Role) =>
  new InvalidRequestError(`Invalid request: \`${role}_token\` is invalid`);

/** Finds a token of this server. `undefined` if it is unknown, revoked, expired or of another issuer. */
async function findOwn(
  kind: 'access_token' | 'refresh_token',
  value: string,
  request: ClientRequest,
): Promise<Omit<SubjectOrActorToken, 'type'> | undefined> {
  const { options, issuer } = request;
  const token = (await findToken(kind, value, { model: options.model, issuer }))?.token as Token & RefreshToken;
  if (!token || token.revokedAt) return undefined;
  if (!token.client || !token.user) throw new ServerError('Server error: a token without `client` or `user` was found');
  const span = token.grantedAt && grantSpan(options, token.grantedAt);
  if (span && isExpired(span.end)) return undefined;
  const { user, scope, resource, refreshTokenResource, act, may_act, accessTokenExpiresAt, refreshTokenExpiresAt } =
    token;
  const isAccess = kind === 'access_token';
  if (!isAccess && !mayPresent(token, request)) return undefined;
  return {
    token,
    user,
    scope,
    resource: (isAccess ? resource : (refreshTokenResource ?? resource)) as VerifiedToken['resource'],
    expiresAt: isAccess ? accessTokenExpiresAt : refreshTokenExpiresAt,
    claims: claimsOf(token.client, user),
    act: act as VerifiedToken['act'],
    may_act: may_act as VerifiedToken['may_act'],
    allClaims: token,
  };
}

/**
 * Returns the claims that identify the user of a token. For a client credentials token, `sub` is the client id.
 * RFC 9068 §2.2
 */
function claimsOf(client: CoreClient, user: User): Record<string, unknown> {
  return { sub: subjectOf(user, client), client_id: client.id };
}

async function verifyForeign(
  token: ForeignToken,
  request: ClientRequest,
  otherTokens: KnownTokens,
): Promise<Omit<SubjectOrActorToken, 'type'> | undefined> {
  const verified = await readOther(token, request, otherTokens);
  if (verified) return verified;
  const model: Model & TokenExchangeModel = request.options.model;
  if (!model.verifyForeignToken && otherTokens.canRead) return undefined;
  if (!model.verifyForeignToken) {
    const detail = {
      reason: 'the model cannot verify foreign tokens: it does not implement `verifyForeignToken()`',
      expected: [...OWN_TOKEN_TYPES.keys()],
    };
    const error = new InvalidRequestError(`Invalid parameter: \`${token.as}_token_type\``);
    throw error.because({ ...detail, given: token.type });
  }
  return checkVerifiedToken(await model.verifyForeignToken(token, request.client), '`verifyForeignToken()`', request);
}

const readOther = async (token: ForeignToken, request: ClientRequest, otherTokens: KnownTokens) =>
  checkVerifiedToken(await otherTokens.read(token, request), 'the feature that verified the foreign token', request);

/**
 * Validates the properties of a verified foreign token. `undefined` if the verifier returned none, or if the token has
 * expired.
 * @param by The name of the verifier, for the error message.
 */
function checkVerifiedToken(
  verified: VerifiedToken | Falsy,
  by: string,
  request: ClientRequest,
): Omit<SubjectOrActorToken, 'type'> | undefined {
  if (!verified) return undefined;
  const { user, scope, resource, expiresAt, claims, act, may_act, cnf, allClaims } = verified;
  if (!user) throw new ServerError(`Server error: ${by} did not return a \`user\` object`);
  if (expiresAt !== undefined && !(expiresAt instanceof Date)) {
    throw new ServerError('Server error: `expiresAt` must be a Date instance');
  }
  if (expiresAt && isExpired(expiresAt)) return undefined;
  return {
    user,
    scope,
    resource,
    expiresAt,
    claims: claims ?? { sub: subjectOf(user, request.client) },
    act,
    may_act,
    cnf,
    allClaims,
  };
}

/**
 * Whether an authenticated client may exchange a stored token without permission of the model: it was issued to the
 * client, or is for one of its `resources`.
 */
export function isHolder(
  { client, authenticationMethod }: Pick<ClientRequest, 'client' | 'authenticationMethod'>,
  { token, resource }: SubjectOrActorToken,
): boolean {
  if (!token || authenticationMethod === 'none') return false;
  if (isIssuedTo(token, client)) return true;
  const resources: unknown = client.resources;
  return Array.isArray(resources) && audienceOf(resource).some((uri) => isAmong(uri, resources as string[]));
}

/** Whether a token was issued to a client. Two missing client ids are not equal. */
export const isIssuedTo = ({ client: { id } }: Pick<Token, 'client'>, client: CoreClient): boolean =>
  id !== undefined && id !== null && id === client.id;

/**
 * Whether the client may present this refresh token: only its own, and with client authentication. An exchange does not
 * consume the token, so replay detection would not reveal a theft.
 */
function mayPresent(token: RefreshToken, { client, authenticationMethod }: ClientRequest): boolean {
  return authenticationMethod !== 'none' && isIssuedTo(token, client);
}
