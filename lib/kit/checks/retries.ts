import type { CheckContext } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { isRefused } from './model-calls.js';
import { REFRESH_TOKEN } from './token-kinds.js';

const needs = REFRESH_TOKEN.needs.concat('getAccessToken', 'revokeGrant', 'redeem');
const feature = 'refresh tokens';
const remedy = `keep \`token.successor\` beside the refresh token that \`redeem()\` spends, in a column of text, and return it from \`getRefreshToken()\`; never save it with the new one.
  SQL    UPDATE refresh_tokens SET revoked_at = now(), successor = ? WHERE token = ? AND revoked_at IS NULL`;

/** What a host gets of `refreshTokenReuseInterval`. */
export const RETRY_CHECKS: readonly Check[] = [
  {
    name: 'has the server answer a retry by the same tokens',
    feature,
    needs,
    attack: 'nobody needs to attack: whoever loses an answer on the way is signed out.',
    remedy,
    run: assertSameTokensOnRetry,
  },
  {
    name: 'has the server give no other tokens to a retry where clocks differ',
    feature,
    needs,
    attack: 'a thief brings the stolen refresh token to the process with the slow clock: both have live tokens.',
    remedy,
    run: assertNoOtherTokensOnRetry,
  },
];

/** Longer than any clock is off here. */
const INTERVAL = 60;

async function assertSameTokensOnRetry(trial: CheckContext): Promise<void> {
  await trial.clientFor('refresh_token');
  const counter = { server: trial.server(undefined, { refreshTokenReuseInterval: INTERVAL }) };
  const { value } = await REFRESH_TOKEN.save(trial);
  const lost = await trial.refresh(value, counter);
  const again = await trial.refresh(value, counter).catch(() => undefined);
  assert(again, 'the server refuses a retry at once');
  const isSame = again.access_token === lost.access_token && again.refresh_token === lost.refresh_token;
  assert(isSame, 'the server answers a retry by other tokens');
  assert(await trial.acceptsAccessToken(again.access_token), 'the access token of the retry is not let in');
  await trial.refresh(again.refresh_token!, counter);
  assert(
    await isRefused(trial.refresh(value, counter)),
    'the server answers a retry whose answer has been used already',
  );
}

/** Forgiven or refused: by the clock of the database the one, where there is none perhaps the other. */
async function assertNoOtherTokensOnRetry(trial: CheckContext): Promise<void> {
  await trial.clientFor('refresh_token');
  const counter = { server: trial.server(undefined, { refreshTokenReuseInterval: INTERVAL }) };
  for (const ahead of [5000, -5000]) {
    const { value } = await REFRESH_TOKEN.save(trial);
    const first = await withClockOffset(ahead, async () => trial.refresh(value, counter));
    const again = await trial.refresh(value, counter).catch(() => undefined);
    const isOther = again && again.access_token !== first.access_token;
    assert(!isOther, `the server gives other tokens where the clock is ${Math.abs(ahead / 1000)} seconds off`);
  }
}
