import { describe, expect, it } from '@jest/globals';
import { isSameAudience } from '../../../lib/tokens/audience.js';

const [A, B] = ['https://a.example/api', 'https://b.example/api'];

describe('isSameAudience()', () => {
  it.each([
    ['the same resources in another order', [A, B], [B, A], true],
    ['the same resource with a trailing slash', [A], [`${A}/`], true],
    ['the same resource twice', [A, A], [A], true],
    ['one resource less', [A], [A, B], false],
    ['a duplicate instead of the other resource', [A, A], [A, B], false],
    ['two spellings of one resource instead of both resources', [A, `${A}/`], [A, B], false],
    ['another resource', [A], [B], false],
  ])('compares lists with %s', (_name, some, others, expected) => {
    expect(isSameAudience(some, others)).toBe(expected);
    expect(isSameAudience(others, some)).toBe(expected);
  });
});
