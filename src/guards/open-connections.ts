import { Deadline, onTokensRevoked } from '../../lib/adapter/index.js';
import { type RevokedTokens, InvalidTokenError, type Model, type Token } from '../../lib/index.js';
import type { OpenStream } from './transports/transport.js';

/** An access token that opened connections or streams. */
interface OpenToken {
  token: Token;
  streams: Map<object, OpenStream>;
  timer?: NodeJS.Timeout;
  /** Runs a look-up in the context of the request that first opened a connection with this token. */
  runInContext: RunInContext;
}

/** Runs a function in the context of a request. */
type RunInContext = <T>(look: () => T) => T;

/** Maximum number of simultaneous look-ups of the tokens of open connections. */
const MAX_LOOK_UPS = 16;
/** Maximum time of one token look-up, in seconds. */
const MAX_LOOK_UP_SECONDS = 30;
/** Maximum delay of a Node timer, in milliseconds. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;

/**
 * The connections and streams that access tokens have opened. A connection is closed when its token expires, when it is
 * revoked by this process, and, if it was revoked elsewhere, after the next look-up in the model. RFC 6750 §5.2,
 * RFC 7009 §2
 */
export class OpenConnections {
  private readonly tokens = new Map<unknown, OpenToken>();
  private readonly valueByKey = new WeakMap<object, unknown>();
  private stop: (() => void) | undefined;
  /** Limits the time of a look-up, so that one that never settles does not block later ones. */
  private readonly lookUpDeadline: Deadline;

  /** @param recheck seconds between two look-ups of all tokens. `0`: no look-ups. */
  constructor(
    private readonly model: Pick<Model, 'getAccessToken'>,
    private readonly recheck: number,
  ) {
    this.lookUpDeadline = new Deadline(recheck > 0 ? Math.min(recheck, MAX_LOOK_UP_SECONDS) : MAX_LOOK_UP_SECONDS);
  }

  /**
   * Closes a stream when its token expires or is revoked. If the stream had another token before, only the new one
   * counts.
   */
  add(token: Token, stream: OpenStream, within: RunInContext = (look) => look()): void {
    const { key } = stream;
    // If the model returns no `accessToken`, the token cannot be looked up again: only its expiry is known.
    const value = token.accessToken ?? token;
    const before = this.valueByKey.get(key);
    if (before === value && this.tokens.get(value)?.streams.has(key)) return;
    if (before === undefined) stream.onClosed(() => this.removeStream(key));
    else this.removeStream(key);
    this.valueByKey.set(key, value);
    let open = this.tokens.get(value);
    if (!open) this.tokens.set(value, (open = { token, streams: new Map(), runInContext: within }));
    open.streams.set(key, stream);
    if (!open.timer) this.scheduleExpiry(value, open);
    this.stop ??= this.start();
  }

  private removeStream(key: object): void {
    const value = this.valueByKey.get(key);
    const open = this.tokens.get(value);
    if (!open?.streams.delete(key) || open.streams.size > 0) return;
    this.forget(value, open);
  }

  private forget(value: unknown, { timer }: OpenToken): void {
    clearTimeout(timer);
    this.tokens.delete(value);
    if (this.tokens.size > 0) return;
    this.stop?.();
    this.stop = undefined;
  }

  /** Starts the timer and the listener for revoked tokens. Returns a function that stops both. */
  private start(): () => void {
    const stopListening = onTokensRevoked(
      (revoked) => void this.verifyMatching((token) => matchesRevokedTokens(token, revoked)),
    );
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

  private scheduleExpiry(value: unknown, open: OpenToken): void {
    clearTimeout(open.timer);
    const { accessTokenExpiresAt: end } = open.token;
    if (!end || !(end.getTime() >= Date.now())) return this.end(value, 'has expired');
    const left = Math.min(end.getTime() - Date.now() + 1, MAX_TIMER_DELAY);
    open.timer = setTimeout(() => this.scheduleExpiry(value, open), left).unref();
  }

  private async verifyMatching(isMeantHere: (token: Token) => boolean): Promise<void> {
    // Each token is looked up once for all its connections, and only a limited number at the same time.
    const left = [...this.tokens].filter(([, { token }]) => isMeantHere(token)).values();
    const look = async () => {
      for (const [value] of left) await this.verify(value);
    };
    await Promise.all(Array.from({ length: MAX_LOOK_UPS }, look));
  }

  private async verify(value: unknown): Promise<void> {
    if (typeof value !== 'string' || !this.tokens.has(value)) return;
    let token: Awaited<ReturnType<NonNullable<Model['getAccessToken']>>>;
    try {
      const { runInContext: within } = this.tokens.get(value)!;
      token = await this.lookUpDeadline.within(async () => within(() => this.model.getAccessToken!(value)));
    } catch {
      // Keep the connection open if the database is unavailable.
      return;
    }
    const open = this.tokens.get(value);
    if (!open) return;
    if (!token) return this.end(value, 'is invalid');
    open.token = token;
    this.scheduleExpiry(value, open);
  }

  private end(value: unknown, problem: string): void {
    const open = this.tokens.get(value);
    if (!open) return;
    this.forget(value, open);
    const reason = new InvalidTokenError(`Invalid token: access token ${problem}`);
    for (const stream of open.streams.values()) stream.close(reason);
  }
}

function matchesRevokedTokens({ accessToken, grantId, user, client }: Token, ended: RevokedTokens): boolean {
  const own: RevokedTokens = { accessToken, grantId, userId: user?.['id'], clientId: client?.id };
  const given = Object.entries(ended).filter(([, value]) => value !== undefined);
  return given.every(([name, value]) => !(name in own) || String(own[name as keyof RevokedTokens]) === String(value));
}
