import type { CheckContext } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { isRefused } from './model-calls.js';
import { REFRESH_TOKEN } from './token-kinds.js';

const needs = REFRESH_TOKEN.needs.concat('getAccessToken', 'revokeGrant', 'redeem');
const feature = 'refresh tokens';
const remedy = `Store \`token.rotatedToken\` in a text column of the refresh token that \`redeem()\` marks as used. Return it from \`getRefreshToken()\`. Do not store it with the new token.
  SQL    UPDATE refresh_tokens SET revoked_at = now(), rotated_token = ? WHERE token = ? AND revoked_at IS NULL`;

/**
 * The checks of `refreshTokenReuseInterval`, the rotation grace period: whether a client may retry a refresh request.
 */
export const RETRY_CHECKS: readonly Check[] = [
  {
    name: 'lets the server return the same tokens for a retried refresh request',
    feature,
    needs,
    attack: 'No attack is needed: a client loses a token response on a bad network, and its user is signed out.',
    remedy,
    run: assertSameTokensOnRetry,
  },
  {
    name: 'never lets the server return different tokens for a retried refresh request, even if clocks differ',
    feature,
    needs,
    attack:
      'An attacker sends a stolen refresh token to a process with a slow clock and gets tokens of its own. Attacker and owner both have valid tokens.',
    remedy,
    run: assertNoOtherTokensOnRetry,
  },
  {
    name: "lets the server repeat the same refresh token until it is used, with `'until-used'`",
    feature,
    needs,
    attack:
      'No attack is needed: a client loses a token response and tries again hours later, and its user is signed out.',
    remedy,
    run: assertSameRefreshTokenUntilUsed,
  },
];

/** Milliseconds after which an access token of the last check has expired, and no refresh token. */
const LATER = 120_000;

/** Grace period in seconds: longer than any clock offset in these checks, and than the checks on a slow machine. */
const INTERVAL = 600;

async function assertSameTokensOnRetry(context: CheckContext): Promise<void> {
  await context.clientFor('refresh_token');
  const options = { server: context.server(undefined, { refreshTokenReuseInterval: INTERVAL }) };
  const { value } = await REFRESH_TOKEN.save(context);
  const lost = await context.refresh(value, options);
  const again = await context.refresh(value, options).catch(() => undefined);
  assert(again, 'The server rejects an immediate retry of a refresh request, although the grace period has not ended.');
  const isSame = again.access_token === lost.access_token && again.refresh_token === lost.refresh_token;
  assert(isSame, 'The server returns different tokens for a retry of a refresh request within the grace period.');
  assert(
    await context.acceptsAccessToken(again.access_token),
    'The server rejects the access token that it returned for a retry of a refresh request.',
  );
  await context.refresh(again.refresh_token!, options);
  assert(
    await isRefused(context.refresh(value, options)),
    'The server accepts a retry of a refresh request, although the refresh token of the first response was already used.',
  );
}

/**
 * Asserts that a retried refresh request never gets different tokens if clocks differ. The server may reject it, since
 * the model may not measure by the clock of its database.
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
      `The server returns different tokens for a retry at a process whose clock differs by ${Math.abs(ahead / 1000)} seconds.`,
    );
  }
}

/**
 * Asserts that concurrent retries of a refresh request after the expiry of the access token get one refresh token, until
 * that token is used.
 */
async function assertSameRefreshTokenUntilUsed(context: CheckContext): Promise<void> {
  await context.clientFor('refresh_token');
  const retries = { accessTokenLifetime: 60, refreshTokenReuseInterval: 'until-used' } as const;
  const options = { server: context.server(undefined, retries) };
  const { value } = await REFRESH_TOKEN.save(context);
  const lost = await context.refresh(value, options);
  const responses = await withClockOffset(LATER, async () => {
    const requests = Array.from({ length: 20 }, () => context.refresh(value, options).catch(() => undefined));
    return Promise.all(requests);
  });
  assert(
    responses.every((again) => again?.refresh_token === lost.refresh_token),
    'The server rejects a retry of a refresh request, or returns another refresh token, although the first one was not used.',
  );
  await context.refresh(lost.refresh_token!, options);
  assert(
    await isRefused(context.refresh(value, options)),
    'The server accepts a retry of a refresh request, although the refresh token of the first response was already used.',
  );
}
