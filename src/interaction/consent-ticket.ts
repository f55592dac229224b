import { createHmac, timingSafeEqual } from 'node:crypto';

/** Milliseconds a consent page may stay open. */
const LIFETIME = 15 * 60 * 1000;

/**
 * Shows that a decision was made on the consent page: a ticket is good for one user and one authorization request, for
 * 15 minutes. It is signed and kept nowhere, so it outlives a restart and is good in every process. RFC 6749 §10.12
 */
export class ConsentTickets {
  constructor(private readonly secret: string) {}

  /** @param subject the user and the request, as text */
  issue(subject: string): string {
    const payload = JSON.stringify({ expires: Date.now() + LIFETIME });
    return this.sign(Buffer.from(payload).toString('base64url'), subject);
  }

  isGood(ticket: unknown, subject: string): boolean {
    if (typeof ticket !== 'string') return false;
    const [payload = ''] = ticket.split('.', 1);
    const given = Buffer.from(ticket);
    const expected = Buffer.from(this.sign(payload, subject));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    const { expires } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { expires: number };
    return expires > Date.now();
  }

  /** The payload has no dot, so what is signed can be read in one way only. */
  private sign(payload: string, subject: string): string {
    const text = `nest-oauth2 consent ${payload}.${subject}`;
    return `${payload}.${createHmac('sha256', this.secret).update(text).digest('base64url')}`;
  }
}
