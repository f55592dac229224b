import type { Row } from '../storage.js';
import { keepRecent } from '../../crypto/lru.js';

/** What a token belongs to. */
export type TokenHint = Pick<Row, 'grantId' | 'clientId' | 'userId' | 'issuer'>;

/**
 * Remembers the grant, client and user of the access tokens that were used last. These never change, so the next look-up
 * reads the token and its owners in one round trip. Whether they are alive is read from Redis every time.
 */
export class TokenHints {
  private readonly hints = new Map<string, TokenHint>();

  constructor(private readonly limit = 10_000) {}

  get(digest: string): TokenHint | undefined {
    return this.hints.get(digest);
  }

  set(digest: string, { grantId, clientId, userId, issuer }: TokenHint): void {
    keepRecent(this.hints, digest, { grantId, clientId, userId, issuer }, this.limit);
  }
}
