import { describe, expect, it } from '@jest/globals';

import { CALLBACK, createTestModel, WEB } from '../../support/models/model.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';

const authorize = (query: object) => {
  const testModel = createTestModel();
  testModel.clients.set('web', { ...WEB, grants: ['authorization_code', 'implicit'] });
  return runOperation(testModel, 'authorize', authorizeRequest({ ...query }), signedIn);
};

const place = (headers: Record<string, string>) => headers['location']?.slice(CALLBACK.length, CALLBACK.length + 6);

describe('response_mode of an authorization request', () => {
  it.each([
    [{ response_type: 'code' }, '?code='],
    [{ response_type: 'code', response_mode: '' }, '?code='],
    [{ response_type: 'code', response_mode: 'query' }, '?code='],
    [{ response_type: 'code', response_mode: 'fragment' }, '#code='],
    [{ response_type: 'token' }, '#acces'],
    [{ response_type: 'token', response_mode: 'fragment' }, '#acces'],
  ])('sends the response of %j to the query or the fragment: %s', async (query, start) => {
    const { error, headers } = await authorize(query);
    expect(summary(error)).toBe('no error');
    expect(place(headers)).toBe(start);
  });

  it('also applies to error responses', async () => {
    const { error, headers } = await authorize({ response_mode: 'fragment', scope: 'nonsense' });
    expect(error?.name).toBe('invalid_scope');
    expect(place(headers)).toBe('#error');
  });

  it.each([
    [{ response_mode: 'form_post' }, '?error'],
    [{ response_mode: 'Fragment' }, '?error'],
    [{ response_mode: 'toString' }, '?error'],
    [{ response_type: 'token', response_mode: 'query' }, '#error'],
    [{ response_type: 'token', response_mode: 'nonsense' }, '#error'],
  ])('rejects %j, with the error in the default mode of the response type: %s', async (query, start) => {
    const { error, headers } = await authorize(query);
    expect(summary(error)).toBe('400 invalid_request: Invalid parameter: `response_mode`');
    expect(place(headers)).toBe(start);
  });

  it('is rejected if it is repeated', async () => {
    const { error, headers } = await authorize({ response_mode: ['query', 'fragment'] });
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `response_mode`');
    expect(place(headers)).toBe('?error');
  });
});
