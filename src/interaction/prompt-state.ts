import { hash } from 'node:crypto';
import type { OnceModel, LoginPrompt, SignIn } from '../../lib/index.js';
import { SignedTokens } from './signed-tokens.js';

/** The kind of a prompt state. It is valid for one hour, so that users have time to create an account first. */
const PROMPT = { purpose: 'prompt', lifetime: 60 * 60 };

/**
 * Maximum number of redirects to the login page without a new login. It stops redirect loops with a login page that
 * does not ask the user.
 */
const MAX_PROMPTS = 3;

/** The content of a prompt state. Times are milliseconds since the epoch. */
interface PromptContent {
  promptedAt: number;
  previousAuthTime?: number | undefined;
  tries: number;
  /** The hash of the cookie of the browser that was sent to sign in. */
  browser: string;
}

/**
 * Issues and verifies prompt states: signed values in the return URL of an authorization request which show that its
 * user was sent to sign in.
 */
export class PromptStates {
  private readonly states: SignedTokens<PromptContent>;

  constructor(secrets: readonly string[], model?: Partial<OnceModel>) {
    this.states = new SignedTokens<PromptContent>(PROMPT, secrets, model);
  }

  /**
   * Returns the login prompt that a state shows. `undefined` if the state was not issued for this request in this
   * browser.
   * @param browser the value of the browser's cookie
   */
  read(state: string | undefined, binding: string, browser: string | undefined): LoginPrompt | undefined {
    const content = this.states.read(state, binding);
    if (!content || browser === undefined || content.browser !== digestOf(browser)) return undefined;
    const { promptedAt, previousAuthTime } = content;
    return {
      promptedAt: new Date(promptedAt),
      ...(previousAuthTime !== undefined && { previousAuthTime: new Date(previousAuthTime) }),
    };
  }

  /**
   * Returns the state for another login prompt. `undefined` if the user came back too often without a new login.
   * Prompts in other browsers count too, so that a browser without cookies is not redirected endlessly.
   */
  next(
    state: string | undefined,
    { binding, signIn, browser }: { binding: string; signIn: SignIn | undefined; browser: string },
  ): string | undefined {
    const previousAuthTime = signIn?.authTime?.getTime();
    const previous = this.states.read(state, binding);
    const tries = previous && previous.previousAuthTime === previousAuthTime ? previous.tries + 1 : 1;
    if (tries > MAX_PROMPTS) return undefined;
    return this.states.issue(binding, {
      promptedAt: Date.now(),
      previousAuthTime,
      tries,
      browser: digestOf(browser),
    });
  }

  /**
   * Consumes a valid state, because a login for a request counts for one decision. Returns `false` if the state was
   * already used. A model without `once()` cannot detect that.
   */
  async consume(state: string): Promise<boolean> {
    return this.states.consume(state);
  }
}

const digestOf = (browser: string) => hash('sha256', browser, 'base64url');

/** Adds a prompt state to the URL of an authorization request. */
export const withPromptState = (url: string, state: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${PROMPT_STATE_PARAMETER}=${state}`;

/** The query parameter of the prompt state. */
export const PROMPT_STATE_PARAMETER = 'prompt_ticket';
