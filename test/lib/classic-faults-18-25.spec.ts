import { describe, expect, it, jest } from '@jest/globals';
import * as engine from 'nest-oauth2/server';
import type { Client } from 'nest-oauth2/server';

import { addCode, CALLBACK, createHost, OTHER_CALLBACK, WEB } from '../support/model.js';
import { answer, authorizeRequest, FORM, formRequest, signedIn, tokenRequest } from '../support/requests.js';

// What the classic libraries do wrong, one test each, in the order of the list in docs/migrating.md: protocol and API.

const { OAuth2Server, OAuthError, Response } = engine;
const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const CREDENTIALS = { grant_type: 'client_credentials' };
const authorize = (query: object = {}, host = createHost(), options: object = {}) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });

describe('the protocol faults of the classic libraries are absent:', () => {
  it('18. an error redirect to a URI that has a query says error, description and state', async () => {
    const { headers } = await authorize({ redirect_uri: OTHER_CALLBACK, scope: 'a"' });
    expect(headers['location']).toBe(
      `${OTHER_CALLBACK}&error=invalid_scope&error_description=Invalid%20parameter%3A%20%60scope%60&state=xyz`,
    );
  });

  it('19. a redirect URI that was left out need not be named at the token endpoint, and a wrong one is invalid_grant', async () => {
    const host = createHost();
    host.clients.set('web', { ...WEB, redirectUris: [CALLBACK] });
    const { redirected } = await authorize({ redirect_uri: undefined }, host);
    const body = { grant_type: 'authorization_code', code: redirected['code'] };
    expect((await answer(host, 'token', tokenRequest(body))).status).toBe(200);
    addCode(host);
    const { error } = await answer(host, 'token', tokenRequest({ ...CODE, redirect_uri: OTHER_CALLBACK }));
    expect(error?.name).toBe('invalid_grant');
  });

  it('20. a client that cannot be identified is answered by 401 and the challenge', async () => {
    for (const request of [
      formRequest(CREDENTIALS),
      tokenRequest(CREDENTIALS, { headers: { ...FORM, authorization: 'Basic ?' } }),
    ]) {
      const { status, headers } = await answer(createHost(), 'token', request);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="Service", error="invalid_client"']);
    }
  });

  it('21. every error is an OAuthError, those of getClient and the authenticate handler included', async () => {
    const failing = () => Promise.reject(new TypeError('x'));
    const noClient = await authorize({}, createHost({ getClient: failing }));
    const noUser = await authorize({}, createHost(), { authenticateHandler: { handle: failing } });
    for (const { error } of [noClient, noUser]) expect(error).toBeInstanceOf(engine.ServerError);
  });

  it('22. an operation throws nothing synchronously: it rejects, and tells a callback', async () => {
    const server = new OAuth2Server({ model: {} as never });
    for (const name of ['authenticate', 'authorize', 'token'] as const) {
      const operation = server[name].bind(server) as (...args: unknown[]) => Promise<unknown>;
      await expect(operation()).rejects.toBeInstanceOf(OAuthError);
      await expect(operation(authorizeRequest(), new Response(), { accessTokenLifetime: 0 })).rejects.toBeInstanceOf(
        OAuthError,
      );
      const told = await new Promise((resolve) => {
        void operation(authorizeRequest({ client_id: undefined }), new Response(), null, resolve);
      });
      expect(told).toBeInstanceOf(OAuthError);
    }
  });

  it('23. the client never hears of invalid_argument: a mistake of the host is server_error, a bad scope invalid_scope', async () => {
    const mistaken = await answer(createHost({ getUserFromClient: undefined }), 'token', tokenRequest(CREDENTIALS));
    expect([mistaken.error?.name, mistaken.body['error']]).toEqual(['invalid_argument', 'server_error']);
    expect(JSON.stringify(mistaken.body)).not.toContain('getUserFromClient');
    const redirected = await authorize(
      { response_type: 'token' },
      createHost({ getClient: () => ({ ...WEB, grants: ['implicit'] }), saveToken: () => null }),
    );
    expect([redirected.error?.name, redirected.redirected['error']]).toEqual(['invalid_argument', 'server_error']);
    const badScope = await answer(createHost(), 'token', tokenRequest({ ...CREDENTIALS, scope: 'ä' }));
    expect([badScope.status, badScope.body['error']]).toEqual([400, 'invalid_scope']);
  });

  it('24. a lifetime given as text is a number of seconds, also across a change of the clocks', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-10-25T00:58:00Z'));
    const { result } = await authorize({}, createHost(), { authorizationCodeLifetime: '300' });
    now.mockRestore();
    expect(result?.['expiresAt']).toEqual(new Date('2026-10-25T01:03:00Z'));
  });

  it('25. an async method with a parameter more than expected does not hang', async () => {
    const getUserFromClient = async (client: Client, trace?: unknown) => trace ?? { id: client.id };
    expect((await answer(createHost({ getUserFromClient }), 'token', tokenRequest(CREDENTIALS))).status).toBe(200);
  });
});
