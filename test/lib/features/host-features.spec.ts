import { describe, expect, it } from '@jest/globals';
import { type Feature, InvalidTokenError, OAuth2Server } from 'nest-oauth2/server';

import { addAccessToken, createHost } from '../../support/model.js';
import { answer, resourceRequest, summary } from '../../support/requests.js';

/** A feature as a class, with something that nobody else may see. */
class Judge implements Feature {
  readonly name: string = 'judge';
  readonly #verdict = 'Invalid token: judged';

  present(): void {
    throw new InvalidTokenError(this.#verdict);
  }

  challenge(): Record<string, string> {
    return { verdict: this.#verdict.length > 0 ? 'harsh' : '' };
  }
}

const visit = async (features: (Feature | Feature[])[], token = 'access') => {
  const host = createHost();
  addAccessToken(host);
  return await answer(
    new OAuth2Server({ model: host.model, features }),
    'authenticate',
    resourceRequest(`Bearer ${token}`),
  );
};

describe('a feature that is an instance of a class', () => {
  const JUDGED = '401 invalid_token: Invalid token: judged';

  it.each<[string, (Feature | Feature[])[]]>([
    ['alone', [new Judge()]],
    ['in a profile', [[new Judge()]]],
    ['in a profile, bent by the host', [[new Judge()], { name: 'judge', describe: () => ({}) }]],
    ['bending what a profile brings', [[{ name: 'judge', present: () => undefined }], new Judge()]],
  ])('judges tokens %s', async (_, features) => {
    const { error, headers } = await visit(features);
    expect(summary(error)).toBe(JUDGED);
    expect(headers['www-authenticate']).toContain(',verdict="harsh"');
  });

  it('of a profile judges none where the host says that it does not', async () => {
    expect(
      summary((await visit([[new Judge()], { name: 'judge', present: undefined } as object as Feature])).error),
    ).toBe('no error');
  });
});

describe('a challenge that fails', () => {
  it.each([new Error('secret'), new TypeError('secret')])('with %p is a fault that says nothing', async (failure) => {
    const challenge = () => {
      throw failure;
    };
    const { error, status, headers } = await visit([{ name: 'failing', challenge }], 'unknown');
    expect(summary(error)).toBe('503 server_error: Server error: the request could not be handled');
    expect([status, headers]).toEqual([503, {}]);
  });
});
