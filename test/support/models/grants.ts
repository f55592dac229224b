import { addCode, addRefreshToken, CALLBACK, createTestModel } from './model.js';
import { runOperation, tokenRequest } from '../clients/requests.js';

export const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
export const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };

/**
 * Saves an authorization code with the properties `code` and redeems it. Returns the outcome, whether the code was
 * consumed, and the model methods that were called.
 */
export async function redeem(body: object = {}, code: object = {}, overrides: object = {}, options: object = {}) {
  const testModel = createTestModel(overrides);
  addCode(testModel, code);
  const outcome = await runOperation(testModel, 'token', tokenRequest({ ...CODE, ...body }), options);
  return {
    ...outcome,
    testModel,
    consumed: !testModel.codes.has('code'),
    methods: testModel.calls.map(([method]) => method),
  };
}

/**
 * Saves a refresh token with the properties `token` and redeems it. Returns the outcome, whether the token was
 * consumed, and the model methods that were called.
 */
export async function refresh(body: object = {}, token: object = {}, overrides: object = {}, options: object = {}) {
  const testModel = createTestModel(overrides);
  addRefreshToken(testModel, token);
  const outcome = await runOperation(testModel, 'token', tokenRequest({ ...REFRESH, ...body }), options);
  return {
    ...outcome,
    testModel,
    consumed: !testModel.refreshTokens.has('refresh'),
    methods: testModel.calls.map(([method]) => method),
  };
}
