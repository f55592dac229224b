import { describe, expect, it } from '@jest/globals';
import { notifyTokensRevoked, type RevokedTokens } from 'nest-oauth2/features';

import { onTokensRevoked } from '../../../lib/tokens/revoked-tokens.js';

describe('onTokensRevoked()', () => {
  it('notifies each listener of revoked tokens until it is removed', () => {
    const [first, second]: [RevokedTokens[], RevokedTokens[]] = [[], []];
    const stopFirst = onTokensRevoked((revoked) => first.push(revoked));
    const stopSecond = onTokensRevoked((revoked) => second.push(revoked));
    notifyTokensRevoked({ grantId: 'one' });
    stopFirst();
    notifyTokensRevoked({ userId: 'alice' });
    stopSecond();
    notifyTokensRevoked({ clientId: 'web' });
    expect(first).toEqual([{ grantId: 'one' }]);
    expect(second).toEqual([{ grantId: 'one' }, { userId: 'alice' }]);
  });
});
