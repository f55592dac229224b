import type { LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { MINIMAL_MODEL } from '../../support/servers/start-up-error.js';
import { basic, post } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const web = { id: 'web', secret: 'web-secret', grants: ['client_credentials'], scopes: ['read'] };
const store = () => new MemoryStore({ clients: [web], users });

describe('the start-up log of an application', () => {
  const log = jest.fn<LoggerService['log']>();
  const warn = jest.fn<LoggerService['warn']>();
  const debug = jest.fn<NonNullable<LoggerService['debug']>>();
  const logger: LoggerService = { log, warn, debug, error() {} };
  afterEach(stopApplications);
  afterEach(() => {
    for (const mock of [log, warn, debug]) mock.mockReset();
  });
  const start = async (options: object) =>
    (await startApplication('express', { imports: [OAuth2Module.forRoot(options as never)] }, { logger })).url;
  const own = (mock: typeof log | typeof warn) =>
    mock.mock.calls.filter(([, context]) => context === 'OAuth2').map(([line]) => String(line));

  it('warns when the authorization endpoint cannot sign users in', async () => {
    await start({ model: store() });
    expect(own(warn)).toEqual([expect.stringContaining('cannot sign users in: add `pages()` to `features`')]);
  });

  it.each([
    ['`interaction: null` declines the authorization code grant', () => ({ model: store(), interaction: null })],
    ['an `authenticateHandler` finds the user', () => ({ model: store(), authenticateHandler: { handle() {} } })],
    ['the module serves no endpoints', () => ({ model: store(), controllers: false })],
    ['the model stores no codes', () => ({ model: MINIMAL_MODEL })],
  ])('contains no such warning when %s', async (_, options) => {
    await start(options());
    expect(own(warn)).toEqual([]);
  });

  it('lists the grant types whose model methods are missing', async () => {
    await start({ model: MINIMAL_MODEL });
    const [line] = own(log);
    expect(line).toContain('`client_credentials` needs `getUserFromClient()`');
    expect(line).toContain('`password` needs `getUser()`');
  });

  it('contains no line about grant types when the model supports all of them', async () => {
    await start({ model: store(), interaction: null });
    expect(own(log)).toEqual([]);
  });

  it('distinguishes a wrong client secret from an unknown client, although both get the same response', async () => {
    const url = await start({ model: store(), interaction: null });
    const ask = (id: string) => post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, basic(id, 'wrong'));
    const responses = [await ask('web'), await ask('stranger')];
    const [first, second] = await Promise.all(responses.map((response) => response.json() as Promise<object>));
    expect(first).toEqual(second);
    const [wrong, unknown] = debug.mock.calls.map(([line]) => String(line));
    expect(wrong).toContain('reason="client secret is wrong"');
    expect(unknown).toContain('reason="no client with this `client_id` exists"');
  });

  it('lists the scopes that a client may request, when a scope is refused', async () => {
    const url = await start({ model: store(), interaction: null });
    await post(`${url}/oauth/token`, { grant_type: 'client_credentials', scope: 'admin' }, basic('web', 'web-secret'));
    expect(String(debug.mock.calls[0]?.[0])).toContain('expected=["read"]');
  });
});
