import type { Trial, HeldCode } from '../trial.js';
import { byClock } from '../clock.js';
import { type Check, demand } from '../contract.js';
import { find, isRefused, lookUp, shown, sleep } from './finding.js';
import { AUTHORIZATION_CODE } from './kinds.js';

const needs = AUTHORIZATION_CODE.needs.concat('getAccessToken', 'revokeGrant');
const feature = 'token families';

/** Of a spent code only a request that would have been good is a replay. OAuth 2.1 §7.5.3 */
export const SPENT_CODE_CHECKS: readonly Check[] = [
  {
    name: 'tells of a spent authorization code what it told of a live one',
    feature,
    needs,
    attack:
      'what a spent code demands cannot be checked any more: whoever finds it in a log signs its user out, or the thief who was first stays in.',
    remedy:
      'mark the row as spent and change nothing else of it: `getAuthorizationCode()` returns `expiresAt`, `redirectUri`, `codeChallenge` and `codeChallengeMethod` as before, and `revokedAt`.',
    run: demandSameOfSpent,
  },
  {
    name: 'ends no family by a spent authorization code that comes without its proof, or too late',
    feature,
    needs,
    attack:
      'somebody who knows no more than an old code, from a log, a browser history or a Referer, signs the user out.',
    remedy:
      '`revokeAuthorizationCode()` and `getAuthorizationCode()` end nothing themselves: the server calls `revokeGrant()` once it knows that it was a replay. `expiresAt` of a spent code stays what it was.',
    run: demandProofOfSpent,
  },
];

async function demandSameOfSpent(trial: Trial): Promise<void> {
  const { sent, held } = await trial.saveCode({}, true);
  const live = await find(trial, AUTHORIZATION_CODE, held.code);
  await AUTHORIZATION_CODE.spend(trial.model, { ...live }, held.code);
  const spent = await lookUp(trial, AUTHORIZATION_CODE, held.code);
  demand(spent, '`getAuthorizationCode()` returns nothing once it is spent');
  for (const field of ['redirectUri', 'codeChallenge', 'codeChallengeMethod'] as const) {
    const isSame = (spent[field] || undefined) === sent[field];
    const of = `\`getAuthorizationCode()\` returns \`${field}\` ${shown(spent[field])}`;
    demand(isSame, `${of} of a spent code for ${shown(sent[field])}`);
  }
  const { expiresAt } = spent;
  const change = expiresAt instanceof Date ? Math.abs(expiresAt.getTime() - sent.expiresAt.getTime()) : Number.NaN;
  const of = `\`getAuthorizationCode()\` returns \`expiresAt\` ${shown(expiresAt)} of a spent code`;
  // A column may keep whole seconds.
  demand(change <= 1000, `${of} for ${shown(sent.expiresAt)}`);
}

async function demandProofOfSpent(trial: Trial): Promise<void> {
  await trial.clientFor('authorization_code');
  const { held, token } = await redeemed(trial);
  const unproven = { 'without its verifier': undefined, 'with another verifier': trial.newProof().verifier };
  for (const [how, verifier] of Object.entries(unproven)) {
    demand(await isRefused(trial.redeem({ ...held, verifier })), `the server takes a spent code ${how}`);
    demand(await trial.isLetIn(token), `a spent code that comes ${how} ends the family`);
  }
  const survives = (await outlives(trial, 60_000)) || (await outlives(trial, 2000));
  demand(survives, 'a spent code that comes after it has expired ends the family');
  demand(await isRefused(trial.redeem(held)), 'the server takes a spent code with its proof');
  demand(!(await trial.isLetIn(token)), 'a spent code that comes with its proof ends nothing');
}

/** A code that was redeemed, and the access token that came of it. */
async function redeemed(trial: Trial, more?: object): Promise<{ held: HeldCode; token: string }> {
  const { held } = await trial.saveCode(more, true);
  const { access_token: token } = await trial.redeem(held);
  demand(await trial.isLetIn(token), 'the access token is not let in even before the replay');
  return { held, token };
}

/**
 * Does a family outlive a code that comes after so many milliseconds, when it has expired? Of a long time the clock is set;
 * a short one is waited for, since a model may count by the clock of its database, which cannot be set from here.
 */
async function outlives(trial: Trial, lifetime: number): Promise<boolean> {
  const { held, token } = await redeemed(trial, { expiresAt: new Date(Date.now() + lifetime) });
  const again = () => isRefused(trial.redeem(held));
  const isLong = lifetime > 10_000;
  if (!isLong) await sleep(lifetime + 1100);
  const refused = await (isLong ? byClock(lifetime + 1100, again) : again());
  demand(refused, 'the server takes a spent code that has expired');
  return trial.isLetIn(token);
}
