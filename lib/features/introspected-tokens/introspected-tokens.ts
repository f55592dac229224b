import { hash } from 'node:crypto';
import type { ProtectedResourceModel, Token } from '../../model/model.js';
import { warnOfModel } from '../../model/model-mistakes.js';
import { within } from '../../remote/deadline.js';
import { MisconfiguredError } from '../../remote/misconfigured-error.js';
import { Discovery } from './discovery.js';
import { readIntrospection } from './introspection-answer.js';
import {
  expiryOf,
  objectionTo,
  type Objection,
  refusal,
  type TokenClaims,
  tokenOf,
} from '../../remote/token-claims.js';
import { introspect } from './introspect.js';
import { Line } from './line.js';
import { Remembered } from './remembered.js';
import { type IntrospectedTokensOptions, type Settings, settle } from './settings.js';
import { unavailable } from '../../remote/unavailable.js';

/** What is known of a token, without the token. */
interface Known {
  said?: TokenClaims;
  objection?: Objection;
  expiresAt: number;
  until: number;
}

/** Seconds that a token is given of which the server does not say when it is over. */
const ASSUMED = 60;

/** After how many seconds to come again, if somebody must mend something first. */
const LATER = 30;

/**
 * The model of an API that lives apart from its authorization server: the guard finds a token by asking there. Where that
 * cannot be done, a request is answered 503, and no token is called bad. RFC 7662
 */
export class IntrospectedTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly discovery: Discovery;
  private readonly line: Line;
  private readonly good: Remembered<Known>;
  /** Apart, so that a flood of made-up tokens forgets none of the good ones. */
  private readonly bad: Remembered<Known>;
  private readonly asked = new Map<string, Promise<Known>>();

  /** @throws InvalidArgumentError with a sentence for an option that cannot work */
  constructor(options: IntrospectedTokensOptions) {
    this.settings = settle(options);
    this.discovery = new Discovery(this.settings);
    this.line = new Line(this.settings.concurrency);
    this.good = new Remembered(this.settings.cache.size);
    this.bad = new Remembered(this.settings.cache.size);
  }

  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const key = hash('sha256', accessToken, 'base64url');
    const known = this.good.get(key) ?? this.bad.get(key) ?? (await this.ask(key, accessToken));
    if (known.objection) throw refusal(known.objection);
    // What a route does to its token is not what the next one is told.
    return known.said && tokenOf(structuredClone(known.said), accessToken, known.expiresAt);
  }

  /** One request for all who ask for the same token at once. */
  private ask(key: string, token: string): Promise<Known> {
    let asked = this.asked.get(key);
    if (!asked) {
      asked = this.find(token)
        .then((known) => this.remember(key, known))
        .finally(() => this.asked.delete(key));
      this.asked.set(key, asked);
    }
    return asked;
  }

  private remember(key: string, known: Known): Known {
    const isGood = known.said && !known.objection && known.expiresAt > Date.now();
    (isGood ? this.good : this.bad).set(key, known);
    return known;
  }

  private async find(token: string): Promise<Known> {
    const { discovery, line, settings } = this;
    const ask = (signal: AbortSignal) => line.within(signal, () => introspect(token, discovery, settings, signal));
    try {
      return this.judge(await within(settings.timeout, 'The authorization server', ask));
    } catch (error) {
      if (!(error instanceof MisconfiguredError)) throw error;
      warnOfModel(this, error.message);
      throw unavailable(error.message, LATER);
    }
  }

  private judge(body: unknown): Known {
    const { lifetime, negativeLifetime } = this.settings.cache;
    const now = Date.now();
    const briefly = now + negativeLifetime * 1000;
    const said = readIntrospection(body);
    if (!said) return { expiresAt: 0, until: briefly };
    const expiresAt = expiryOf(said) ?? now + ASSUMED * 1000;
    const objection = objectionTo(said, this.settings);
    if (objection) return { objection, expiresAt, until: briefly };
    return { said, expiresAt, until: expiresAt > now ? Math.min(now + lifetime * 1000, expiresAt) : briefly };
  }
}
