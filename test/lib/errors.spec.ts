import { describe, expect, it } from '@jest/globals';
import OAuth2Server, * as engine from 'nest-oauth2/server';

import { createHost } from '../support/model.js';
import { answer, authorizeRequest, signedIn, tokenRequest } from '../support/requests.js';

const CATALOGUE = [
  ['OAuthError', 500, 'Error', 'Internal Server Error'],
  ['AccessDeniedError', 400, 'access_denied', 'Bad Request'],
  ['InsufficientScopeError', 403, 'insufficient_scope', 'Forbidden'],
  ['InvalidArgumentError', 500, 'invalid_argument', 'Internal Server Error'],
  ['InvalidClientError', 400, 'invalid_client', 'Bad Request'],
  ['InvalidGrantError', 400, 'invalid_grant', 'Bad Request'],
  ['InvalidRequestError', 400, 'invalid_request', 'Bad Request'],
  ['InvalidScopeError', 400, 'invalid_scope', 'Bad Request'],
  ['InvalidTokenError', 401, 'invalid_token', 'Unauthorized'],
  ['ServerError', 503, 'server_error', 'Service Unavailable'],
  ['UnauthorizedClientError', 400, 'unauthorized_client', 'Bad Request'],
  ['UnauthorizedRequestError', 401, 'unauthorized_request', 'Unauthorized'],
  ['UnsupportedGrantTypeError', 400, 'unsupported_grant_type', 'Bad Request'],
  ['UnsupportedResponseTypeError', 400, 'unsupported_response_type', 'Bad Request'],
] as const;

describe.each(CATALOGUE)('%s', (className, status, name, phrase) => {
  const ErrorClass = OAuth2Server[className];

  it(`is ${status} ${name}`, () => {
    const error = new ErrorClass('what is wrong');
    expect(Object.fromEntries(Object.entries(error))).toEqual({ code: status, status, statusCode: status });
    expect([error.name, error.message, String(error)]).toEqual([name, 'what is wrong', `${name}: what is wrong`]);
    expect(error).toBeInstanceOf(engine.OAuthError);
    expect(error).toBeInstanceOf(Error);
    expect([error.constructor.name, error.inner]).toEqual([className, undefined]);
  });

  it('is a static of the server class under the same name', () => {
    expect(Object.entries(engine)).toContainEqual([className, ErrorClass]);
  });

  it('has the phrase of its status when nothing is said', () => {
    expect(new ErrorClass().message).toBe(phrase);
    expect(new ErrorClass(undefined, { code: 429 }).message).toBe('Too Many Requests');
    expect(new ErrorClass(undefined, { code: 799 }).message).toBe('Unknown error');
  });

  it('is made from another error, whose message it takes and which it keeps', () => {
    const cause = new TypeError('deep down');
    const error = new ErrorClass(cause);
    expect([error.message, error.inner, error.cause]).toEqual(['deep down', cause, cause]);
    expect(Object.keys(error)).not.toContain('inner');
  });

  it('takes further properties, the status among them', () => {
    const error = new ErrorClass('x', { code: 429, retryAfter: 3 });
    const own = { code: 429, status: 429, statusCode: 429, retryAfter: 3 };
    expect(Object.fromEntries(Object.entries(error))).toEqual(own);
    expect(error.name).toBe(name);
  });

  it('cannot be given another prototype by a property', () => {
    const error = new ErrorClass('x', JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>);
    expect(error).toBeInstanceOf(ErrorClass);
    expect('polluted' in error || 'polluted' in {}).toBe(false);
  });
});

describe('an error of the server', () => {
  it('exports nothing else that looks like one', () => {
    const exported = Object.keys(engine).filter((name) => name.endsWith('Error'));
    expect(exported.toSorted()).toEqual(CATALOGUE.map(([name]) => name).toSorted());
  });

  it('carries a stack when it is a fault', () => {
    expect(new engine.OAuthError('x').stack).toContain('errors.spec.ts');
    expect(new engine.ServerError('x').stack).toContain('errors.spec.ts');
    expect(new engine.InvalidArgumentError('x').stack).toContain('errors.spec.ts');
  });

  it('leaves the stack depth of the process as it found it', () => {
    const depth = Error.stackTraceLimit;
    expect(new engine.InvalidGrantError('x').message).toBe('x');
    expect(Error.stackTraceLimit).toBe(depth);
  });

  it('may have a name of its own', () => {
    expect(new engine.OAuthError('x', { name: 'slow_down', code: 400 }).name).toBe('slow_down');
  });
});

describe('an error of the model', () => {
  const failing = (error: unknown) =>
    createHost({
      getUserFromClient: () => {
        throw error;
      },
    });
  const whatIsSaid = async (thrown: unknown) => {
    const { error, status, body } = await answer(
      failing(thrown),
      'token',
      tokenRequest({ grant_type: 'client_credentials' }),
    );
    return { same: error === thrown, status, body };
  };
  const HIDDEN = { error: 'server_error', error_description: 'Server error: the request could not be handled' };

  it('goes through as it is when it is an OAuthError', async () => {
    const thrown = new engine.OAuthError('Slow down', { name: 'slow_down', code: 429 });
    const body = { error: 'slow_down', error_description: 'Slow down' };
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 429, body });
  });

  it.each([
    ['is an Error', new Error('secret')],
    ['is a text', 'secret'],
    ['is nothing', undefined],
    ['is null', null],
    ['only looks like one of ours', Object.assign(new Error('secret'), { name: 'secret', code: 400, statusCode: 400 })],
  ])('says nothing of itself when it %s', async (_, thrown) => {
    expect(await whatIsSaid(thrown)).toEqual({ same: false, status: 503, body: HIDDEN });
  });

  it('says nothing of the error it was made from when it is a fault', async () => {
    const thrown = new engine.ServerError(new Error('secret'));
    expect(await whatIsSaid(thrown)).toEqual({ same: true, status: 503, body: HIDDEN });
    const plain = new engine.OAuthError(new Error('secret'));
    expect(await whatIsSaid(plain)).toEqual({ same: true, status: 500, body: HIDDEN });
  });

  it('is understood when it comes from another copy of the library', async () => {
    const foreign = Object.assign(new Error('Invalid grant: locked'), {
      name: 'invalid_grant',
      code: 400,
      statusCode: 400,
    });
    const { error, body } = await answer(failing(foreign), 'token', tokenRequest({ grant_type: 'client_credentials' }));
    expect(error).toBeInstanceOf(engine.InvalidGrantError);
    expect(body).toEqual({ error: 'invalid_grant', error_description: 'Invalid grant: locked' });
  });

  it('is said in the characters that are allowed, here and in a redirect', async () => {
    const thrown = new engine.InvalidGrantError('quotes " and \\ and ü and \n', { name: 'bad"name\r\nX: y' });
    const said = { error: 'server_error', error_description: "quotes ' and ? and ? and ?" };
    expect((await whatIsSaid(thrown)).body).toEqual(said);
    const host = createHost({
      saveAuthorizationCode: () => {
        throw thrown;
      },
    });
    expect((await answer(host, 'authorize', authorizeRequest(), signedIn)).redirected).toEqual({
      ...said,
      state: 'xyz',
    });
  });
});
