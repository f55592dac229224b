import { Deadline, onTokensEnded } from '../../lib/adapter/index.js';
import { type Ended, InvalidTokenError, type Model, type Token } from '../../lib/index.js';
import type { OpenStream } from './transports/transport.js';

/** A token on whose ground something is open. */
interface Held {
  token: Token;
  streams: Map<object, OpenStream>;
  timer?: NodeJS.Timeout;
  /** Looks at the model as for the request that opened it. */
  within: Within;
}

/** Runs what is done on behalf of a request. */
type Within = <T>(look: () => T) => T;

/** How many tokens are looked up at once. */
const MOST_LOOKUPS = 16;
/** Seconds for which a look is waited for at most. */
const LONGEST_LOOK = 30;
/** The longest a timer of Node can wait. */
const LONGEST_WAIT = 2 ** 31 - 1;

/**
 * What is open on the ground of tokens, each closed when its token is over: at the second it expires, at once when it is ended in
 * this process, and after the next look at the model when it is ended elsewhere. RFC 6750 §5.2, RFC 7009 §2
 */
export class OpenConnections {
  private readonly held = new Map<unknown, Held>();
  private readonly values = new WeakMap<object, unknown>();
  private stop: (() => void) | undefined;
  /** A look that never ends must not be the last one. */
  private readonly patience: Deadline;

  /** @param recheck seconds between two looks at the model; 0: none */
  constructor(
    private readonly model: Pick<Model, 'getAccessToken'>,
    private readonly recheck: number,
  ) {
    this.patience = new Deadline(recheck > 0 ? Math.min(recheck, LONGEST_LOOK) : LONGEST_LOOK);
  }

  /** Closes the stream when this token is over, and no more when an earlier one is. */
  keep(token: Token, stream: OpenStream, within: Within = (look) => look()): void {
    const { key } = stream;
    // A model that does not say which token it has found: only its time is known.
    const value = token.accessToken ?? token;
    const before = this.values.get(key);
    if (before === value && this.held.get(value)?.streams.has(key)) return;
    if (before === undefined) stream.onClosed(() => this.release(key));
    else this.release(key);
    this.values.set(key, value);
    let held = this.held.get(value);
    if (!held) this.held.set(value, (held = { token, streams: new Map(), within }));
    held.streams.set(key, stream);
    if (!held.timer) this.wait(value, held);
    this.stop ??= this.start();
  }

  private release(key: object): void {
    const value = this.values.get(key);
    const held = this.held.get(value);
    if (!held?.streams.delete(key) || held.streams.size > 0) return;
    this.forget(value, held);
  }

  private forget(value: unknown, { timer }: Held): void {
    clearTimeout(timer);
    this.held.delete(value);
    if (this.held.size > 0) return;
    this.stop?.();
    this.stop = undefined;
  }

  /** Listens and looks while anything is open; what it returns leaves nothing behind. */
  private start(): () => void {
    const stopListening = onTokensEnded((ended) => void this.verifyThose((token) => isMeant(token, ended)));
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      await this.verifyThose(() => true);
      isLooking = false;
    };
    const timer = this.recheck > 0 ? setInterval(() => void look(), this.recheck * 1000).unref() : undefined;
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }

  private wait(value: unknown, held: Held): void {
    clearTimeout(held.timer);
    const { accessTokenExpiresAt: end } = held.token;
    if (!end || !(end.getTime() >= Date.now())) return this.end(value, 'has expired');
    const left = Math.min(end.getTime() - Date.now() + 1, LONGEST_WAIT);
    held.timer = setTimeout(() => this.wait(value, held), left).unref();
  }

  private async verifyThose(isMeantHere: (token: Token) => boolean): Promise<void> {
    // One look for all connections that a token has opened, and so many looks at once.
    const left = [...this.held].filter(([, { token }]) => isMeantHere(token)).values();
    const look = async () => {
      for (const [value] of left) await this.verify(value);
    };
    await Promise.all(Array.from({ length: MOST_LOOKUPS }, look));
  }

  private async verify(value: unknown): Promise<void> {
    if (typeof value !== 'string' || !this.held.has(value)) return;
    let found: Awaited<ReturnType<NonNullable<Model['getAccessToken']>>>;
    try {
      const { within } = this.held.get(value)!;
      found = await this.patience.within(async () => within(() => this.model.getAccessToken!(value)));
    } catch {
      // Nobody is turned out because a database is away.
      return;
    }
    const held = this.held.get(value);
    if (!held) return;
    if (!found) return this.end(value, 'is invalid');
    held.token = found;
    this.wait(value, held);
  }

  private end(value: unknown, fault: string): void {
    const held = this.held.get(value);
    if (!held) return;
    this.forget(value, held);
    const reason = new InvalidTokenError(`Invalid token: access token ${fault}`);
    for (const stream of held.streams.values()) stream.close(reason);
  }
}

function isMeant({ accessToken, grantId, user, client }: Token, ended: Ended): boolean {
  const own: Ended = { accessToken, grantId, userId: user?.['id'], clientId: client?.id };
  const given = Object.entries(ended).filter(([, value]) => value !== undefined);
  return given.every(([name, value]) => !(name in own) || String(own[name as keyof Ended]) === String(value));
}
