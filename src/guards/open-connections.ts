import { Deadline, onTokensEnded } from '../../lib/adapter/index.js';
import { type RevokedTokens, InvalidTokenError, type Model, type Token } from '../../lib/index.js';
import type { OpenStream } from './transports/transport.js';

/** A token on whose ground something is open. */
interface OpenToken {
  token: Token;
  streams: Map<object, OpenStream>;
  timer?: NodeJS.Timeout;
  /** Looks at the model as for the request that opened it. */
  runInContext: RunInContext;
}

/** Runs what is done on behalf of a request. */
type RunInContext = <T>(look: () => T) => T;

/** How many tokens are looked up at once. */
const MAX_LOOK_UPS = 16;
/** Seconds for which a look is waited for at most. */
const MAX_LOOK_UP_SECONDS = 30;
/** The longest a timer of Node can wait. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;

/**
 * What is open on the ground of tokens, each closed when its token is over: at the second it expires, at once when it is ended in
 * this process, and after the next look at the model when it is ended elsewhere. RFC 6750 §5.2, RFC 7009 §2
 */
export class OpenConnections {
  private readonly tokens = new Map<unknown, OpenToken>();
  private readonly valueByKey = new WeakMap<object, unknown>();
  private stop: (() => void) | undefined;
  /** A look that never ends must not be the last one. */
  private readonly lookUpDeadline: Deadline;

  /** @param recheck seconds between two looks at the model; 0: none */
  constructor(
    private readonly model: Pick<Model, 'getAccessToken'>,
    private readonly recheck: number,
  ) {
    this.lookUpDeadline = new Deadline(recheck > 0 ? Math.min(recheck, MAX_LOOK_UP_SECONDS) : MAX_LOOK_UP_SECONDS);
  }

  /** Closes the stream when this token is over, and no more when an earlier one is. */
  add(token: Token, stream: OpenStream, within: RunInContext = (look) => look()): void {
    const { key } = stream;
    // A model that does not say which token it has found: only its time is known.
    const value = token.accessToken ?? token;
    const before = this.valueByKey.get(key);
    if (before === value && this.tokens.get(value)?.streams.has(key)) return;
    if (before === undefined) stream.onClosed(() => this.removeStream(key));
    else this.removeStream(key);
    this.valueByKey.set(key, value);
    let held = this.tokens.get(value);
    if (!held) this.tokens.set(value, (held = { token, streams: new Map(), runInContext: within }));
    held.streams.set(key, stream);
    if (!held.timer) this.scheduleExpiry(value, held);
    this.stop ??= this.start();
  }

  private removeStream(key: object): void {
    const value = this.valueByKey.get(key);
    const held = this.tokens.get(value);
    if (!held?.streams.delete(key) || held.streams.size > 0) return;
    this.forget(value, held);
  }

  private forget(value: unknown, { timer }: OpenToken): void {
    clearTimeout(timer);
    this.tokens.delete(value);
    if (this.tokens.size > 0) return;
    this.stop?.();
    this.stop = undefined;
  }

  /** Listens and looks while anything is open; what it returns leaves nothing behind. */
  private start(): () => void {
    const stopListening = onTokensEnded((ended) => void this.verifyMatching((token) => isMeant(token, ended)));
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      await this.verifyMatching(() => true);
      isLooking = false;
    };
    const timer = this.recheck > 0 ? setInterval(() => void look(), this.recheck * 1000).unref() : undefined;
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }

  private scheduleExpiry(value: unknown, held: OpenToken): void {
    clearTimeout(held.timer);
    const { accessTokenExpiresAt: end } = held.token;
    if (!end || !(end.getTime() >= Date.now())) return this.end(value, 'has expired');
    const left = Math.min(end.getTime() - Date.now() + 1, MAX_TIMER_DELAY);
    held.timer = setTimeout(() => this.scheduleExpiry(value, held), left).unref();
  }

  private async verifyMatching(isMeantHere: (token: Token) => boolean): Promise<void> {
    // One look for all connections that a token has opened, and so many looks at once.
    const left = [...this.tokens].filter(([, { token }]) => isMeantHere(token)).values();
    const look = async () => {
      for (const [value] of left) await this.verify(value);
    };
    await Promise.all(Array.from({ length: MAX_LOOK_UPS }, look));
  }

  private async verify(value: unknown): Promise<void> {
    if (typeof value !== 'string' || !this.tokens.has(value)) return;
    let found: Awaited<ReturnType<NonNullable<Model['getAccessToken']>>>;
    try {
      const { runInContext: within } = this.tokens.get(value)!;
      found = await this.lookUpDeadline.within(async () => within(() => this.model.getAccessToken!(value)));
    } catch {
      // Nobody is turned out because a database is away.
      return;
    }
    const held = this.tokens.get(value);
    if (!held) return;
    if (!found) return this.end(value, 'is invalid');
    held.token = found;
    this.scheduleExpiry(value, held);
  }

  private end(value: unknown, fault: string): void {
    const held = this.tokens.get(value);
    if (!held) return;
    this.forget(value, held);
    const reason = new InvalidTokenError(`Invalid token: access token ${fault}`);
    for (const stream of held.streams.values()) stream.close(reason);
  }
}

function isMeant({ accessToken, grantId, user, client }: Token, ended: RevokedTokens): boolean {
  const own: RevokedTokens = { accessToken, grantId, userId: user?.['id'], clientId: client?.id };
  const given = Object.entries(ended).filter(([, value]) => value !== undefined);
  return given.every(([name, value]) => !(name in own) || String(own[name as keyof RevokedTokens]) === String(value));
}
