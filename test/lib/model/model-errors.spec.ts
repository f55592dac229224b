import { describe, expect, it } from '@jest/globals';
import * as engine from 'nest-oauth2/server';

import { createTestModel } from '../../support/model.js';
import { runOperation, authorizeRequest, signedIn, tokenRequest } from '../../support/requests.js';

describe('an error thrown by a model method', () => {
  const failing = (error: unknown) =>
    createTestModel({
      getUserFromClient: () => {
        throw error;
      },
    });
  const whatIsSaid = async (thrown: unknown) => {
    const { error, status, body } = await runOperation(
      failing(thrown),
      'token',
      tokenRequest({ grant_type: 'client_credentials' }),
    );
    return { same: error === thrown, status, body };
  };
  const HIDDEN = {
    error: 'server_error',
    error_description: 'Server error: the request could not be handled; the server log has the reason',
  };

  it('is returned to the client unchanged if it is an OAuthError', async () => {
    const thrown = new engine.OAuthError('Slow down', { name: 'slow_down', code: 429 });
    const body = { error: 'slow_down', error_description: 'Slow down' };
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 429, body });
  });

  it.each([
    ['is an Error', new Error('secret')],
    ['is a string', 'secret'],
    ['is undefined', undefined],
    ['is null', null],
    ['has the name of an OAuth error but no status', Object.assign(new Error('secret'), { name: 'invalid_grant' })],
    [
      'has the name of an OAuth error but two different statuses',
      Object.assign(new Error('secret'), { name: 'invalid_grant', code: 400, statusCode: 500 }),
    ],
    [
      'has a status but an unknown name',
      Object.assign(new Error('secret'), { name: 'secret', code: 400, statusCode: 400 }),
    ],
  ])('is hidden behind a generic 503 server_error if it %s', async (_, thrown) => {
    expect(await whatIsSaid(thrown)).toEqual({ same: false, status: 503, body: HIDDEN });
  });

  it('does not reveal the message of the error that a ServerError or an OAuthError wraps', async () => {
    const thrown = new engine.ServerError(new Error('secret'));
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 503, body: HIDDEN });
    const plain = new engine.OAuthError(new Error('secret'));
    expect(await whatIsSaid(plain)).toEqual({ same: true, status: 500, body: HIDDEN });
  });

  it('is recognized as an OAuth error even if another copy of the library created it', async () => {
    const foreign = Object.assign(new Error('Invalid grant: locked'), {
      name: 'invalid_grant',
      code: 400,
      statusCode: 400,
    });
    const { error, body } = await runOperation(
      failing(foreign),
      'token',
      tokenRequest({ grant_type: 'client_credentials' }),
    );
    expect(error).toBeInstanceOf(engine.InvalidGrantError);
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'Invalid grant: locked' });
  });

  it('is returned without the characters that RFC 6749 §5.2 forbids, in the body and in the redirect', async () => {
    const thrown = new engine.InvalidGrantError('quotes " and \\ and ü and \n', { name: 'bad"name\r\nX: y' });
    const said = { error: 'server_error', error_description: "quotes ' and ? and ? and ?" };
    expect((await whatIsSaid(thrown)).body).toEqual(said);
    const testModel = createTestModel({
      saveAuthorizationCode: () => {
        throw thrown;
      },
    });
    expect((await runOperation(testModel, 'authorize', authorizeRequest(), signedIn)).redirected).toEqual({
      ...said,
      state: 'xyz',
    });
  });
});
