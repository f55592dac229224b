import { randomBytes, randomUUID } from 'node:crypto';
import { requiredScope } from '../fixtures.js';

/** Saves grants of users, with one refresh token each, as a redeemed code does. Returns the refresh tokens. */
export async function saveRefreshTokens(model, secret, amount) {
  const client = await model.getClient('web', secret);
  const waiting = Array.from({ length: amount }, () => randomBytes(32).toString('hex'));
  const saved = [...waiting];
  const lane = async () => {
    for (let refreshToken = waiting.pop(); refreshToken; refreshToken = waiting.pop()) {
      const token = {
        accessToken: randomBytes(32).toString('hex'),
        accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
        refreshToken,
        refreshTokenExpiresAt: new Date(Date.now() + 1_209_600_000),
        scope: requiredScope,
        grantId: randomUUID(),
      };
      await model.saveToken(token, client, { id: 'alice' });
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return saved;
}
