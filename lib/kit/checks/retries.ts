import type { CheckContext } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { isRefused } from './model-calls.js';
import { REFRESH_TOKEN } from './token-kinds.js';

const needs = REFRESH_TOKEN.needs.concat('getAccessToken', 'revokeGrant', 'redeem');
const feature = 'refresh tokens';
const remedy = `Store \`token.successor\` in a text column of the refresh token that \`redeem()\` marks as used. Return it from \`getRefreshToken()\`. Do not store it with the new token.
  SQL    UPDATE refresh_tokens SET revoked_at = now(), successor = ? WHERE token = ? AND revoked_at IS NULL`;

/** The checks of the rotation grace period, `refreshTokenReuseInterval`. */
export const RETRY_CHECKS: readonly Check[] = [
  {
    name: 'makes the server return the same tokens for a retried refresh',
    feature,
    needs,
    attack: 'No attack is needed: a client that loses a response on a bad network is signed out.',
    remedy,
    run: assertSameTokensOnRetry,
  },
  {
    name: 'makes the server return no other tokens for a retried refresh if clocks differ',
    feature,
    needs,
    attack:
      'An attacker sends a stolen refresh token to the process with the slow clock. Attacker and owner both have valid tokens.',
    remedy,
    run: assertNoOtherTokensOnRetry,
  },
];

/** Grace period in seconds: longer than any clock offset in these checks. */
const INTERVAL = 60;

async function assertSameTokensOnRetry(context: CheckContext): Promise<void> {
  await context.clientFor('refresh_token');
  const options = { server: context.server(undefined, { refreshTokenReuseInterval: INTERVAL }) };
  const { value } = await REFRESH_TOKEN.save(context);
  const lost = await context.refresh(value, options);
  const again = await context.refresh(value, options).catch(() => undefined);
  assert(again, 'The server rejects an immediate retry within the grace period.');
  const isSame = again.access_token === lost.access_token && again.refresh_token === lost.refresh_token;
  assert(isSame, 'The server returns other tokens for a retry within the grace period.');
  assert(
    await context.acceptsAccessToken(again.access_token),
    'The server does not accept the access token that a retry returned.',
  );
  await context.refresh(again.refresh_token!, options);
  assert(
    await isRefused(context.refresh(value, options)),
    'The server accepts a retry although the tokens of the first response were already used.',
  );
}

/**
 * Asserts that a retry never gets other tokens. It may be rejected if the model does not measure by the database clock.
 */
async function assertNoOtherTokensOnRetry(context: CheckContext): Promise<void> {
  await context.clientFor('refresh_token');
  const options = { server: context.server(undefined, { refreshTokenReuseInterval: INTERVAL }) };
  for (const ahead of [5000, -5000]) {
    const { value } = await REFRESH_TOKEN.save(context);
    const first = await withClockOffset(ahead, async () => context.refresh(value, options));
    const again = await context.refresh(value, options).catch(() => undefined);
    const isOther = again && again.access_token !== first.access_token;
    assert(
      !isOther,
      `The server returns other tokens for a retry to a process whose clock differs by ${Math.abs(ahead / 1000)} seconds.`,
    );
  }
}
