import { ConsoleLogger, Logger, type LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuthError } from 'nest-oauth2';
import type { EventSink } from 'nest-oauth2/server';
import { AUTHORIZATION_PARAMETERS, demoModule, demoStore } from '../support/servers/demo.js';
import { basic, bearer, get, post } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const query = (changes: object) => new URLSearchParams({ ...AUTHORIZATION_PARAMETERS, ...changes }).toString();

describe.each(PLATFORMS)('the event log on %s', (platform) => {
  const debug = jest.fn<(message: unknown, context?: string) => void>();
  const error = jest.fn<LoggerService['error']>();
  const warn = jest.fn<LoggerService['warn']>();
  const logger: LoggerService = { debug, error, warn, log() {} };
  const emit = jest.fn<EventSink['emit']>();
  afterEach(stopApplications);
  afterEach(() => {
    for (const mock of [debug, error, warn, emit]) mock.mockReset();
  });

  const start = async (options = {}) => (await startApplication(platform, demoModule(options), { logger })).url;
  const lines = () => debug.mock.calls.map(([message]) => String(message));

  it('has one line for each refusal, from the same event object that the application’s listeners receive', async () => {
    const url = await start({ events: { emit } });
    await get(`${url}/notes`);
    await post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, basic('web', 'wrong'));
    await post(`${url}/oauth/token`, { grant_type: 'urn:example:none' }, basic('web', 'web-secret'));
    await get(`${url}/oauth/authorize?${query({ client_id: 'nobody' })}`);
    expect(lines().map((line) => line.split(' ', 1)[0])).toEqual([
      'access.refused',
      'client.refused',
      'token.refused',
      'authorization.refused',
    ]);
    const reported = emit.mock.calls.filter(([name]) => name !== 'client.authenticated');
    expect(reported.map(([name]) => name)).toEqual(lines().map((line) => line.split(' ', 1)[0]));
    const facts = ({ at: _, ...payload }: { at?: Date }) =>
      Object.entries(payload).filter(([, value]) => value !== undefined);
    for (const [index, [, payload]] of reported.entries()) {
      for (const [name, value] of facts(payload)) expect(lines()[index]).toContain(`${name}=${JSON.stringify(value)}`);
    }
    expect(lines().map((line) => line.split(' ').at(-1))).toEqual([
      'help="node_modules/nest-oauth2/docs/reference/errors.md#unauthorized_request"',
      'help="node_modules/nest-oauth2/docs/reference/errors.md#invalid_client"',
      'help="node_modules/nest-oauth2/docs/reference/errors.md#unsupported_grant_type"',
      'help="node_modules/nest-oauth2/docs/reference/errors.md#invalid_client"',
    ]);
    expect(debug.mock.calls.map(([, context]) => context)).toEqual(Array.from({ length: 4 }, () => 'OAuth2'));
    expect([error.mock.calls, warn.mock.calls]).toEqual([[], []]);
  });

  // `Logger.isLevelEnabled()` of Nest 11 returns false until the application sets log levels.
  it('has a line if no log level is configured, although Nest 11 reports the level as disabled', async () => {
    const url = await start();
    const isLevelEnabled = jest.spyOn(Logger, 'isLevelEnabled').mockReturnValue(false);
    await get(`${url}/notes`, bearer('nonsense'));
    isLevelEnabled.mockRestore();
    expect(lines()).toEqual([expect.stringMatching(/^access\.refused .*error="invalid_token"/)]);
  });

  it('keeps a refusal on one line if the client sends line breaks and control characters', async () => {
    const url = await start();
    await get(
      `${url}/oauth/authorize?${query({ client_id: 'web\n[Nest] all is well\u001b[2J\u009b2J', scope: '\u202ellew si lla' })}`,
    );
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatch(/^[\x20-\x7e]+$/);
    expect(lines()[0]).toContain(String.raw`scope="\u202ellew si lla"`);
  });

  it('has no help for an error code of the application', async () => {
    const getAccessToken = () =>
      Promise.reject(new OAuthError('Quota exceeded', { code: 429, name: 'quota_exceeded' }));
    const url = await start({ model: Object.assign(demoStore(), { getAccessToken }) });
    await get(`${url}/notes`, bearer('token'));
    expect(lines()).toEqual([expect.stringMatching(/ error="quota_exceeded" /)]);
    expect(lines()[0]).not.toContain('help=');
  });

  it('contains requests that are rejected before they reach the OAuth server', async () => {
    const url = await start();
    await get(`${url}/oauth/token`);
    await post(`${url}/oauth/token`, { a: 'x'.repeat(2 ** 21) }).catch(() => undefined);
    expect(lines()).toEqual([
      expect.stringMatching(/^token\.refused endpoint="token" error="invalid_request" .*status=405/),
      expect.stringMatching(/^token\.refused endpoint="token" error="invalid_request" .*status=413/),
    ]);
  });

  it('contains no granted requests, and nothing at all if the log level is disabled', async () => {
    const quiet = new ConsoleLogger({ logLevels: ['error'] });
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { url } = await startApplication(platform, demoModule({ events: { emit } }), { logger: quiet });
    await post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, basic('web', 'web-secret'));
    await get(`${url}/notes`, bearer('nonsense'));
    expect(written.mock.calls.filter(([line]) => String(line).includes('refused'))).toEqual([]);
    written.mockRestore();
    expect(emit.mock.calls.map(([name]) => name)).toEqual(['client.authenticated', 'token.issued', 'access.refused']);
    expect(lines()).toEqual([]);
  });

  it('warns about the replay of a refresh token', async () => {
    const url = await start();
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    const response = await post(`${url}/oauth/token`, form, basic('web', 'web-secret'));
    const { refresh_token } = (await response.json()) as { refresh_token: string };
    const refresh = { grant_type: 'refresh_token', refresh_token };
    await post(`${url}/oauth/token`, refresh, basic('web', 'web-secret'));
    await post(`${url}/oauth/token`, refresh, basic('web', 'web-secret'));
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(/^token\.reuse_detected .*clientId="web" userId="alice" .*kind="refresh token"/),
        'OAuth2',
      ],
    ]);
  });

  it('logs once an internal error that the client receives in a redirect', async () => {
    const fault = new Error('connect ECONNREFUSED 10.0.0.1:5432');
    const model = Object.assign(demoStore(), { saveAuthorizationCode: () => Promise.reject(fault) });
    const url = await start({ model, authenticateHandler: { handle: () => ({ id: 'alice' }) } });
    const response = await get(`${url}/oauth/authorize?${query({})}`);
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('error=server_error'),
    ]);
    expect(error.mock.calls).toEqual([[fault.message, fault.stack, 'OAuth2']]);
    expect(lines()).toEqual([]);
  });

  it('contains nothing when an authenticateHandler redirects the user to the login page', async () => {
    const handle = (_: unknown, response: { redirect(to: string): void }) => response.redirect('/login');
    const url = await start({ authenticateHandler: { handle } });
    const answer = await get(`${url}/oauth/authorize?${query({})}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login']);
    expect([error.mock.calls, warn.mock.calls, lines()]).toEqual([[], [], []]);
  });
});
