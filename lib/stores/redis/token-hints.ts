import type { Row } from '../contract/storage.js';
import { keepRecent } from '../../crypto/lru.js';

/** The IDs of the grant, client and user that a token belongs to, and its issuer. */
export type TokenHint = Pick<Row, 'grantId' | 'clientId' | 'userId' | 'issuer'>;

/**
 * Caches the grant, client and user of recently used access tokens. These never change, so the next look-up reads the
 * token, its grant and its client in one round trip. Whether they are active is always read from Redis.
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
