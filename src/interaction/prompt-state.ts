import { hash } from 'node:crypto';
import type { OnceModel, LoginPrompt, SignIn } from '../../lib/index.js';
import { SignedTokens } from './signed-tokens.js';

/** Whoever is sent to sign in has an hour: they may have to make an account first. */
const PROMPT = { purpose: 'prompt', lifetime: 60 * 60 };

/** Times that somebody is sent to sign in who comes back as they were: a login page that does not ask would turn for ever. */
const MAX_PROMPTS = 3;

/** Moments are milliseconds since the epoch. */
interface PromptFacts {
  promptedAt: number;
  previousAuthTime?: number | undefined;
  tries: number;
  /** A hash of the cookie of the browser that was sent to sign in. */
  browser: string;
}

/** That a user was sent to sign in for an authorization request, in the address by which they come back to it. */
export class PromptStates {
  private readonly states: SignedTokens<PromptFacts>;

  constructor(secret: string, model?: Partial<OnceModel>) {
    this.states = new SignedTokens<PromptFacts>(PROMPT, secret, model);
  }

  /**
   * Returns what a ticket shows, if it was issued for this request to this browser.
   * @param browser the value of the browser's cookie
   */
  read(state: string | undefined, binding: string, browser: string | undefined): LoginPrompt | undefined {
    const facts = this.states.read(state, binding);
    if (!facts || browser === undefined || facts.browser !== digestOf(browser)) return undefined;
    const { promptedAt: at, previousAuthTime: before } = facts;
    return { promptedAt: new Date(at), ...(before !== undefined && { previousAuthTime: new Date(before) }) };
  }

  /**
   * Returns a ticket for the next time; `undefined` if the user came back too often without a new login. The tries of another browser's
   * ticket count too: a browser without cookies must not be redirected for ever.
   */
  next(
    state: string | undefined,
    { subject, signIn, browser }: { subject: string; signIn: SignIn | undefined; browser: string },
  ): string | undefined {
    const before = signIn?.authTime?.getTime();
    const last = this.states.read(state, subject);
    const tries = last && last.previousAuthTime === before ? last.tries + 1 : 1;
    return tries > MAX_PROMPTS
      ? undefined
      : this.states.issue(subject, {
          promptedAt: Date.now(),
          previousAuthTime: before,
          tries,
          browser: digestOf(browser),
        });
  }

  /** Spends a good one: what was proven for a request is proven for one decision. */
  async consume(state: string): Promise<boolean> {
    return this.states.consume(state);
  }
}

const digestOf = (browser: string) => hash('sha256', browser, 'base64url');

/** The same request, by an address that shows that its user was sent to sign in. */
export const withPromptState = (url: string, state: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${PROMPT_STATE_PARAMETER}=${state}`;

/** By which name the ticket stands in that address. */
export const PROMPT_STATE_PARAMETER = 'prompt_ticket';
