import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsentCsrfTokens } from '../../../src/interaction/signed-tokens.js';

const csrfTokens = new ConsentCsrfTokens(['a secret of at least thirty-two characters']);
const minutes = 60_000;

describe('the CSRF token of a consent form', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is valid only for the text that it was issued for', () => {
    const csrfToken = csrfTokens.issue('alice');
    expect(csrfTokens.isValid(csrfToken, 'alice')).toBe(true);
    expect(csrfTokens.isValid(csrfToken, 'bob')).toBe(false);
  });

  it('expires after 15 minutes', () => {
    const csrfToken = csrfTokens.issue('alice');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 14 * minutes);
    expect(csrfTokens.isValid(csrfToken, 'alice')).toBe(true);
    jest.spyOn(Date, 'now').mockReturnValue(now + 16 * minutes);
    expect(csrfTokens.isValid(csrfToken, 'alice')).toBe(false);
  });

  it('is invalid if its expiry is changed', () => {
    const [, signature] = csrfTokens.issue('alice').split('.');
    const payload = Buffer.from(JSON.stringify({ expires: Date.now() + 1e9 })).toString('base64url');
    expect(csrfTokens.isValid(`${payload}.${signature}`, 'alice')).toBe(false);
  });

  it.each([undefined, null, 1, {}, ['a', 'b'], '', '.', 'a', 'a.b', '....', `${csrfTokens.issue('alice')}.`])(
    'is invalid if its value is %j',
    (csrfToken) => {
      expect(csrfTokens.isValid(csrfToken, 'alice')).toBe(false);
    },
  );

  it('is invalid if any of its characters is changed', () => {
    const csrfToken = csrfTokens.issue('alice');
    for (let at = 0; at < csrfToken.length; at += 1) {
      const changed = csrfToken.slice(0, at) + (csrfToken[at] === 'Q' ? 'B' : 'Q') + csrfToken.slice(at + 1);
      expect([at, csrfTokens.isValid(changed, 'alice')]).toEqual([at, false]);
    }
  });

  it('is valid in another process with the same secret, and invalid with another secret', () => {
    const csrfToken = csrfTokens.issue('alice');
    expect(new ConsentCsrfTokens(['a secret of at least thirty-two characters']).isValid(csrfToken, 'alice')).toBe(
      true,
    );
    expect(new ConsentCsrfTokens(['another secret of thirty-two characters']).isValid(csrfToken, 'alice')).toBe(false);
  });

  it('can be used only once, even if the clock of the issuing process is minutes ahead', async () => {
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const at = (minute: number) => clock.mockReturnValue(start + minute * minutes);
    const used = new Map<string, number>();
    const once = (digest: string, seconds: number) =>
      !((used.get(digest) ?? 0) > Date.now()) && Boolean(used.set(digest, Date.now() + seconds * 1000));
    const known = new ConsentCsrfTokens(['a secret of at least thirty-two characters'], { once });
    at(10);
    const csrfToken = known.issue('alice');
    at(0);
    expect([known.isValid(csrfToken, 'alice'), await known.consume(csrfToken)]).toEqual([true, true]);
    at(24);
    expect([known.isValid(csrfToken, 'alice'), await known.consume(csrfToken)]).toEqual([true, false]);
  });
});
