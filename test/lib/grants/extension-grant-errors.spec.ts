import { describe, expect, it } from '@jest/globals';

import { createTestModel, WEB } from '../../support/models/model.js';
import { ModernGrantType } from '../../support/models/extension-grants.js';
import { runOperation, summary, tokenRequest } from '../../support/clients/requests.js';

const URI = 'urn:example:extension';
const ask = (
  handler: unknown,
  {
    body = {},
    testModel = createTestModel(),
    ...options
  }: Record<string, unknown> & { body?: object; testModel?: ReturnType<typeof createTestModel> } = {},
) =>
  runOperation(testModel, 'token', tokenRequest({ grant_type: URI, scope: 'read', ...body }), {
    extendedGrantTypes: { [URI]: handler },
    ...options,
  });

describe('an extension grant in `extendedGrantTypes`', () => {
  it('is ignored if it is an inherited property of `extendedGrantTypes`', async () => {
    const inherited = Object.create({ [URI]: ModernGrantType }) as object;
    const { error } = await runOperation(createTestModel(), 'token', tokenRequest({ grant_type: URI }), {
      extendedGrantTypes: inherited,
    });
    expect(error?.name).toBe('unsupported_grant_type');
  });

  it('is refused to a client without this grant type', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['password'] });
    expect((await ask(ModernGrantType, { testModel })).error?.name).toBe('unauthorized_client');
  });

  it.each([
    ['is not a class', {}],
    ['cannot be constructed', () => ({})],
    [
      'throws in handle()',
      class {
        handle() {
          throw new Error('secret');
        }
      },
    ],
    [
      'rejects in handle()',
      class {
        handle() {
          return Promise.reject(new Error('secret'));
        }
      },
    ],
    ['has no handle() method', class {}],
  ])('causes a server error without details if it %s', async (_, handler) => {
    const { error, status, body } = await ask(handler);
    expect([error?.name, status, body['error']]).toEqual(['server_error', 503, 'server_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each([null, undefined, false, {}])('causes a 500 error if handle() returns %j', async (answered) => {
    const { error } = await ask(
      class {
        handle() {
          return answered;
        }
      },
    );
    expect(summary(error)).toBe('500 invalid_argument: Missing parameter: `accessToken`');
  });

  it('is reported as a misconfigured `extendedGrantTypes` option if it is not a class', async () => {
    const { error } = await ask({});
    expect(summary(error)).toBe('503 server_error: Server error: each value of `extendedGrantTypes` must be a class');
  });
});
