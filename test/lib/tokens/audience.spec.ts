import { describe, expect, it } from '@jest/globals';
import { audienceOf, isSameAudience } from '../../../lib/tokens/audience.js';

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

describe('audienceOf()', () => {
  it.each([
    ['a list', [A, B], [A, B]],
    ['a list with members that are no text', [A, 1, null, B], [A, B]],
    ['a text with one resource', A, [A]],
    ['a text with resources that are separated by one or more spaces', ` ${A}  ${B} `, [A, B]],
    ['an empty text', '', []],
    ['an unset value', undefined, []],
    ['an object', { aud: A }, []],
  ])('reads %s', (_name, stored, expected) => {
    expect(audienceOf(stored)).toEqual(expected);
  });
});
