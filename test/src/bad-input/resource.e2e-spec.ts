import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoModule } from '../../support/servers/demo.js';
import { readResponse, bearer, get, NO_STORE, refusalBody } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

describe.each(PLATFORMS)('bad input at a protected resource on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await startApplication(platform, demoModule()));
  });
  afterAll(stopApplications);

  const refusal = (status: number, error: string, description: string) => ({
    status,
    headers: {
      'content-type': NO_STORE['content-type'],
      'www-authenticate': `Bearer realm="Service",error="${error}"`,
      'x-accepted-oauth-scopes': 'notes:read',
    },
    body: refusalBody(status, error, description),
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer ü', 'Basic abc', 'Digest Bearer abc', 'nonsense'])(
    'rejects the malformed authorization header `%s`',
    async (authorization) => {
      expect(await readResponse(get(`${url}/notes`, { authorization }))).toEqual(
        refusal(400, 'invalid_request', 'Invalid request: malformed authorization header'),
      );
    },
  );

  it.each([
    ['an unknown text', 'nonsense'],
    ['the name of a property that every object has', '__proto__'],
    ['8000 characters', 'x'.repeat(8000)],
  ])('rejects %s as an access token', async (_name, value) => {
    expect(await readResponse(get(`${url}/notes`, bearer(value)))).toEqual(
      refusal(401, 'invalid_token', 'Invalid token: access token is invalid'),
    );
  });

  it('rejects an access token in the URL', async () => {
    expect(await readResponse(get(`${url}/notes?access_token=abc`))).toEqual(
      refusal(400, 'invalid_request', 'Invalid request: do not send bearer tokens in query URLs'),
    );
  });
});
