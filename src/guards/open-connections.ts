import { Deadline, isPrincipal, onTokensRevoked, toOAuthError, type RevokedTokens } from '../../lib/internal.js';
import { InvalidTokenError, type OAuthError, type Token } from '../../lib/index.js';
import type { OpenStream } from './transports/transport.js';

/** A request that the guard has accepted, and that opened a connection or stream or used it. */
export interface AcceptedAccess {
  /** The options of `authenticate()` for the route. Their JSON identifies its requirements. */
  readonly options: object | undefined;
  /**
   * Verifies that the access token of the request still meets the requirements of the route.
   * @param round Calls with the same object look up a token once.
   * @throws {OAuthError} If it does not, or if the token cannot be verified.
   */
  verify(round: object): Promise<Token>;
}

/** An open connection or stream, with the requests for which its token was accepted. */
interface OpenEntry {
  readonly stream: OpenStream;
  /** The latest request for each different set of requirements, by the requirements as JSON. */
  readonly accesses: Map<string, AcceptedAccess>;
  /** How many look-ups in a row have failed because of a server error. */
  failures: number;
}

/** An access token that opened connections or streams. */
interface OpenToken {
  token: Token;
  entries: Map<object, OpenEntry>;
  timer?: NodeJS.Timeout;
}

/** Maximum number of simultaneous look-ups of the tokens of open connections. */
const MAX_LOOK_UPS = 16;
/** Maximum time of one token look-up, in seconds. */
const MAX_LOOK_UP_SECONDS = 30;
/** Maximum number of look-ups in a row that may fail because of a server error, before the connection is closed. */
const MAX_FAILURES = 10;
/** Maximum delay of a Node timer, in milliseconds. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;

/**
 * The connections and streams that access tokens have opened. A connection is closed when its token expires, when it is
 * revoked by this process, and, if it was revoked elsewhere or no longer meets the requirements of a route, after the
 * next look-up. If the token cannot be verified, the connection stays open for a limited number of look-ups.
 * RFC 6750 §5.2, RFC 7009 §2
 */
export class OpenConnections {
  private readonly tokens = new Map<unknown, OpenToken>();
  private readonly valueByKey = new WeakMap<object, unknown>();
  private stop: (() => void) | undefined;
  /** Limits the time of a look-up, so that one that never settles does not block later ones. */
  private readonly lookUpDeadline: Deadline;

  /** @param recheck seconds between two look-ups of all tokens. `0`: no look-ups. */
  constructor(private readonly recheck: number) {
    this.lookUpDeadline = new Deadline(recheck > 0 ? Math.min(recheck, MAX_LOOK_UP_SECONDS) : MAX_LOOK_UP_SECONDS);
  }

  /**
   * Closes a stream when its token expires, is revoked or no longer meets the requirements of all accepted requests. If
   * the stream had another token before, only the new one counts.
   */
  add(token: Token, stream: OpenStream, access: AcceptedAccess): void {
    const { key } = stream;
    if (stream.isClosed) return;
    // Sessions are identified by their grant. If the model returns no `accessToken`, the tokens of two requests are not
    // known to be the same.
    const value = token.accessToken ?? (isPrincipal(token) ? token.grantId : undefined) ?? token;
    const before = this.valueByKey.get(key);
    // A route whose scopes are returned by a function has a new object for each request.
    const requirements = JSON.stringify([access.options]);
    const known = before === value ? this.tokens.get(value)?.entries.get(key) : undefined;
    if (known) return void known.accesses.set(requirements, access);
    if (before === undefined) stream.onClosed(() => this.removeStream(key));
    else this.removeStream(key);
    this.valueByKey.set(key, value);
    let open = this.tokens.get(value);
    if (!open) this.tokens.set(value, (open = { token, entries: new Map() }));
    open.entries.set(key, { stream, accesses: new Map([[requirements, access]]), failures: 0 });
    if (!open.timer) this.scheduleExpiry(value, open);
    this.stop ??= this.start();
  }

  private removeStream(key: object): void {
    const value = this.valueByKey.get(key);
    const open = this.tokens.get(value);
    if (!open?.entries.delete(key) || open.entries.size > 0) return;
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
    if (!end || !(end.getTime() >= Date.now())) return this.expire(value, open);
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
    const open = this.tokens.get(value);
    if (!open) return;
    const round = {};
    const entries = [...open.entries.values()];
    const found = (await Promise.all(entries.map((entry) => this.verifyEntry(value, open, entry, round)))).find(
      Boolean,
    );
    if (!found || this.tokens.get(value) !== open) return;
    open.token = found;
    this.scheduleExpiry(value, open);
  }

  /**
   * Verifies the token of a connection for each of its accepted requests, and closes the connection if one is no longer
   * acceptable. Returns the token if it is valid.
   */
  private async verifyEntry(
    value: unknown,
    open: OpenToken,
    entry: OpenEntry,
    round: object,
  ): Promise<Token | undefined> {
    try {
      let token: Token | undefined;
      for (const access of entry.accesses.values()) {
        token = await this.lookUpDeadline.within(async () => access.verify(round));
      }
      entry.failures = 0;
      return token;
    } catch (error) {
      const failure = toOAuthError(error);
      // A database that is unavailable for a short time does not close connections.
      if (failure.status >= 500 && ++entry.failures < MAX_FAILURES) return undefined;
      this.close(value, open, entry, failure);
      return undefined;
    }
  }

  private close(value: unknown, open: OpenToken, entry: OpenEntry, reason: OAuthError): void {
    // The connection may have been closed, or may have got another token, during the look-up.
    if (open.entries.get(entry.stream.key) !== entry) return;
    open.entries.delete(entry.stream.key);
    if (open.entries.size === 0) this.forget(value, open);
    entry.stream.close(reason);
  }

  private expire(value: unknown, open: OpenToken): void {
    this.forget(value, open);
    const reason = new InvalidTokenError('Invalid token: access token has expired');
    for (const { stream } of open.entries.values()) stream.close(reason);
  }
}

function matchesRevokedTokens({ accessToken, grantId, user, client }: Token, ended: RevokedTokens): boolean {
  const own: RevokedTokens = { accessToken, grantId, userId: user?.['id'], clientId: client?.id };
  const given = Object.entries(ended).filter(([, value]) => value !== undefined);
  return given.every(([name, value]) => !(name in own) || String(own[name as keyof RevokedTokens]) === String(value));
}
