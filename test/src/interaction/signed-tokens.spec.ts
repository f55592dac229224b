import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsentCsrfTokens } from '../../../src/interaction/signed-tokens.js';

const tickets = new ConsentCsrfTokens(['a secret of at least thirty-two characters']);
const minutes = 60_000;

describe('the CSRF token of a consent form', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is valid only for the text that it was issued for', () => {
    const ticket = tickets.issue('alice');
    expect(tickets.isValid(ticket, 'alice')).toBe(true);
    expect(tickets.isValid(ticket, 'bob')).toBe(false);
  });

  it('expires after 15 minutes', () => {
    const ticket = tickets.issue('alice');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 14 * minutes);
    expect(tickets.isValid(ticket, 'alice')).toBe(true);
    jest.spyOn(Date, 'now').mockReturnValue(now + 16 * minutes);
    expect(tickets.isValid(ticket, 'alice')).toBe(false);
  });

  it('is invalid if its expiry is changed', () => {
    const [, signature] = tickets.issue('alice').split('.');
    const payload = Buffer.from(JSON.stringify({ expires: Date.now() + 1e9 })).toString('base64url');
    expect(tickets.isValid(`${payload}.${signature}`, 'alice')).toBe(false);
  });

  it.each([undefined, null, 1, {}, ['a', 'b'], '', '.', 'a', 'a.b', '....', `${tickets.issue('alice')}.`])(
    'is invalid if its value is %j',
    (ticket) => {
      expect(tickets.isValid(ticket, 'alice')).toBe(false);
    },
  );

  it('is invalid if any of its characters is changed', () => {
    const ticket = tickets.issue('alice');
    for (let at = 0; at < ticket.length; at += 1) {
      const changed = ticket.slice(0, at) + (ticket[at] === 'Q' ? 'B' : 'Q') + ticket.slice(at + 1);
      expect([at, tickets.isValid(changed, 'alice')]).toEqual([at, false]);
    }
  });

  it('is valid in another process with the same secret, and invalid with another secret', () => {
    const ticket = tickets.issue('alice');
    expect(new ConsentCsrfTokens(['a secret of at least thirty-two characters']).isValid(ticket, 'alice')).toBe(true);
    expect(new ConsentCsrfTokens(['another secret of thirty-two characters']).isValid(ticket, 'alice')).toBe(false);
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
    const ticket = known.issue('alice');
    at(0);
    expect([known.isValid(ticket, 'alice'), await known.consume(ticket)]).toEqual([true, true]);
    at(24);
    expect([known.isValid(ticket, 'alice'), await known.consume(ticket)]).toEqual([true, false]);
  });
});
