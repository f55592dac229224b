import { describe, expect, it } from '@jest/globals';
import { AbstractGrantType, GrantType, InvalidArgumentError, OAuth2Server } from 'nest-oauth2/server';

import { createHost } from '../../support/model.js';
import { tokenRequest } from '../../support/requests.js';

class Extension extends AbstractGrantType {
  handle(): never {
    throw new Error('not asked');
  }
}

describe('AbstractGrantType', () => {
  const options = { accessTokenLifetime: 10, refreshTokenLifetime: 20, model: createHost().model };
  // oxlint-disable-next-line no-explicit-any
  const make = (given: unknown) => new (AbstractGrantType as any)(given) as GrantType;

  it.each([
    [{}, 'Missing parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: 1 }, 'Missing parameter: `model`'],
    [undefined, 'Missing parameter: `accessTokenLifetime`'],
  ])('made with %j says %s', (given, message) => {
    expect(() => make(given)).toThrow(InvalidArgumentError);
    expect(() => make(given)).toThrow(message);
  });

  it('keeps its options where hosts look for them', () => {
    const { model } = options;
    expect(make({ ...options, alwaysIssueNewRefreshToken: true })).toMatchObject({
      accessTokenLifetime: 10,
      refreshTokenLifetime: 20,
      alwaysIssueNewRefreshToken: true,
      model,
    });
  });

  it('is the same class as GrantType, for instanceof too', () => {
    expect(make(options)).toBeInstanceOf(GrantType);
    expect(make(options)).toBeInstanceOf(AbstractGrantType);
    expect(new Extension(options)).toBeInstanceOf(AbstractGrantType);
    expect(OAuth2Server.AbstractGrantType).toBe(AbstractGrantType);
  });

  it('reads the scope of a request, or none', () => {
    expect(make(options).getScope(tokenRequest({ scope: 'a b' }))).toBe('a b');
    expect(make(options).getScope(tokenRequest({}))).toBeUndefined();
    expect(make({ ...options, scopeFormat: 'array' }).getScope(tokenRequest({ scope: 'a b' }))).toEqual(['a', 'b']);
    expect(() => make(options).getScope(tokenRequest({ scope: '"' }))).toThrow('Invalid parameter: `scope`');
  });
});
