import { Response } from '../../http/response.js';
import type { AuthorizationCode, Model, ModelMethod, RefreshToken } from '../../model/model.js';
import type { CheckContext, TokenRequestOptions, IssuedCode } from '../check-context.js';
import type { Feature } from '../contract.js';
import { bearerRequest } from '../requests.js';

/** Something the model saved, as its holder has it. */
export interface SavedToken {
  /** The token or code itself. */
  value: string;
  /** What the model was given to save. */
  sent: Record<string, unknown>;
  code?: IssuedCode;
}

/** What is kept by a model and found by its value: the checks of all kinds are the same. */
export interface TokenKind {
  what: string;
  /** The same with its article. */
  one: string;
  feature: Feature;
  needs: readonly ModelMethod[];
  findMethod: 'getAccessToken' | 'getAuthorizationCode' | 'getRefreshToken';
  /** The field that holds the value, and the one that holds its expiry. */
  field: string;
  expiry: string;
  /** As a query names it. */
  table: string;
  column: string;
  save(trial: CheckContext, more?: object): Promise<SavedToken>;
  /** Brings it to the host's server; rejects when it is refused. */
  use(trial: CheckContext, held: SavedToken, counter?: TokenRequestOptions): Promise<unknown>;
}

/** A kind that can be spent once. */
export interface SingleUseKind extends TokenKind {
  grant: string;
  consumeMethod: 'revokeAuthorizationCode' | 'revokeToken';
  /** Spends what the finder returned, as the server does. */
  consume(model: Model, found: object, value: string): PromiseLike<unknown> | unknown;
}

export const ACCESS_TOKEN: TokenKind = {
  what: 'access token',
  one: 'an access token',
  feature: 'access tokens',
  needs: ['saveToken', 'getAccessToken'],
  findMethod: 'getAccessToken',
  field: 'accessToken',
  expiry: 'accessTokenExpiresAt',
  table: 'access_tokens',
  column: 'token',
  async save(trial, more) {
    const { sent, saved } = await trial.saveToken(more);
    return { value: saved.accessToken, sent };
  },
  use: (trial, { value }) => trial.server().authenticate(bearerRequest(value), new Response()),
};

export const AUTHORIZATION_CODE: SingleUseKind = {
  what: 'authorization code',
  one: 'an authorization code',
  feature: 'authorization codes',
  needs: ['getClient', 'saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode', 'saveToken'],
  findMethod: 'getAuthorizationCode',
  consumeMethod: 'revokeAuthorizationCode',
  grant: 'authorization_code',
  field: 'authorizationCode',
  expiry: 'expiresAt',
  table: 'codes',
  column: 'code',
  async save(trial, more) {
    const { sent, held } = await trial.saveCode(more);
    return { value: held.code, sent: { ...sent }, code: held };
  },
  use: (trial, { code }, counter) => trial.redeem(code!, counter),
  consume: (model, found, value) =>
    model.revokeAuthorizationCode!({ authorizationCode: value, ...found } as AuthorizationCode),
};

export const REFRESH_TOKEN: SingleUseKind = {
  what: 'refresh token',
  one: 'a refresh token',
  feature: 'refresh tokens',
  needs: ['getClient', 'saveToken', 'getRefreshToken', 'revokeToken'],
  findMethod: 'getRefreshToken',
  consumeMethod: 'revokeToken',
  grant: 'refresh_token',
  field: 'refreshToken',
  expiry: 'refreshTokenExpiresAt',
  table: 'refresh_tokens',
  column: 'token',
  async save(trial, more) {
    const { sent, saved } = await trial.saveToken(more);
    return { value: saved.refreshToken ?? sent.refreshToken!, sent };
  },
  use: (trial, { value }, counter) => trial.refresh(value, counter),
  consume: (model, found) => model.revokeToken!(found as RefreshToken),
};
