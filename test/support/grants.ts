import { addCode, addRefreshToken, CALLBACK, createTestModel } from './model.js';
import { runOperation, tokenRequest } from './requests.js';

export const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
export const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };

/** Redeems a code that was saved with `code`; tells whether it was spent, and what the model was asked. */
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

/** The same for a refresh token. */
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
