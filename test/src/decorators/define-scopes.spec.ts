import { describe, expect, it } from '@jest/globals';
import { OAUTH2_METADATA, defineScopes } from 'nest-oauth2';

const {
  AnyScope,
  definitions,
  explain: say,
  names,
  Scopes,
} = defineScopes({
  'notes:read': { title: 'Read notes' },
  'notes:write': { title: 'Write notes', consent: 'Write and change notes in your name' },
} as const);

class Notes {
  @Scopes('notes:read', 'notes:write')
  all() {}

  @AnyScope('notes:write', 'notes:read')
  any() {}
}

describe('defineScopes()', () => {
  it('returns decorators for the given scopes only', () => {
    expect(Reflect.getMetadata(OAUTH2_METADATA.scopes, Notes.prototype.all)).toEqual(['notes:read', 'notes:write']);
    expect(Reflect.getMetadata(OAUTH2_METADATA.anyScope, Notes.prototype.any)).toEqual(['notes:write', 'notes:read']);
  });

  it('causes a compiler error for a scope that is not defined', () => {
    // @ts-expect-error misspelt
    expect(() => Scopes('notes:raed')).not.toThrow();
    // @ts-expect-error misspelt, beside a good one
    expect(() => AnyScope('notes:read', 'notes:wirte')).not.toThrow();
    // @ts-expect-error any of nothing
    expect(() => AnyScope()).toThrow('@AnyScope() requires at least one scope');
  });

  it('keeps the definitions, and the names in their order', () => {
    expect(names).toEqual(['notes:read', 'notes:write']);
    expect(definitions['notes:write'].title).toBe('Write notes');
  });

  it('describes scopes for a page, including unknown ones', () => {
    expect(say('notes:write admin')).toEqual([
      { name: 'notes:write', title: 'Write notes', consent: 'Write and change notes in your name' },
      { name: 'admin', title: 'admin', consent: 'admin' },
    ]);
    expect(say(['notes:read'])).toEqual([{ name: 'notes:read', title: 'Read notes', consent: 'Read notes' }]);
    expect(say('toString')).toEqual([{ name: 'toString', title: 'toString', consent: 'toString' }]);
    expect(say(undefined)).toEqual([]);
  });

  it('throws if a name is not a valid scope', () => {
    expect(() => defineScopes({ 'notes read': { title: 'Read' } })).toThrow(
      "Invalid argument: defineScopes() takes each scope as a separate argument without spaces. Got 'notes read'",
    );
  });
});
