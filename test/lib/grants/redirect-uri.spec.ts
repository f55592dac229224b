import { describe, expect, it } from '@jest/globals';

import { CODE, redeem } from '../../support/grants.js';
import { addCode, CALLBACK, createHost, OTHER_CALLBACK } from '../../support/model.js';
import { answer, summary, tokenRequest } from '../../support/requests.js';

describe('the redirect URI of a token request', () => {
  const MISMATCH = '400 invalid_grant: Invalid grant: `redirect_uri` is invalid';

  it.each([
    ['left out', { redirect_uri: undefined }],
    ['empty', { redirect_uri: '' }],
    ['another registered one', { redirect_uri: OTHER_CALLBACK }],
    ['of a longer path', { redirect_uri: `${CALLBACK}/` }],
    ['that is no URI', { redirect_uri: 'nowhere' }],
  ])('and spends the code when it is %s', async (_, body) => {
    const { error, spent, methods } = await redeem(body);
    expect([summary(error), spent, methods.includes('saveToken')]).toEqual([MISMATCH, true, false]);
  });

  it('and refuses two of them', async () => {
    const { error } = await redeem({ redirect_uri: [CALLBACK, CALLBACK] });
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `redirect_uri`');
  });

  it('to the letter, ports of loopback addresses included', async () => {
    const { error } = await redeem({ redirect_uri: 'http://127.0.0.1:2/cb' }, { redirectUri: 'http://127.0.0.1:1/cb' });
    expect(summary(error)).toBe(MISMATCH);
  });

  it('in the query as in the form', async () => {
    const host = createHost();
    addCode(host);
    const request = tokenRequest({ ...CODE, redirect_uri: undefined }, { query: { redirect_uri: CALLBACK } });
    expect((await answer(host, 'token', request)).status).toBe(200);
  });

  it.each([[undefined], [null]])(
    'of a code saved with %j: left out, or the first one registered',
    async (redirectUri) => {
      expect((await redeem({ redirect_uri: undefined }, { redirectUri })).status).toBe(200);
      expect((await redeem({}, { redirectUri })).status).toBe(200);
      expect(summary((await redeem({ redirect_uri: OTHER_CALLBACK }, { redirectUri })).error)).toBe(MISMATCH);
      expect(summary((await redeem({ redirect_uri: 'https://evil.example/' }, { redirectUri })).error)).toBe(MISMATCH);
    },
  );
});
