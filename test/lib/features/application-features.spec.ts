import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError, InvalidTokenError, OAuth2Server } from 'nest-oauth2/server';
import type { Feature, Installed } from 'nest-oauth2/features';

import { addAccessToken, createTestModel } from '../../support/models/model.js';
import { runOperation, resourceRequest, summary } from '../../support/clients/requests.js';

/** Hooks as methods of a class with a private field. */
class Verdict {
  readonly #verdict = 'Invalid token: judged';

  verify(): void {
    throw new InvalidTokenError(this.#verdict);
  }

  challenge(): Record<string, string> {
    return { verdict: this.#verdict.length > 0 ? 'harsh' : '' };
  }
}

/** A feature as a class. */
class Judge implements Feature {
  readonly id: string = 'judge';

  install(): Installed {
    return { resource: new Verdict() };
  }
}

const visit = async (features: (Feature | Feature[])[], token = 'access') => {
  const testModel = createTestModel();
  addAccessToken(testModel);
  return await runOperation(
    new OAuth2Server({ model: testModel.model, features }),
    'authenticate',
    resourceRequest(`Bearer ${token}`),
  );
};

describe('a feature that is an instance of a class', () => {
  const JUDGED = '401 invalid_token: Invalid token: judged';

  it.each<[string, (Feature | Feature[])[]]>([
    ['directly', [new Judge()]],
    ['in a profile', [[new Judge()]]],
    ['after a profile with a feature of the same id', [[{ id: 'judge' }], new Judge()]],
  ])('verifies tokens if it is listed %s', async (_, features) => {
    const { error, headers } = await visit(features);
    expect(summary(error)).toBe(JUDGED);
    expect(headers['www-authenticate']).toContain(',verdict="harsh"');
  });

  it('is replaced completely by a later feature with the same id', async () => {
    const own: Feature = { id: 'judge', install: () => ({ token: { describe: () => ({}) } }) };
    const { error, headers } = await visit([[new Judge()], own]);
    expect([summary(error), headers['www-authenticate']]).toEqual(['no error', undefined]);
  });
});

describe('the option `features`', () => {
  const factory = () => new Judge();

  it.each<[string, unknown, string]>([
    ['a factory that was not called', [factory], '`factory` in `features` is a function: call it'],
    ['a factory in a profile', [[factory]], '`factory` in `features` is a function: call it'],
    ['null', [null], 'a feature must have an `id`'],
    ['undefined in a profile', [[new Judge(), undefined]], 'a feature must have an `id`'],
    ['a profile in a profile', [[[new Judge()]]], 'a feature must have an `id`'],
    ['a feature that is not in a list', new Judge(), 'the option `features` must be a list such as `[revocation()]`'],
  ])('rejects %s', (_, features, fault) => {
    const make = () => new OAuth2Server({ model: createTestModel().model, features: features as never });
    expect(make).toThrow(new InvalidArgumentError(`Invalid argument: ${fault}`));
  });
});

describe('a challenge hook that throws', () => {
  it.each([new Error('secret'), new TypeError('secret')])('causes an error without details: %p', async (failure) => {
    const challenge = () => {
      throw failure;
    };
    const { error, status, headers } = await visit(
      [{ id: 'failing', install: () => ({ resource: { challenge } }) }],
      'unknown',
    );
    expect(summary(error)).toBe(
      '503 server_error: Server error: the request could not be handled; the server log has the reason',
    );
    expect([status, headers]).toEqual([503, {}]);
  });
});
