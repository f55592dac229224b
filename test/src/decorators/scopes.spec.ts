import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { OAUTH2_METADATA, InvalidArgumentError, OAuth2Server, OAuthGuard, Scopes } from 'nest-oauth2';
import { bearer } from '../../support/clients/http.js';
import { model } from '../../support/servers/guarded-controllers.js';

const WRONG = [undefined, null, '', ' ', 'a b', 'a ', 'caf\u00e9', 'a"b', 'a\\b', 'a\n', ['a'], 1];

describe('@Scopes()', () => {
  it.each(WRONG)('throws for %j, which is not a scope and would let every token in', (scope) => {
    for (const scopes of [[scope], ['read', scope]]) {
      expect(() => Scopes(...(scopes as string[]))).toThrow(InvalidArgumentError);
    }
  });

  it('throws an error that explains which values are valid', () => {
    expect(() => Scopes('notes:read notes:write')).toThrow(
      "Invalid argument: @Scopes() takes each scope as a separate argument without spaces. Got 'notes:read notes:write'",
    );
    expect(() => Scopes(undefined as never)).toThrow(/Got undefined$/);
  });

  it('accepts any valid scope, and an empty list', () => {
    const metadataOf = (...scopes: string[]) => {
      class Target {}
      Scopes(...scopes)(Target);
      return Reflect.getMetadata(OAUTH2_METADATA.scopes, Target) as unknown;
    };
    expect(metadataOf('notes:read', 'https://a.example/notes', "!#'[]~")).toHaveLength(3);
    expect(metadataOf()).toEqual([]);
  });
});

describe('scope metadata that the application sets without @Scopes()', () => {
  it.each(WRONG)('rejects every request if a scope is %j', async (scope) => {
    class Target {}
    SetMetadata(OAUTH2_METADATA.scopes, [scope])(Target);
    const request = { method: 'GET', headers: bearer('read'), query: {} };
    const context = {
      getType: () => 'http',
      getClass: () => Target,
      getHandler: () => () => undefined,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => undefined }),
    };
    const guard = new OAuthGuard(new OAuth2Server({ model }));
    await expect(guard.canActivate(context as unknown as ExecutionContext)).rejects.toThrow(InvalidArgumentError);
  });
});
