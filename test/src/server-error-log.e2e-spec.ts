import type { LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule, demoStore } from '../support/servers/demo.js';
import { readResponse, basic, bearer, get, post } from '../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../support/servers/test-application.js';

const fault = new Error('connect ECONNREFUSED 10.0.0.1:5432');

/** Returns a new error like `fault`: one error object is logged once. */
const newFault = () => Object.assign(new Error(fault.message), { stack: fault.stack });
const hidden = {
  error: 'server_error',
  error_description: 'Server error: the request could not be handled; the server log has the reason',
};

describe.each(PLATFORMS)('an error thrown by the application’s own code, on %s,', (platform) => {
  const error = jest.fn<LoggerService['error']>();
  const logger: LoggerService = { error, log() {}, warn() {} };
  afterEach(stopApplications);
  afterEach(() => {
    error.mockReset();
  });

  const reported = () => error.mock.calls.map(([message, stack, context]) => [message, stack === fault.stack, context]);

  it('is logged but not returned, at both endpoints and in the guard', async () => {
    const model = Object.assign(demoStore(), {
      getClient: () => Promise.reject(newFault()),
      getAccessToken: () => Promise.reject(newFault()),
    });
    const { url } = await startApplication(platform, demoModule({ model }), { logger });
    const query = new URLSearchParams(AUTHORIZATION_PARAMETERS).toString();
    const form = { grant_type: 'client_credentials' };
    for (const answer of [
      post(`${url}/oauth/token`, form, basic('web', 'web-secret')),
      get(`${url}/oauth/authorize?${query}`),
      get(`${url}/notes`, bearer('abc')),
    ]) {
      const { status, body } = await readResponse(answer);
      expect({ status, body }).toMatchObject({ status: 503, body: hidden });
    }
    expect(reported()).toEqual(Array.from({ length: 3 }, () => [fault.message, true, 'OAuth2']));
  });

  it('is logged if the interaction threw it, while a rejected request is not logged as an error', async () => {
    const interaction = Object.assign(new DemoInteraction(), { findUser: () => Promise.reject(newFault()) });
    const { url } = await startApplication(platform, demoModule({ interaction }), { logger });
    await get(`${url}/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`);
    await get(`${url}/oauth/authorize`);
    await get(`${url}/notes`);
    await post(`${url}/oauth/token`, { a: 'x'.repeat(2 ** 20) });
    expect(reported()).toEqual([[fault.message, true, 'OAuth2']]);
  });
});
