import { hash, randomBytes } from 'node:crypto';

import { consumeOnce, ExpiringTexts, SERVER_SECRETS } from '../../lib/internal.js';
import type { Request, Response, ServerContext } from '../../lib/index.js';
import { cookieName } from '../pages/sessions/browser-cookie.js';
import { serverKey } from '../tenants/tenant-of.js';

/** Seconds in which the user must come back from the provider. */
export const ATTEMPT_LIFETIME = 600;

/** Maximum number of attempts in one browser. Another one removes the oldest, so that the cookies stay small. */
const MAX_ATTEMPTS = 4;

/** Maximum length of an encrypted attempt. Browsers discard cookies of more than 4,096 bytes. RFC 6265 §6.1 */
const MAX_LENGTH = 3800;

/** An attempt to sign in with a provider, or to link it to an account. */
export interface Attempt {
  /** The name of the provider in the option `providers`. */
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path to continue at. */
  readonly returnTo: string | undefined;
  /** The ID of the user who links the provider. `undefined` to sign in. */
  readonly linkTo?: string | undefined;
  /** The requested scope. */
  readonly scope: string;
}

/** An attempt as the cookie contains it. */
interface StoredAttempt extends Attempt {
  /** The server that began the attempt. */
  readonly server: string;
}

const randomValue = () => randomBytes(32).toString('base64url');

/**
 * The attempts of one browser: an encrypted cookie for each, so that several tabs work. The cookie binds the response
 * of the provider to the browser that sent the request. RFC 6749 §10.12
 */
export class Attempts {
  private readonly prefix: string;
  private readonly attributes: string;
  private readonly texts: ExpiringTexts<StoredAttempt>;
  private readonly forms: ExpiringTexts<{ readonly parameters?: Readonly<Record<string, string>> }>;
  private readonly serverKey: string;

  constructor(
    private readonly server: ServerContext,
    private readonly request: Request,
    private readonly response: Response,
  ) {
    const issuer = server.issuerOf(request) ?? '';
    const isSecure = issuer.startsWith('https:');
    this.serverKey = serverKey(server, issuer);
    this.prefix = `${cookieName('oauth2-upstream', issuer, isSecure)}-`;
    this.attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    const secrets = server.find(SERVER_SECRETS) ?? [];
    this.texts = new ExpiringTexts(secrets, 'nest-oauth2 upstream attempt');
    this.forms = new ExpiringTexts(secrets, 'nest-oauth2 upstream attempt');
  }

  /**
   * Begins an attempt, and sets its cookie.
   * @returns `undefined` if `returnTo` is too long for a cookie
   */
  begin(attempt: Pick<Attempt, 'provider' | 'returnTo' | 'linkTo' | 'scope'>): Attempt | undefined {
    const begun = { ...attempt, state: randomValue(), nonce: randomValue(), verifier: randomValue() };
    const stored: StoredAttempt = { ...begun, server: this.serverKey };
    const value = this.texts.encrypt(stored, ATTEMPT_LIFETIME);
    if (value.length > MAX_LENGTH) return undefined;
    this.removeOldest();
    this.setCookie(this.nameOf(begun.state), value, ATTEMPT_LIFETIME);
    return begun;
  }

  /** Returns the attempt of this browser with a `state`. `undefined` if this browser has not begun it, or it expired. */
  find(state: string): Attempt | undefined {
    const attempt = this.texts.decrypt(this.cookies().get(this.nameOf(state)));
    return attempt?.state === state && attempt.server === this.serverKey ? attempt : undefined;
  }

  /** Ends an attempt. Returns `false` if it was ended before, in any process. */
  async end({ state }: Attempt): Promise<boolean> {
    this.setCookie(this.nameOf(state), '', 0);
    const digest = hash('sha256', `upstream attempt ${state}`, 'base64url');
    return consumeOnce(this.server.options.model, digest, 2 * ATTEMPT_LIFETIME);
  }

  /** Encrypts the parameters of a form post for one redirect, so that no log contains them. */
  encryptForm(parameters: Readonly<Record<string, string>>): string {
    return this.forms.encrypt({ parameters }, FORM_LIFETIME);
  }

  /** Returns the parameters of `encryptForm()`. `undefined` if they were modified or expired. */
  decryptForm(text: string): Readonly<Record<string, string>> | undefined {
    return this.forms.decrypt(text)?.parameters;
  }

  /** Removes the cookies of expired and forged attempts, and of the oldest ones if there are too many. */
  private removeOldest(): void {
    const others = [...this.cookies()]
      .map(([name, value]) => ({ name, expires: this.texts.decrypt(value)?.expires ?? 0 }))
      .toSorted((a, b) => b.expires - a.expires);
    const kept = others.filter(({ expires }) => expires > 0).slice(0, MAX_ATTEMPTS - 1);
    for (const one of others) if (!kept.includes(one)) this.setCookie(one.name, '', 0);
  }

  /** Returns the cookies of attempts, by name. */
  private cookies(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const pair of this.request.get('cookie')?.split(';').slice(0, MAX_COOKIES) ?? []) {
      const end = pair.indexOf('=');
      // `trim()` would also remove a no-break space, with which another host can imitate the prefix.
      const name = pair.slice(0, Math.max(end, 0)).replace(/^[ \t]+/, '');
      if (name.startsWith(this.prefix) && NAME_END.test(name.slice(this.prefix.length))) {
        found.set(name, pair.slice(end + 1));
      }
    }
    return found;
  }

  private nameOf(state: string): string {
    return `${this.prefix}${hash('sha256', `${this.serverKey} ${state}`, 'base64url').slice(0, 16)}`;
  }

  private setCookie(name: string, value: string, seconds: number): void {
    const line = `${name}=${value}${this.attributes}; Max-Age=${seconds}`;
    const { headers } = this.response as { headers: Record<string, string | readonly string[]> };
    headers['set-cookie'] = [...[headers['set-cookie'] ?? []].flat(), line];
  }
}

const MAX_COOKIES = 200;

const NAME_END = /^[\w-]{16}$/;

/** Seconds in which a browser follows the redirect after a form post. */
const FORM_LIFETIME = 60;
