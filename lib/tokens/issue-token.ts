import { InvalidArgumentError } from '../errors.js';
import type { Client, Model, Scope, Token, Unsaved, User } from '../model/model.js';
import { NO_EXPIRY, warnOfModel } from '../model/model-mistakes.js';
import { lifetime } from '../options.js';
import { newGrantId, opaqueToken } from './opaque.js';
import { approveScope, scopeForModel } from './scope.js';

/** What minting needs to know: the model, and lifetimes in seconds. */
export interface IssueOptions {
  model: Model;
  accessTokenLifetime: number;
  refreshTokenLifetime?: number;
  scopeFormat?: 'string' | 'array';
}

/** What a grant established: who may have a token, and for what. */
export interface Authorization {
  client: Client;
  user: User;
  scope?: Scope;
  /** The scope was approved already: the model is not asked again. */
  scopeApproved?: boolean;
  /** May the client come back without the user? Only clients with the `refresh_token` grant may. */
  refreshable?: boolean;
  /** The family: what a replay revokes. */
  grantId?: string;
  /** Further properties of the token to save. */
  extra?: Record<string, unknown>;
}

/** The one place where tokens are minted and saved. RFC 6749 §5.1 */
export async function issueToken(options: IssueOptions, authorization: Authorization): Promise<Token> {
  const { model, scopeFormat = 'string' } = options;
  const { client, user } = authorization;
  const granted = authorization.scopeApproved ? authorization.scope : await approveScope(options, authorization);
  const scope = scopeForModel(granted, scopeFormat);

  const token: Unsaved<Token> = {
    accessToken: model.generateAccessToken ? await generateAccessToken(model, client, user, scope) : opaqueToken(),
    accessTokenExpiresAt: expiry(options.accessTokenLifetime, 'accessTokenLifetime'),
    scope,
  };
  if (authorization.extra) Object.assign(token, authorization.extra);
  if (authorization.refreshable && client.grants?.includes('refresh_token')) {
    token.refreshToken = model.generateRefreshToken
      ? await generateRefreshToken(model, client, user, scope)
      : opaqueToken();
    token.refreshTokenExpiresAt = expiry(options.refreshTokenLifetime, 'refreshTokenLifetime');
  }
  if (model.revokeGrant) token.grantId = authorization.grantId ?? newGrantId();

  const saved = await model.saveToken(token, client, user);
  if (!saved) throw new InvalidArgumentError(NOT_SAVED);
  if (!saved.accessTokenExpiresAt) warnOfModel(model, NO_EXPIRY);
  return saved;
}

const NOT_SAVED =
  'Invalid argument: `saveToken()` of the model returned nothing: it must return the token it saved, with `client` and `user`';

/** The model's own access token, or a random one. */
export async function generateAccessToken(model: Model, client: Client, user: User, scope?: Scope): Promise<string> {
  return (model.generateAccessToken && (await model.generateAccessToken(client, user, scope))) || opaqueToken();
}

/** The model's own refresh token, or a random one. */
export async function generateRefreshToken(model: Model, client: Client, user: User, scope?: Scope): Promise<string> {
  return (model.generateRefreshToken && (await model.generateRefreshToken(client, user, scope))) || opaqueToken();
}

/** The moment that is a lifetime option away from now. Counted in milliseconds: calendar fields jump with the clock. */
export function expiry(seconds: unknown, name: string): Date {
  const expiresAt = new Date(Date.now() + lifetime(seconds, name) * 1000);
  if (Number.isNaN(expiresAt.getTime())) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
  return expiresAt;
}

/** Is this moment over? A date that is none counts as over. */
export function isOver(date: Date): boolean {
  return !(date.getTime() >= Date.now());
}
