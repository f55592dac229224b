import { hash } from 'node:crypto';
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
  /** A hash of the cookie of the browser that was sent to sign in. */
  browser: string;
}

/** That a user was sent to sign in for an authorization request, in the address by which they come back to it. */
export class PromptTickets {
  private readonly tickets: Tickets<Facts>;

  constructor(secret: string, model?: Partial<OnceModel>) {
    this.tickets = new Tickets<Facts>(PROMPT, secret, model);
  }

  /**
   * Returns what a ticket shows, if it was issued for this request to this browser.
   * @param browser the value of the browser's cookie
   */
  read(ticket: string | undefined, subject: string, browser: string | undefined): Prompted | undefined {
    const facts = this.tickets.read(ticket, subject);
    if (!facts || browser === undefined || facts.browser !== digestOf(browser)) return undefined;
    const { at, before } = facts;
    return { at: new Date(at), ...(before !== undefined && { before: new Date(before) }) };
  }

  /**
   * Returns a ticket for the next time; `undefined` if the user came back too often without a new login. The tries of another browser's
   * ticket count too: a browser without cookies must not be redirected for ever.
   */
  next(
    ticket: string | undefined,
    { subject, signIn, browser }: { subject: string; signIn: SignIn | undefined; browser: string },
  ): string | undefined {
    const before = signIn?.authTime?.getTime();
    const last = this.tickets.read(ticket, subject);
    const tries = last && last.before === before ? last.tries + 1 : 1;
    return tries > TRIES
      ? undefined
      : this.tickets.issue(subject, { at: Date.now(), before, tries, browser: digestOf(browser) });
  }

  /** Spends a good one: what was proven for a request is proven for one decision. */
  async spend(ticket: string): Promise<boolean> {
    return this.tickets.spend(ticket);
  }
}

const digestOf = (browser: string) => hash('sha256', browser, 'base64url');

/** The same request, by an address that shows that its user was sent to sign in. */
export const withTicket = (url: string, ticket: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${PROMPT_TICKET}=${ticket}`;

/** By which name the ticket stands in that address. */
export const PROMPT_TICKET = 'prompt_ticket';
