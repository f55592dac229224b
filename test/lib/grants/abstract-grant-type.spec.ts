import { describe, expect, it } from '@jest/globals';
import { AbstractGrantType, InvalidArgumentError, OAuth2Server } from 'nest-oauth2/server';
import { GrantType } from 'nest-oauth2/features';

import { createTestModel } from '../../support/models/model.js';
import { tokenRequest } from '../../support/clients/requests.js';

class Extension extends AbstractGrantType {
  handle(): never {
    throw new Error('not asked');
  }
}

describe('AbstractGrantType', () => {
  const options = { accessTokenLifetime: 10, refreshTokenLifetime: 20, model: createTestModel().model };
  // oxlint-disable-next-line no-explicit-any
  const make = (given: unknown) => new (AbstractGrantType as any)(given) as GrantType;

  it.each([
    [{}, 'Missing parameter: `accessTokenLifetime`'],
    [{ accessTokenLifetime: 1 }, 'Missing parameter: `model`'],
    [undefined, 'Missing parameter: `accessTokenLifetime`'],
  ])('throws an InvalidArgumentError for the options %j: %s', (given, message) => {
    expect(() => make(given)).toThrow(InvalidArgumentError);
    expect(() => make(given)).toThrow(message);
  });

  it('exposes its options as properties', () => {
    const { model } = options;
    expect(make({ ...options, alwaysIssueNewRefreshToken: true })).toMatchObject({
      accessTokenLifetime: 10,
      refreshTokenLifetime: 20,
      alwaysIssueNewRefreshToken: true,
      model,
    });
  });

  it('is the same class as GrantType, also for instanceof', () => {
    expect(make(options)).toBeInstanceOf(GrantType);
    expect(make(options)).toBeInstanceOf(AbstractGrantType);
    expect(new Extension(options)).toBeInstanceOf(AbstractGrantType);
    expect(OAuth2Server.AbstractGrantType).toBe(AbstractGrantType);
  });

  it('returns the scope of a request in the configured format, or undefined', () => {
    expect(make(options).getScope(tokenRequest({ scope: 'a b' }))).toBe('a b');
    expect(make(options).getScope(tokenRequest({}))).toBeUndefined();
    expect(make({ ...options, scopeFormat: 'array' }).getScope(tokenRequest({ scope: 'a b' }))).toEqual(['a', 'b']);
    expect(() => make(options).getScope(tokenRequest({ scope: '"' }))).toThrow('Invalid parameter: `scope`');
  });
});
