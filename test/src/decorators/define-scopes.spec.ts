import { describe, expect, it } from '@jest/globals';
import { ANY_SCOPE_METADATA, defineScopes, SCOPES_METADATA } from 'nest-oauth2';

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
  it('gives the decorators, for these scopes alone', () => {
    expect(Reflect.getMetadata(SCOPES_METADATA, Notes.prototype.all)).toEqual(['notes:read', 'notes:write']);
    expect(Reflect.getMetadata(ANY_SCOPE_METADATA, Notes.prototype.any)).toEqual(['notes:write', 'notes:read']);
  });

  it('compiles no scope that is none of them', () => {
    // @ts-expect-error misspelt
    expect(() => Scopes('notes:raed')).not.toThrow();
    // @ts-expect-error misspelt, beside a good one
    expect(() => AnyScope('notes:read', 'notes:wirte')).not.toThrow();
    // @ts-expect-error any of nothing
    expect(() => AnyScope()).toThrow('@AnyScope() requires at least one scope');
  });

  it('keeps the definition, and the names in its order', () => {
    expect(names).toEqual(['notes:read', 'notes:write']);
    expect(definitions['notes:write'].title).toBe('Write notes');
  });

  it('says what a page shows of a scope, the unknown ones too', () => {
    expect(say('notes:write admin')).toEqual([
      { name: 'notes:write', title: 'Write notes', consent: 'Write and change notes in your name' },
      { name: 'admin', title: 'admin', consent: 'admin' },
    ]);
    expect(say(['notes:read'])).toEqual([{ name: 'notes:read', title: 'Read notes', consent: 'Read notes' }]);
    expect(say('toString')).toEqual([{ name: 'toString', title: 'toString', consent: 'toString' }]);
    expect(say(undefined)).toEqual([]);
  });

  it('refuses a name that is no scope', () => {
    expect(() => defineScopes({ 'notes read': { title: 'Read' } })).toThrow(
      "Invalid argument: defineScopes() takes each scope as a separate argument without spaces. Got 'notes read'",
    );
  });
});
