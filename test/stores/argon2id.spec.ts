import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { hashPassword, verifyPassword } from 'nest-oauth2/stores';
import { hasArgon2id, isOutdatedPasswordHash } from '../../lib/internal.js';

/** A hash of `password` from the tests of the reference implementation of argon2. */
const REFERENCE = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const SCRYPT = `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const describeWith = hasArgon2id() ? describe : describe.skip;
const describeWithout = hasArgon2id() ? describe.skip : describe;

describeWith('argon2id', () => {
  const argon2id = { algorithm: 'argon2id' } as const;

  it('verifies a hash of the reference implementation', async () => {
    expect(await verifyPassword('password', REFERENCE)).toBe(true);
    expect(await verifyPassword('Password', REFERENCE)).toBe(false);
  });

  it('hashes with a new salt each time, and verifies any spelling of the same characters', async () => {
    const [one, other] = await Promise.all(['naïve', 'naïve'].map(async (text) => hashPassword(text, argon2id)));
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await verifyPassword('nai\u0308ve', one)).toBe(true);
  });

  it('is computed for an unknown user too', async () => {
    const start = performance.now();
    expect(await verifyPassword('password', undefined, argon2id)).toBe(false);
    expect(performance.now() - start).toBeGreaterThan(20);
  });
});

describeWithout('argon2id in a process that cannot compute it', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('matches nothing, which is logged', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(await verifyPassword('password', REFERENCE)).toBe(false);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('argon2id requires Node.js 24.7 or later')]]);
  });

  it('hashes nothing, and is not replaced by scrypt', async () => {
    await expect(hashPassword('password', { algorithm: 'argon2id' })).rejects.toThrow('requires Node.js 24.7 or later');
  });
});

describe('a stored password', () => {
  const STRONGER = REFERENCE.replace('t=2', 't=3');

  it.each([
    [REFERENCE, 'argon2id', true],
    [STRONGER, 'argon2id', false],
    [STRONGER, 'scrypt', true],
    [SCRYPT, 'scrypt', false],
    [SCRYPT, 'argon2id', true],
  ] as const)('is replaced if it costs less or is of another function: %s for %s', (stored, algorithm, isOutdated) => {
    expect(isOutdatedPasswordHash(stored, algorithm)).toBe(isOutdated);
  });

  it.each(['m=9999999,t=2', 'm=65536,t=99', 'm=65536,t=0', 'm=15,t=2,p=2'])('matches nothing with %s', async (cost) => {
    const hash = REFERENCE.replace(cost.includes('p=') ? 'm=65536,t=2,p=1' : 'm=65536,t=2', cost);
    expect(await verifyPassword('password', hash)).toBe(false);
    expect(isOutdatedPasswordHash(hash)).toBe(false);
  });
});
