import { Response } from '../../http/response.js';
import type { AuthorizationCode, Model, ModelMethod, RefreshToken } from '../../model/model.js';
import type { CheckContext, TokenRequestOptions, IssuedCode } from '../check-context.js';
import type { Feature } from '../contract.js';
import { bearerRequest } from '../requests.js';

/** A code or token that the model has saved. */
export interface SavedToken {
  /** The code or token itself. */
  value: string;
  /** The object that was passed to the save method of the model. */
  sent: Record<string, unknown>;
  code?: IssuedCode;
}

/** A kind of code or token that a model saves and finds by its value. Most checks run for each kind. */
export interface TokenKind {
  token: string;
  /** The kind with its article, for messages: `an access token`. */
  aToken: string;
  feature: Feature;
  needs: readonly ModelMethod[];
  findMethod: 'getAccessToken' | 'getAuthorizationCode' | 'getRefreshToken';
  /** The name of the property that holds the code or token, for example `accessToken`. */
  field: string;
  /** The name of the property that holds the expiry of the code or token, for example `accessTokenExpiresAt`. */
  expiry: string;
  /** The table name that is used in the example queries of messages. */
  table: string;
  column: string;
  save(context: CheckContext, more?: object): Promise<SavedToken>;
  /** Sends the code or token to the server, as a client would. Rejects if the server refuses it. */
  use(context: CheckContext, held: SavedToken, options?: TokenRequestOptions): Promise<unknown>;
}

/** A kind of code or token that can be used once. */
export interface SingleUseKind extends TokenKind {
  grant: string;
  consumeMethod: 'revokeAuthorizationCode' | 'revokeToken';
  /**
   * Marks a code or token that the model returned as used, as the server does. Returns whether it was unused until
   * then.
   */
  consume(model: Model, stored: object, value: string): PromiseLike<unknown> | unknown;
}

export const ACCESS_TOKEN: TokenKind = {
  token: 'access token',
  aToken: 'an access token',
  feature: 'access tokens',
  needs: ['saveToken', 'getAccessToken'],
  findMethod: 'getAccessToken',
  field: 'accessToken',
  expiry: 'accessTokenExpiresAt',
  table: 'access_tokens',
  column: 'token',
  async save(context, more) {
    const { sent, saved } = await context.saveToken(more);
    return { value: saved.accessToken, sent };
  },
  use: (context, { value }) => context.server().authenticate(bearerRequest(value), new Response()),
};

export const AUTHORIZATION_CODE: SingleUseKind = {
  token: 'authorization code',
  aToken: 'an authorization code',
  feature: 'authorization codes',
  needs: ['getClient', 'saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode', 'saveToken'],
  findMethod: 'getAuthorizationCode',
  consumeMethod: 'revokeAuthorizationCode',
  grant: 'authorization_code',
  field: 'authorizationCode',
  expiry: 'expiresAt',
  table: 'codes',
  column: 'code',
  async save(context, more) {
    const { sent, held } = await context.saveCode(more);
    return { value: held.code, sent: { ...sent }, code: held };
  },
  use: (context, { code }, options) => context.redeem(code!, options),
  consume: (model, stored, value) =>
    model.revokeAuthorizationCode!({ authorizationCode: value, ...stored } as AuthorizationCode),
};

export const REFRESH_TOKEN: SingleUseKind = {
  token: 'refresh token',
  aToken: 'a refresh token',
  feature: 'refresh tokens',
  needs: ['getClient', 'saveToken', 'getRefreshToken', 'revokeToken'],
  findMethod: 'getRefreshToken',
  consumeMethod: 'revokeToken',
  grant: 'refresh_token',
  field: 'refreshToken',
  expiry: 'refreshTokenExpiresAt',
  table: 'refresh_tokens',
  column: 'token',
  async save(context, more) {
    const { sent, saved } = await context.saveToken(more);
    return { value: saved.refreshToken ?? sent.refreshToken!, sent };
  },
  use: (context, { value }, options) => context.refresh(value, options),
  consume: (model, stored) => model.revokeToken!(stored as RefreshToken),
};
