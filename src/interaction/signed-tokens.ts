import { createHmac, hash, randomBytes } from 'node:crypto';

import { constantTimeEqual, consumeOnce } from '../../lib/internal.js';
import type { OnceModel } from '../../lib/index.js';

/** The purpose and lifetime of a kind of signed tokens. */
export interface SignedTokenKind {
  readonly purpose: string;
  /** Lifetime in seconds. */
  readonly lifetime: number;
}

/**
 * Issues and verifies signed tokens, such as CSRF tokens. A token is bound to one text and one purpose, expires, and is
 * single-use if the model can consume it. Tokens are not stored, so they are valid in every process and after a
 * restart.
 */
export class SignedTokens<Content extends object = object> {
  /** @param secrets The first secret signs, and all of them verify. */
  constructor(
    private readonly kind: SignedTokenKind,
    private readonly secrets: readonly string[],
    private readonly model: Partial<OnceModel> = {},
  ) {}

  /**
   * Returns a new token.
   * @param binding the text that the token is bound to, to be passed again to `isValid()` or `read()`
   * @param content the content of the token. It is signed but not encrypted.
   */
  issue(binding: string, content?: Content): string {
    const expires = Date.now() + this.kind.lifetime * 1000;
    const payload = JSON.stringify({ ...content, expires, id: randomBytes(12).toString('base64url') });
    return this.sign(Buffer.from(payload).toString('base64url'), binding);
  }

  /** Whether a token is valid for this binding and not expired. */
  isValid(token: unknown, binding: string): token is string {
    return this.read(token, binding) !== undefined;
  }

  /** Returns the content of a token. `undefined` if it is expired, forged or bound to another text. */
  read(token: unknown, binding: string): Content | undefined {
    if (typeof token !== 'string') return undefined;
    const [payload = ''] = token.split('.', 1);
    const isSigned = this.secrets.some((secret) => constantTimeEqual(token, this.sign(payload, binding, secret)));
    if (!isSigned) return undefined;
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Content & { expires: number };
    return content.expires > Date.now() ? content : undefined;
  }

  /**
   * Consumes a valid token. Returns `false` if the token was already used. A model without `once()` cannot detect that.
   */
  async consume(token: string): Promise<boolean> {
    const { model, kind } = this;
    const digest = hash('sha256', `${kind.purpose} ${token}`, 'base64url');
    // Remember it for twice its lifetime: the clock of the issuing process may have been ahead.
    return consumeOnce(model, digest, 2 * kind.lifetime);
  }

  /** Signs a payload with its purpose and binding. The payload contains no dot, so the signed text is unambiguous. */
  private sign(payload: string, binding: string, secret = this.secrets[0]!): string {
    const text = `nest-oauth2 ${this.kind.purpose} ${payload}.${binding}`;
    return `${payload}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }
}

/** The kind of the CSRF token of a form with a choice before consent. It is valid for 15 minutes. */
const CHOICE = { purpose: 'choice', lifetime: 15 * 60 };

/**
 * Issues and verifies the CSRF tokens of forms with a choice before consent. A token is bound to one user and one
 * authorization request. It does not count for the consent form. RFC 6749 §10.12
 */
export class ChoiceCsrfTokens extends SignedTokens {
  constructor(secrets: readonly string[]) {
    super(CHOICE, secrets);
  }
}

/** The kind of the CSRF token of a consent form. It is valid for 15 minutes. */
const CONSENT = { purpose: 'consent', lifetime: 15 * 60 };

/**
 * Issues and verifies the CSRF tokens of consent forms. A token is bound to one user and one authorization request.
 * RFC 6749 §10.12
 */
export class ConsentCsrfTokens extends SignedTokens {
  constructor(secrets: readonly string[], model?: Partial<OnceModel>) {
    super(CONSENT, secrets, model);
  }
}
