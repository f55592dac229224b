import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { findPasswordProblem } from '../../../src/accounts/password-policy.js';

const PERSONAL = ['alice.ross@example.com', 'Alice Ross', 'Example Notes'];
const judge = (password: string, rules = {}) => findPasswordProblem(password, { minLength: 12, ...rules }, PERSONAL);

describe('the rules for new passwords', () => {
  it.each([
    'violet kettle on the moor',
    'eleven quiet bicycles',
    'Xk3v9Qm2Tz7w',
    '948273615029',
    '🦊🌵🎻🧊🍋🪁🦊🌵🎻🧊🍋🪁',
    'снег над рекой',
    'welcome to my zebra farm',
  ])('accepts %j', async (password) => {
    expect(await judge(password)).toBeUndefined();
  });

  it.each([
    ['passwordShort', 'elevenchars'],
    ['passwordShort', 'äöüäöüäöüäö'],
    ['passwordLong', 'x1y2z3w4 '.repeat(112)],
    ['passwordLong', 'eleven quiet\0bicycles'],
    ['passwordPersonal', 'alice.ross@example.com'],
    ['passwordPersonal', 'AliceRoss2026!'],
    ['passwordPersonal', 'example-notes 1999'],
    ['passwordCommon', 'password1234'],
    ['passwordCommon', 'P4ssw0rdP4ssw0rd'],
    ['passwordCommon', 'qwertyuiop123'],
    ['passwordCommon', '1234567890123'],
    ['passwordCommon', 'aaaaaaaaaaaaaaa'],
    ['passwordCommon', 'iloveyou2026!!'],
    ['passwordCommon', 'correct horse battery staple'],
  ])('answers %s to %j', async (problem, password) => {
    expect(await judge(password)).toBe(problem);
  });

  it('sends five characters of the SHA-1 to an API, and accepts the password if the API fails', async () => {
    const hash = createHash('sha1').update('eleven quiet bicycles').digest('hex').toUpperCase();
    const urls: string[] = [];
    const api = (text: string) => async (url: string) => {
      urls.push(url);
      return new Response(text);
    };
    const rest = hash.slice(5);
    const check = (fetch: unknown) => judge('eleven quiet bicycles', { fetch });
    expect(await check(api(`000:1\r\n${rest}:7`))).toBe('passwordBreached');
    expect(await check(api(`${rest}:0`))).toBeUndefined();
    expect(await check(async () => Promise.reject(new Error('offline')))).toBeUndefined();
    expect(urls[0]).toBe(`https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`);
  });
});
