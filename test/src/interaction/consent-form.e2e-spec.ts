import type { LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { openConsentPage, pageOf } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, demoModule } from '../../support/servers/demo.js';
import { readResponse, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const asAlice = { cookie: 'user=alice' };
const NO_CSRF_TOKEN =
  'The consent page is shown again because its form was posted without `csrf_token`: add a hidden field `csrf_token` ' +
  'with the value of `context.csrfToken` that `consent()` receives';
const NO_DECISION =
  'The consent page is shown again because its form was posted without a decision: name its buttons `decision`, ' +
  'with the values `allow` and `deny`';

describe.each(PLATFORMS)('an incomplete consent form on %s', (platform) => {
  const warn = jest.fn<LoggerService['warn']>();
  const debug = jest.fn<(message: unknown, context?: string) => void>();
  const logger: LoggerService = { debug, warn, error() {}, log() {} };
  afterEach(stopApplications);
  afterEach(() => {
    warn.mockReset();
    debug.mockReset();
  });

  const start = async () => (await startApplication(platform, demoModule(), { logger })).url;

  it.each([
    ['no `csrf_token`', { decision: 'allow' }, NO_CSRF_TOKEN],
    ['no fields', {}, NO_CSRF_TOKEN],
    ['no decision', { csrf_token: 'x' }, NO_DECISION],
    ['an unknown decision', { csrf_token: 'x', decision: 'yes' }, NO_DECISION],
  ])(
    'is shown again if it has %s, and a warning tells the developer how to correct it',
    async (_name, form, sentence) => {
      const url = await start();
      const { action } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
      pageOf(await readResponse(post(url + action, form, asAlice)));
      expect(warn.mock.calls).toEqual([[sentence, 'OAuth2']]);
    },
  );

  it('with an invalid CSRF token causes no warning: the reason is logged at debug level, without the token', async () => {
    const url = await start();
    const { action } = pageOf(await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice'));
    pageOf(await readResponse(post(url + action, { csrf_token: 'CANARY-token', decision: 'allow' }, asAlice)));
    const [line] = debug.mock.calls.map(([message]) => String(message));
    expect(line).toMatch(
      /^authorization\.refused .*clientId="web" userId="alice" .*reason="CSRF token of the consent form is expired/,
    );
    expect(line).not.toContain('CANARY');
    expect(warn.mock.calls).toEqual([]);
  });

  it('causes no warning if it is an authorization request sent as a form', async () => {
    const url = await start();
    pageOf(await readResponse(post(`${url}/oauth/authorize`, AUTHORIZATION_PARAMETERS, asAlice)));
    expect(warn.mock.calls).toEqual([]);
  });
});
