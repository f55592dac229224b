import type { Row } from '../storage.js';
import { keepRecent } from '../../keep-recent.js';

type Hint = Pick<Row, 'grantId' | 'clientId'>;

/**
 * Remembers which grant and client the tokens seen last belong to, which never changes: so the next look at the token,
 * its grant and its client is one round trip. Whether they are alive is asked of Redis every time.
 */
export class TokenHints {
  private readonly hints = new Map<string, Hint>();

  constructor(private readonly limit = 10_000) {}

  get(digest: string): Hint | undefined {
    return this.hints.get(digest);
  }

  set(digest: string, { grantId, clientId }: Hint): void {
    keepRecent(this.hints, digest, { grantId, clientId }, this.limit);
  }
}
