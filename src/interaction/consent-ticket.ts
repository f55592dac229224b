import { createHmac, hash, randomBytes } from 'node:crypto';
import type { OnceModel } from '../../lib/index.js';
import { callMethod } from '../../lib/model/adapt-model.js';
import { hasOnce } from '../../lib/model/has-once.js';
import { isSameText } from '../../lib/same-text.js';

/** Seconds a consent page may stay open. */
const LIFETIME = 15 * 60;
/** Seconds for which a spent ticket is known: the clock of the process that made it may have been ahead. */
const REMEMBERED = 2 * LIFETIME;

/**
 * Shows that a decision was made on the consent page: a ticket is good for one user and one authorization request, for
 * 15 minutes, and once where the model can tell. It is signed and no page of it is kept, so it outlives a restart and is
 * good in every process. RFC 6749 §10.12
 */
export class ConsentTickets {
  constructor(
    private readonly secret: string,
    private readonly model: Partial<OnceModel> = {},
  ) {}

  /** @param subject the user and the request, as text */
  issue(subject: string): string {
    const payload = JSON.stringify({
      expires: Date.now() + LIFETIME * 1000,
      id: randomBytes(12).toString('base64url'),
    });
    return this.sign(Buffer.from(payload).toString('base64url'), subject);
  }

  isGood(ticket: unknown, subject: string): ticket is string {
    if (typeof ticket !== 'string') return false;
    const [payload = ''] = ticket.split('.', 1);
    if (!isSameText(ticket, this.sign(payload, subject))) return false;
    const { expires } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { expires: number };
    return expires > Date.now();
  }

  /** Spends a good ticket: false when it has decided before. */
  async spend(ticket: string): Promise<boolean> {
    const { model } = this;
    if (!hasOnce(model)) return true;
    const digest = hash('sha256', `consent ${ticket}`, 'base64url');
    return Boolean(await callMethod(model, 'once', [digest, REMEMBERED]));
  }

  /** The payload has no dot, so what is signed can be read in one way only. */
  private sign(payload: string, subject: string): string {
    const text = `nest-oauth2 consent ${payload}.${subject}`;
    return `${payload}.${createHmac('sha256', this.secret).update(text).digest('base64url')}`;
  }
}
