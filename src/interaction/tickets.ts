import { createHmac, hash, randomBytes } from 'node:crypto';
import { constantTimeEqual, consumeOnce } from '../../lib/adapter/index.js';
import type { OnceModel } from '../../lib/index.js';

/** What tickets are for, and how long they are good. */
export interface TicketKind {
  readonly purpose: string;
  /** In seconds. */
  readonly lifetime: number;
}

/**
 * Tickets are good for one subject and one purpose, for a while, and once where the model can tell. They are signed and no
 * page of them is kept, so they outlive a restart and are good in every process.
 */
export class Tickets<Facts extends object = object> {
  constructor(
    private readonly kind: TicketKind,
    private readonly secret: string,
    private readonly model: Partial<OnceModel> = {},
  ) {}

  /**
   * @param subject what it is good for, as text
   * @param facts what it says; everybody can read it who has it
   */
  issue(subject: string, facts?: Facts): string {
    const expires = Date.now() + this.kind.lifetime * 1000;
    const payload = JSON.stringify({ ...facts, expires, id: randomBytes(12).toString('base64url') });
    return this.sign(Buffer.from(payload).toString('base64url'), subject);
  }

  isGood(ticket: unknown, subject: string): ticket is string {
    return this.read(ticket, subject) !== undefined;
  }

  /** What a good ticket says; undefined: it is none. */
  read(ticket: unknown, subject: string): Facts | undefined {
    if (typeof ticket !== 'string') return undefined;
    const [payload = ''] = ticket.split('.', 1);
    if (!constantTimeEqual(ticket, this.sign(payload, subject))) return undefined;
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Facts & { expires: number };
    return said.expires > Date.now() ? said : undefined;
  }

  /** Spends a good ticket: false when it has decided before. */
  async spend(ticket: string): Promise<boolean> {
    const { model, kind } = this;
    const digest = hash('sha256', `${kind.purpose} ${ticket}`, 'base64url');
    // The clock of the process that made it may have been ahead.
    return consumeOnce(model, digest, 2 * kind.lifetime);
  }

  /** The payload has no dot, so what is signed can be read in one way only. */
  private sign(payload: string, subject: string): string {
    const text = `nest-oauth2 ${this.kind.purpose} ${payload}.${subject}`;
    return `${payload}.${createHmac('sha256', this.secret).update(text).digest('base64url')}`;
  }
}

/** A consent page may stay open for 15 minutes. */
const CONSENT = { purpose: 'consent', lifetime: 15 * 60 };

/** Shows that a decision was made on the consent page: good for one user and one authorization request. RFC 6749 §10.12 */
export class ConsentTickets extends Tickets {
  constructor(secret: string, model?: Partial<OnceModel>) {
    super(CONSENT, secret, model);
  }
}
