import { describe, expect, it } from '@jest/globals';

import { createHost, WEB } from '../../support/model.js';
import { ModernGrantType } from '../../support/extension-grants.js';
import { answer, summary, tokenRequest } from '../../support/requests.js';

const URI = 'urn:example:extension';
const ask = (
  handler: unknown,
  {
    body = {},
    host = createHost(),
    ...options
  }: Record<string, unknown> & { body?: object; host?: ReturnType<typeof createHost> } = {},
) =>
  answer(host, 'token', tokenRequest({ grant_type: URI, scope: 'read', ...body }), {
    extendedGrantTypes: { [URI]: handler },
    ...options,
  });

describe('an extension grant', () => {
  it('is found by its own name only', async () => {
    const inherited = Object.create({ [URI]: ModernGrantType }) as object;
    const { error } = await answer(createHost(), 'token', tokenRequest({ grant_type: URI }), {
      extendedGrantTypes: inherited,
    });
    expect(error?.name).toBe('unsupported_grant_type');
  });

  it('is refused to a client that is not allowed it', async () => {
    const host = createHost();
    host.clients.set('web', { ...WEB, grants: ['password'] });
    expect((await ask(ModernGrantType, { host })).error?.name).toBe('unauthorized_client');
  });

  it.each([
    ['is no class', {}],
    ['cannot be constructed', () => ({})],
    [
      'throws',
      class {
        handle() {
          throw new Error('secret');
        }
      },
    ],
    [
      'rejects',
      class {
        handle() {
          return Promise.reject(new Error('secret'));
        }
      },
    ],
    ['has no handle', class {}],
  ])('that %s is a fault of the server, of which nothing is told', async (_, handler) => {
    const { error, status, body } = await ask(handler);
    expect([error?.name, status, body['error']]).toEqual(['server_error', 503, 'server_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each([null, undefined, false, {}])('that answers %j is a fault of the host', async (answered) => {
    const { error } = await ask(
      class {
        handle() {
          return answered;
        }
      },
    );
    expect(summary(error)).toBe('500 invalid_argument: Missing parameter: `accessToken`');
  });

  it('that is no class is named in the log of the host', async () => {
    const { error } = await ask({});
    expect(summary(error)).toBe('503 server_error: Server error: `extendedGrantTypes` must map to classes');
  });
});
