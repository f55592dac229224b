import type { OnceModel, Prompted, SignIn } from '../../lib/index.js';
import { Tickets } from './tickets.js';

/** Whoever is sent to sign in has an hour: they may have to make an account first. */
const PROMPT = { purpose: 'prompt', lifetime: 60 * 60 };

/** Times that somebody is sent to sign in who comes back as they were: a login page that does not ask would turn for ever. */
const TRIES = 3;

/** Moments are milliseconds since the epoch. */
interface Facts {
  at: number;
  before?: number | undefined;
  tries: number;
}

/** That a user was sent to sign in for an authorization request, in the address by which they come back to it. */
export class PromptTickets {
  private readonly tickets: Tickets<Facts>;

  constructor(secret: string, model?: Partial<OnceModel>) {
    this.tickets = new Tickets<Facts>(PROMPT, secret, model);
  }

  /** What a ticket shows; undefined: it is none of this request. */
  read(ticket: string | undefined, subject: string): Prompted | undefined {
    const { at, before } = this.tickets.read(ticket, subject) ?? {};
    return at === undefined
      ? undefined
      : { at: new Date(at), ...(before !== undefined && { before: new Date(before) }) };
  }

  /** One for the next time; undefined: they came back as they were too often. */
  next(ticket: string | undefined, subject: string, signIn: SignIn | undefined): string | undefined {
    const before = signIn?.authTime?.getTime();
    const last = this.tickets.read(ticket, subject);
    const tries = last && last.before === before ? last.tries + 1 : 1;
    return tries > TRIES ? undefined : this.tickets.issue(subject, { at: Date.now(), before, tries });
  }

  /** Spends a good one: what was proven for a request is proven for one decision. */
  async spend(ticket: string): Promise<boolean> {
    return this.tickets.spend(ticket);
  }
}

/** The same request, by an address that shows that its user was sent to sign in. */
export const withTicket = (url: string, ticket: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${PROMPT_TICKET}=${ticket}`;

/** By which name the ticket stands in that address. */
export const PROMPT_TICKET = 'prompt_ticket';
