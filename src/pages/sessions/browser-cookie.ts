import { createHmac, randomBytes } from 'node:crypto';

import { constantTimeEqual } from '../../../lib/internal.js';
import type { Request, Response, ServerContext } from '../../../lib/index.js';
import { boundToUsers, usersOf } from '../../tenants/tenant-of.js';

/** The cookies of the pages, with the pattern of their values. */
const KINDS = {
  'oauth2-session': /^[\w-]{43}$/,
  'oauth2-pending-login': /^[\w-]{43}$/,
  'oauth2-prompt': /^[\w-]{43}$/,
  'oauth2-remembered': /^[\w-]{43}$/,
  'oauth2-known-browser': /^[\w-]{22}\.[\w-]{43}$/,
};

/** Returns a cookie value of 256 random bits. */
export const newCookieValue = (): string => randomBytes(32).toString('base64url');

/**
 * Returns the name of a cookie. Other hosts of the domain cannot set cookies with the prefix `__Host-`. A browser sends
 * a cookie to all ports of a host, so the name contains the port of the issuer: two applications on `localhost` must not
 * overwrite each other's sessions. RFC 6265bis §4.1.3.2, RFC 6265 §8.5
 */
export function cookieName(kind: string, issuer: string | undefined, isSecure: boolean): string {
  const [, port] = /^https?:\/\/[^/]*:(\d+)(?:\/|$)/.exec(issuer ?? '') ?? [];
  return `${isSecure ? '__Host-' : ''}${kind}${port ? `.${port}` : ''}`;
}

/**
 * A cookie of the pages: `HttpOnly`, `SameSite=Lax`, and `Secure` if the server is reached over TLS. By default it is
 * the session cookie, which identifies the session and binds forms to the browser. RFC 6265
 */
export class BrowserCookie {
  readonly value: string | undefined;
  private readonly name: string;
  private readonly attributes: string;

  constructor(
    request: Request,
    private readonly response: Response,
    server: ServerContext,
    kind: keyof typeof KINDS = 'oauth2-session',
  ) {
    const issuer = server.issuerOf(request);
    const { protocol } = (request['native'] ?? {}) as { protocol?: unknown };
    const isSecure = protocol === 'https' || issuer?.startsWith('https:') === true;
    const name = cookieName(kind, issuer, isSecure);
    // Several tenants and realms may share a host name, and a user may be signed in to more than one of them.
    this.name = usersOf(server) === undefined ? name : `${name}-${boundToUsers('', server).slice(0, 12)}`;
    this.attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    const given = valueOf(request.get('cookie'), this.name);
    this.value = given !== undefined && KINDS[kind].test(given) ? given : undefined;
  }

  /**
   * Sets the cookie to a new value and returns the value.
   * @param seconds how long the browser stores the cookie. If omitted, until the browser is closed.
   * @param value Default: 256 random bits.
   */
  issue(seconds?: number, value = newCookieValue()): string {
    this.set(value, seconds);
    return value;
  }

  clear(): void {
    this.set('', 0);
  }

  private set(value: string, seconds: number | undefined): void {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    const line = `${this.name}=${value}${this.attributes}${age}`;
    const { headers } = this.response as { headers?: Record<string, string | readonly string[]> };
    const others = [headers?.['set-cookie'] ?? []].flat().filter((one) => !one.startsWith(`${this.name}=`));
    if (others.length > 0) headers!['set-cookie'] = [...others, line];
    else this.response.set('set-cookie', line);
  }
}

/**
 * Returns the CSRF token for a form in this browser. It cannot be computed without the cookie. RFC 9700 §4.7
 * @param binding what the form decides. If omitted, the token is not bound to a decision.
 */
export const csrfToken = (cookie: string, binding = ''): string =>
  createHmac('sha256', cookie).update(`nest-oauth2 form${binding}`).digest('base64url');

export function isCsrfToken(token: unknown, cookie: string | undefined, binding?: string): boolean {
  return typeof token === 'string' && cookie !== undefined && constantTimeEqual(token, csrfToken(cookie, binding));
}

/**
 * Returns the value of a cookie. Only spaces and tabs around a name are removed: `trim()` would also remove a no-break
 * space, and another host of the domain can set a cookie whose name is a no-break space and `__Host-`. RFC 6265 §5.4,
 * RFC 6265bis §4.1.3.2
 */
function valueOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const end = pair.indexOf('=');
    if (end >= 0 && trimBlanks(pair.slice(0, end)) === name) return trimBlanks(pair.slice(end + 1));
  }
  return undefined;
}

/**
 * Returns a text without leading and trailing spaces and tabs. A regular expression for both ends would take quadratic
 * time.
 */
function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && BLANKS.includes(text[from]!)) from += 1;
  while (to > from && BLANKS.includes(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}

const BLANKS = ' \t';
