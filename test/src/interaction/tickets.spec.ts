import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsentTickets } from '../../../src/interaction/tickets.js';

const tickets = new ConsentTickets('a secret of at least thirty-two characters');
const minutes = 60_000;

describe('the ticket of a consent form', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is good for its subject only', () => {
    const ticket = tickets.issue('alice');
    expect(tickets.isGood(ticket, 'alice')).toBe(true);
    expect(tickets.isGood(ticket, 'bob')).toBe(false);
  });

  it('expires after 15 minutes', () => {
    const ticket = tickets.issue('alice');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 14 * minutes);
    expect(tickets.isGood(ticket, 'alice')).toBe(true);
    jest.spyOn(Date, 'now').mockReturnValue(now + 16 * minutes);
    expect(tickets.isGood(ticket, 'alice')).toBe(false);
  });

  it('cannot be given a longer life', () => {
    const [, signature] = tickets.issue('alice').split('.');
    const payload = Buffer.from(JSON.stringify({ expires: Date.now() + 1e9 })).toString('base64url');
    expect(tickets.isGood(`${payload}.${signature}`, 'alice')).toBe(false);
  });

  it.each([undefined, null, 1, {}, ['a', 'b'], '', '.', 'a', 'a.b', '....', `${tickets.issue('alice')}.`])(
    'is not %j',
    (ticket) => {
      expect(tickets.isGood(ticket, 'alice')).toBe(false);
    },
  );

  it('stays bad when any of its characters is changed', () => {
    const ticket = tickets.issue('alice');
    for (let at = 0; at < ticket.length; at += 1) {
      const changed = ticket.slice(0, at) + (ticket[at] === 'Q' ? 'B' : 'Q') + ticket.slice(at + 1);
      expect([at, tickets.isGood(changed, 'alice')]).toEqual([at, false]);
    }
  });

  it('is good under the same secret elsewhere, and bad under another', () => {
    const ticket = tickets.issue('alice');
    expect(new ConsentTickets('a secret of at least thirty-two characters').isGood(ticket, 'alice')).toBe(true);
    expect(new ConsentTickets('another secret of thirty-two characters').isGood(ticket, 'alice')).toBe(false);
  });

  it('is good once, though the clock of the process that made it was minutes ahead', async () => {
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const at = (minute: number) => clock.mockReturnValue(start + minute * minutes);
    const spent = new Map<string, number>();
    const once = (digest: string, seconds: number) =>
      !((spent.get(digest) ?? 0) > Date.now()) && Boolean(spent.set(digest, Date.now() + seconds * 1000));
    const known = new ConsentTickets('a secret of at least thirty-two characters', { once });
    at(10);
    const ticket = known.issue('alice');
    at(0);
    expect([known.isGood(ticket, 'alice'), await known.spend(ticket)]).toEqual([true, true]);
    at(24);
    expect([known.isGood(ticket, 'alice'), await known.spend(ticket)]).toEqual([true, false]);
  });
});
