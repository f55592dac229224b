import type { CheckContext, IssuedCode } from '../check-context.js';
import { withClockOffset } from '../clock.js';
import { type Check, assert } from '../contract.js';
import { findSaved, isRefused, lookUp, inspectValue, sleep } from './model-calls.js';
import { AUTHORIZATION_CODE } from './token-kinds.js';

const needs = AUTHORIZATION_CODE.needs.concat('getAccessToken', 'revokeGrant');
const feature = 'token families';

/** Of a spent code only a request that would have been good is a replay. OAuth 2.1 §7.5.3 */
export const USED_CODE_CHECKS: readonly Check[] = [
  {
    name: 'tells of a spent authorization code what it told of a live one',
    feature,
    needs,
    attack:
      'what a spent code demands cannot be checked any more: whoever finds it in a log signs its user out, or the thief who was first stays in.',
    remedy:
      'mark the row as spent and change nothing else of it: `getAuthorizationCode()` returns `expiresAt`, `redirectUri`, `codeChallenge` and `codeChallengeMethod` as before, and `revokedAt`.',
    run: assertUsedCodeUnchanged,
  },
  {
    name: 'ends no family by a spent authorization code that comes without its proof, or too late',
    feature,
    needs,
    attack:
      'somebody who knows no more than an old code, from a log, a browser history or a Referer, signs the user out.',
    remedy:
      '`revokeAuthorizationCode()` and `getAuthorizationCode()` end nothing themselves: the server calls `revokeGrant()` once it knows that it was a replay. `expiresAt` of a spent code stays what it was.',
    run: assertOnlyValidReplayRevokes,
  },
];

async function assertUsedCodeUnchanged(trial: CheckContext): Promise<void> {
  const { sent, held } = await trial.saveCode({}, true);
  const live = await findSaved(trial, AUTHORIZATION_CODE, held.code);
  await AUTHORIZATION_CODE.consume(trial.model, { ...live }, held.code);
  const spent = await lookUp(trial, AUTHORIZATION_CODE, held.code);
  assert(spent, '`getAuthorizationCode()` returns nothing once it is spent');
  for (const field of ['redirectUri', 'codeChallenge', 'codeChallengeMethod'] as const) {
    const isSame = (spent[field] || undefined) === sent[field];
    const of = `\`getAuthorizationCode()\` returns \`${field}\` ${inspectValue(spent[field])}`;
    assert(isSame, `${of} of a spent code for ${inspectValue(sent[field])}`);
  }
  const { expiresAt } = spent;
  const change = expiresAt instanceof Date ? Math.abs(expiresAt.getTime() - sent.expiresAt.getTime()) : Number.NaN;
  const of = `\`getAuthorizationCode()\` returns \`expiresAt\` ${inspectValue(expiresAt)} of a spent code`;
  // A column may keep whole seconds.
  assert(change <= 1000, `${of} for ${inspectValue(sent.expiresAt)}`);
}

async function assertOnlyValidReplayRevokes(trial: CheckContext): Promise<void> {
  await trial.clientFor('authorization_code');
  const { held, token } = await redeemed(trial);
  const unproven = { 'without its verifier': undefined, 'with another verifier': trial.newPkcePair().verifier };
  for (const [how, verifier] of Object.entries(unproven)) {
    assert(await isRefused(trial.redeem({ ...held, verifier })), `the server takes a spent code ${how}`);
    assert(await trial.acceptsAccessToken(token), `a spent code that comes ${how} ends the family`);
  }
  const survives = (await survivesLateReplay(trial, 60_000)) || (await survivesLateReplay(trial, 2000));
  assert(survives, 'a spent code that comes after it has expired ends the family');
  assert(await isRefused(trial.redeem(held)), 'the server takes a spent code with its proof');
  assert(!(await trial.acceptsAccessToken(token)), 'a spent code that comes with its proof ends nothing');
}

/** A code that was redeemed, and the access token that came of it. */
async function redeemed(trial: CheckContext, more?: object): Promise<{ held: IssuedCode; token: string }> {
  const { held } = await trial.saveCode(more, true);
  const { access_token: token } = await trial.redeem(held);
  assert(await trial.acceptsAccessToken(token), 'the access token is not let in even before the replay');
  return { held, token };
}

/**
 * Does a family outlive a code that comes after so many milliseconds, when it has expired? Of a long time the clock is set;
 * a short one is waited for, since a model may count by the clock of its database, which cannot be set from here.
 */
async function survivesLateReplay(trial: CheckContext, lifetime: number): Promise<boolean> {
  const { held, token } = await redeemed(trial, { expiresAt: new Date(Date.now() + lifetime) });
  const again = () => isRefused(trial.redeem(held));
  const isLong = lifetime > 10_000;
  if (!isLong) await sleep(lifetime + 1100);
  const refused = await (isLong ? withClockOffset(lifetime + 1100, again) : again());
  assert(refused, 'the server takes a spent code that has expired');
  return trial.acceptsAccessToken(token);
}
