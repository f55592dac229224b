import { Response } from '../../http/response.js';
import type { AuthorizationCode, Model, ModelMethod, RefreshToken } from '../../model/model.js';
import type { Trial, Counter, HeldCode } from '../trial.js';
import type { Feature } from '../contract.js';
import { bearerRequest } from '../requests.js';

/** Something the model saved, as its holder has it. */
export interface Held {
  /** The token or code itself. */
  value: string;
  /** What the model was given to save. */
  sent: Record<string, unknown>;
  code?: HeldCode;
}

/** What is kept by a model and found by its value: the checks of all kinds are the same. */
export interface Kind {
  what: string;
  /** The same with its article. */
  one: string;
  feature: Feature;
  needs: readonly ModelMethod[];
  finder: 'getAccessToken' | 'getAuthorizationCode' | 'getRefreshToken';
  /** The field that holds the value, and the one that holds its expiry. */
  field: string;
  expiry: string;
  /** As a query names it. */
  table: string;
  column: string;
  save(trial: Trial, more?: object): Promise<Held>;
  /** Brings it to the host's server; rejects when it is refused. */
  use(trial: Trial, held: Held, counter?: Counter): Promise<unknown>;
}

/** A kind that can be spent once. */
export interface SpendableKind extends Kind {
  grant: string;
  spender: 'revokeAuthorizationCode' | 'revokeToken';
  /** Spends what the finder returned, as the server does. */
  spend(model: Model, found: object, value: string): PromiseLike<unknown> | unknown;
}

export const ACCESS_TOKEN: Kind = {
  what: 'access token',
  one: 'an access token',
  feature: 'access tokens',
  needs: ['saveToken', 'getAccessToken'],
  finder: 'getAccessToken',
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

export const AUTHORIZATION_CODE: SpendableKind = {
  what: 'authorization code',
  one: 'an authorization code',
  feature: 'authorization codes',
  needs: ['getClient', 'saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode', 'saveToken'],
  finder: 'getAuthorizationCode',
  spender: 'revokeAuthorizationCode',
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
  spend: (model, found, value) =>
    model.revokeAuthorizationCode!({ authorizationCode: value, ...found } as AuthorizationCode),
};

export const REFRESH_TOKEN: SpendableKind = {
  what: 'refresh token',
  one: 'a refresh token',
  feature: 'refresh tokens',
  needs: ['getClient', 'saveToken', 'getRefreshToken', 'revokeToken'],
  finder: 'getRefreshToken',
  spender: 'revokeToken',
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
  spend: (model, found) => model.revokeToken!(found as RefreshToken),
};
