import { isDeepStrictEqual } from 'node:util';

import type { PushedRequest } from '../../features/pushed-requests/pushed-request.js';
import { byClock } from '../clock.js';
import { type Check, type CheckedMethod, demand } from '../contract.js';
import { FOREIGN, otherSpellings } from '../spellings.js';
import type { Trial } from '../trial.js';
import { CLOCKS } from './clocks.js';
import { answerOf, shown } from './finding.js';
import { findPushed, lookUpPushed, MINUTE, push, revokePushed } from './pushing.js';
import { BY_ONE_CLOCK, EXACT, KEEP_WHOLE, spendOnce } from './remedies.js';

const feature = 'pushed requests';
const needs: readonly CheckedMethod[] = ['getClient', 'savePushedRequest', 'getPushedRequest', 'revokePushedRequest'];
const remedy = spendOnce('pushed_requests', 'request_uri');

/** What a model must do for the feature `pushedRequests`. */
export const PUSHED_REQUEST_CHECKS: readonly Check[] = [
  {
    name: 'finds a pushed request whole, by its very name and no other',
    feature,
    needs,
    attack:
      'what was checked when it was pushed is not what is answered: a challenge, a resource or the client it is of is lost, or the request of one user is opened for another.',
    remedy: `${KEEP_WHOLE}\n  Names: ${EXACT}`,
    run: demandWhole,
  },
  {
    name: 'spends a pushed request once, and finds it no more',
    feature,
    needs,
    attack:
      'whoever finds the URL in a browser history opens the request again, and has the next user of that browser answer it.',
    remedy,
    run: demandOnce,
  },
  {
    name: 'lets one of many win who answer a pushed request at once',
    feature,
    needs,
    race: true,
    attack: 'one consent becomes several codes, and one of them reaches somebody else.',
    remedy,
    run: demandOneWinner,
  },
  {
    name: 'spends a pushed request for processes whose clocks differ',
    feature,
    needs,
    attack:
      'a request that one process has answered is answered again by another one, until its clock has come so far.',
    remedy: BY_ONE_CLOCK,
    run: demandOnceByAllClocks,
  },
];

async function demandWhole(trial: Trial): Promise<void> {
  const pushed = await push(trial);
  await push(trial);
  const found = await findPushed(trial, pushed.requestUri);
  const demandSame = (name: keyof PushedRequest, isSame: boolean) =>
    demand(isSame, `\`getPushedRequest()\` returns \`${name}\` ${shown(found[name])} for ${shown(pushed[name])}`);
  for (const name of ['requestUri', 'clientId', 'issuer', 'parameters'] as const) {
    demandSame(name, isDeepStrictEqual(plain(found[name]), plain(pushed[name])));
  }
  demandSame('openUntil', isAround(found.openUntil, pushed.openUntil, 1000));
  // Whoever keeps it may count by a clock of their own.
  demandSame('expiresAt', isAround(found.expiresAt, pushed.expiresAt, MINUTE));
  for (const other of [...FOREIGN, ...otherSpellings(pushed.requestUri).map(([, spelling]) => spelling)]) {
    demand(
      !(await lookUpPushed(trial, other)),
      `\`getPushedRequest(${shown(other)})\` finds a request of another name`,
    );
  }
}

/** As JSON has it: an object may be of another realm, or have no prototype. */
const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

const isAround = (found: unknown, moment: Date, milliseconds: number) =>
  found instanceof Date && Math.abs(found.getTime() - moment.getTime()) <= milliseconds;

async function demandOnce(trial: Trial): Promise<void> {
  const [{ requestUri }, other] = [await push(trial), await push(trial)];
  const found = await findPushed(trial, requestUri);
  const first = await revokePushed(trial, found);
  demand(first, `\`revokePushedRequest()\` returns ${shown(first)} to the first caller`);
  await demandSpent(trial, found, 'that is spent');
  await demandSpent(trial, { ...found, requestUri: `${requestUri}0` }, 'that was never pushed');
  await findPushed(trial, other.requestUri);
}

async function demandSpent(trial: Trial, found: PushedRequest, which: string): Promise<void> {
  demand(!(await lookUpPushed(trial, found.requestUri)), `\`getPushedRequest()\` finds a request ${which}`);
  const call = `\`revokePushedRequest()\` of a request ${which}`;
  const again = await answerOf(() => revokePushed(trial, found), call);
  demand(!again, `${call} returns ${shown(again)}`);
}

async function demandOneWinner(trial: Trial): Promise<void> {
  const { requestUri } = await push(trial);
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findPushed(trial, requestUri)));
  const answers = await Promise.allSettled(found.map((mine) => revokePushed(trial, mine)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`revokePushedRequest()\` returned true to ${winners} of ${trial.parallel} callers at once`;
  demand(winners === 1, `${of}: exactly one may win`);
}

async function demandOnceByAllClocks(trial: Trial): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const found = await byClock(ahead, async () => {
      const mine = await findPushed(trial, (await push(trial)).requestUri);
      await revokePushed(trial, mine);
      return mine;
    });
    await demandSpent(trial, found, `that was spent by a process whose clock is ${how}`);
  }
}
