import { describe, expect, it } from '@jest/globals';

import { CODE, redeem } from '../../support/grants.js';
import { addCode, CALLBACK, createTestModel, OTHER_CALLBACK } from '../../support/model.js';
import { runOperation, summary, tokenRequest } from '../../support/requests.js';

describe('redirect_uri of a token request with an authorization code', () => {
  const MISMATCH = '400 invalid_grant: Invalid grant: `redirect_uri` is invalid';

  it.each([
    ['omitted', { redirect_uri: undefined }],
    ['empty', { redirect_uri: '' }],
    ['another registered URI', { redirect_uri: OTHER_CALLBACK }],
    ['a URI with a longer path', { redirect_uri: `${CALLBACK}/` }],
    ['not a URI', { redirect_uri: 'nowhere' }],
  ])('causes invalid_grant and consumes the code if it is %s', async (_, body) => {
    const { error, consumed, methods } = await redeem(body);
    expect([summary(error), consumed, methods.includes('saveToken')]).toEqual([MISMATCH, true, false]);
  });

  it('is rejected if it is repeated', async () => {
    const { error } = await redeem({ redirect_uri: [CALLBACK, CALLBACK] });
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `redirect_uri`');
  });

  it('must match exactly, including the port of a loopback address', async () => {
    const { error } = await redeem({ redirect_uri: 'http://127.0.0.1:2/cb' }, { redirectUri: 'http://127.0.0.1:1/cb' });
    expect(summary(error)).toBe(MISMATCH);
  });

  it('is accepted in the query as well as in the form', async () => {
    const testModel = createTestModel();
    addCode(testModel);
    const request = tokenRequest({ ...CODE, redirect_uri: undefined }, { query: { redirect_uri: CALLBACK } });
    expect((await runOperation(testModel, 'token', request)).status).toBe(200);
  });

  it.each([[undefined], [null]])(
    'can be omitted or be the first registered URI if the saved code has the redirectUri %j',
    async (redirectUri) => {
      expect((await redeem({ redirect_uri: undefined }, { redirectUri })).status).toBe(200);
      expect((await redeem({}, { redirectUri })).status).toBe(200);
      expect(summary((await redeem({ redirect_uri: OTHER_CALLBACK }, { redirectUri })).error)).toBe(MISMATCH);
      expect(summary((await redeem({ redirect_uri: 'https://evil.example/' }, { redirectUri })).error)).toBe(MISMATCH);
    },
  );
});
