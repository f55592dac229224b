import { createHmac, hash, randomBytes } from 'node:crypto';
import { constantTimeEqual, consumeOnce } from '../../lib/adapter/index.js';
import type { OnceModel } from '../../lib/index.js';

/** What tickets are for, and how long they are good. */
export interface SignedTokenKind {
  readonly purpose: string;
  /** In seconds. */
  readonly lifetime: number;
}

/**
 * Tickets are good for one subject and one purpose, for a while, and once where the model can tell. They are signed and no
 * page of them is kept, so they outlive a restart and are good in every process.
 */
export class SignedTokens<Facts extends object = object> {
  constructor(
    private readonly kind: SignedTokenKind,
    private readonly secret: string,
    private readonly model: Partial<OnceModel> = {},
  ) {}

  /**
   * @param binding what it is good for, as text
   * @param content what it says; everybody can read it who has it
   */
  issue(binding: string, content?: Facts): string {
    const expires = Date.now() + this.kind.lifetime * 1000;
    const payload = JSON.stringify({ ...content, expires, id: randomBytes(12).toString('base64url') });
    return this.sign(Buffer.from(payload).toString('base64url'), binding);
  }

  isValid(token: unknown, binding: string): token is string {
    return this.read(token, binding) !== undefined;
  }

  /** What a good ticket says; undefined: it is none. */
  read(token: unknown, binding: string): Facts | undefined {
    if (typeof token !== 'string') return undefined;
    const [payload = ''] = token.split('.', 1);
    if (!constantTimeEqual(token, this.sign(payload, binding))) return undefined;
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Facts & { expires: number };
    return said.expires > Date.now() ? said : undefined;
  }

  /** Spends a good ticket: false when it has decided before. */
  async consume(token: string): Promise<boolean> {
    const { model, kind } = this;
    const digest = hash('sha256', `${kind.purpose} ${token}`, 'base64url');
    // The clock of the process that made it may have been ahead.
    return consumeOnce(model, digest, 2 * kind.lifetime);
  }

  /** The payload has no dot, so what is signed can be read in one way only. */
  private sign(payload: string, binding: string): string {
    const text = `nest-oauth2 ${this.kind.purpose} ${payload}.${binding}`;
    return `${payload}.${createHmac('sha256', this.secret).update(text).digest('base64url')}`;
  }
}

/** A consent page may stay open for 15 minutes. */
const CONSENT = { purpose: 'consent', lifetime: 15 * 60 };

/** Shows that a decision was made on the consent page: good for one user and one authorization request. RFC 6749 §10.12 */
export class ConsentCsrfTokens extends SignedTokens {
  constructor(secret: string, model?: Partial<OnceModel>) {
    super(CONSENT, secret, model);
  }
}
