import { describe, expect, it } from '@jest/globals';
import { pushedRequests } from 'nest-oauth2/features';
import { Request } from 'nest-oauth2/server';

import { ISSUER, openIdServer, SECRET } from '../../support/servers/openid-server.js';
import { basic, CHALLENGE, FORM } from '../../support/clients/requests.js';

// OpenID Connect Core §3.1.2.1: `redirect_uri` is REQUIRED.

const MISSING = { error: 'invalid_request', error_description: 'Missing parameter: `redirect_uri`' };

describe('an authorization request without redirect_uri', () => {
  it('is rejected in the browser, without a redirect, if the scope contains openid', async () => {
    const { authorize } = await openIdServer();
    for (const scope of ['openid', 'read  openid profile', 'openid offline_access']) {
      const { status, location, body } = await authorize({ redirect_uri: undefined, scope });
      expect({ status, location, body }).toMatchObject({ status: 400, location: 'about:blank', body: MISSING });
    }
  });

  it('is rejected at the PAR endpoint if the scope contains openid', async () => {
    const { send } = await openIdServer({ more: [pushedRequests()] });
    const push = (more: object) => {
      const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const body = { client_id: 'web', response_type: 'code', state: 'xyz', scope: 'openid', ...challenge, ...more };
      const headers = { ...FORM, authorization: basic('web', SECRET) };
      return send('pushed_authorization_request', new Request({ method: 'POST', headers, query: {}, body }));
    };
    expect(await push({})).toMatchObject({ status: 400, body: MISSING });
    expect(await push({ scope: 'read' })).toMatchObject({ status: 201 });
  });

  it('is redirected to the only registered URI if the scope lacks openid (RFC 6749 §3.1.2.3)', async () => {
    const { authorize } = await openIdServer();
    for (const scope of ['read', 'read profile', undefined]) {
      const { parameters } = await authorize({ redirect_uri: undefined, scope });
      expect(parameters).toMatchObject({ code: expect.any(String), iss: ISSUER });
    }
  });

  it('is rejected without server_error if the scope is not a string', async () => {
    const { authorize } = await openIdServer();
    for (const scope of [{ toString: 1 }, ['openid', 'read'], 'x'.repeat(40_000)]) {
      expect(await authorize({ redirect_uri: undefined, scope })).toMatchObject({
        parameters: { error: expect.stringMatching(/^invalid_(?:scope|request)$/) },
      });
    }
  });
});
