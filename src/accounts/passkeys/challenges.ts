import { hash, randomBytes } from 'node:crypto';
import { consumeOnce, ExpiringTexts, SERVER_SECRETS } from '../../../lib/internal.js';
import type { ServerContext } from '../../../lib/index.js';

/** Seconds in which a challenge must be answered. The login page may stay open for a while. */
const LIFETIME = 900;

/** The purpose of a challenge. */
export interface ChallengePurpose {
  /** `login`: a passkey alone. `factor`: a passkey after a password. `add`: a new passkey. */
  readonly use: 'login' | 'factor' | 'add';
  /** Identifies the browser. */
  readonly browser: string;
  /** The user who must answer. `undefined` if the passkey says who the user is. */
  readonly userId?: string;
}

/**
 * The challenges of passkeys: 256 random bits, of which a form contains the encrypted copy. A challenge is valid for one
 * purpose, browser, user and server, for a limited time. The store remembers which ones were used.
 */
export class Challenges {
  private readonly texts: ExpiringTexts<{ readonly challenge: string }>;

  constructor(
    private readonly server: ServerContext,
    private readonly realm: string,
  ) {
    this.texts = new ExpiringTexts(server.find(SERVER_SECRETS) ?? [], 'nest-oauth2 passkey challenge');
  }

  /** Returns a new challenge, and the value of the form that proves it. */
  create(purpose: ChallengePurpose): { challenge: string; sealed: string } {
    const challenge = randomBytes(32).toString('base64url');
    return { challenge, sealed: this.texts.encrypt({ challenge }, LIFETIME, this.ownerOf(purpose)) };
  }

  /**
   * Consumes the challenge of a form.
   * @returns `undefined` if it has expired, was used before, or is for another purpose
   */
  async consume(sealed: string | undefined, purpose: ChallengePurpose): Promise<string | undefined> {
    const { challenge } = this.texts.decrypt(sealed, this.ownerOf(purpose)) ?? {};
    if (challenge === undefined) return undefined;
    const digest = hash('sha256', `passkey challenge ${challenge}`, 'base64url');
    return (await consumeOnce(this.server.options.model, digest, 2 * LIFETIME)) ? challenge : undefined;
  }

  private ownerOf({ use, browser, userId }: ChallengePurpose): string {
    return JSON.stringify([this.server.options.issuer, this.realm, use, browser, userId ?? null]);
  }
}
