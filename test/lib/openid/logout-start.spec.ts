import { describe, expect, it, jest } from '@jest/globals';
import { ciba, logout, LOGOUT, OPENID, type OpenIdOptions } from 'nest-oauth2/openid';

import type { Feature } from 'nest-oauth2/features';

import { ISSUER, openIdServer } from '../../support/servers/openid-server.js';

const start = async (features: readonly Feature[], options: OpenIdOptions & { options?: object } = {}) => {
  const onSignOut = jest.fn();
  const model = { onSignOut, findHintedUser: () => undefined, askUser: () => undefined };
  const started = openIdServer({ more: features, model, ...options });
  return { onSignOut, started };
};

describe('logout() at start-up', () => {
  it('subscribes to the sessions that end in the store, before any request', async () => {
    const { onSignOut, started } = await start([logout()]);
    await started;
    expect(onSignOut.mock.calls).toEqual([[ISSUER, expect.any(Function)]]);
  });

  it.each<[string, Feature, OpenIdOptions]>([
    ['logout()', logout({ lifetime: -1 }), {}],
    ['openid()', logout(), { idTokenLifetime: -1 }],
  ])('does not subscribe if %s is misconfigured', async (_, feature, options) => {
    const { onSignOut, started } = await start([feature], options);
    await expect(started).rejects.toThrow('ifetime` of `');
    expect(onSignOut).not.toHaveBeenCalled();
  });

  it('subscribes with the issuer of each server if two servers share one `logout()` value', async () => {
    const shared = [logout(), ciba()];
    const other = 'https://other.example.com';
    const first = await start(shared);
    const second = await start(shared, { options: { issuer: other } });
    const [one, two] = [(await first.started).server.context, (await second.started).server.context];
    expect([first, second].map(({ onSignOut }) => onSignOut.mock.calls[0]![0])).toEqual([ISSUER, other]);
    for (const key of [LOGOUT, OPENID]) expect(one.find<object>(key)).not.toBe(two.find<object>(key));
  });
});
