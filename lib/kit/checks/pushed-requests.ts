import { isDeepStrictEqual } from 'node:util';

import type { PushedRequest } from '../../features/pushed-requests/pushed-request.js';
import { withClockOffset } from '../clock.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import { UNKNOWN_VALUES, otherSpellings } from '../spellings.js';
import type { CheckContext } from '../check-context.js';
import { CLOCKS } from './clocks.js';
import { callModel, inspectValue } from './model-calls.js';
import { findPushed, lookUpPushed, MINUTE, push, revokePushed } from './pushing.js';
import { CLOCK_INDEPENDENT, EXACT_COMPARISON, STORE_WHOLE_RECORD, consumeOnce } from './remedies.js';

const feature = 'pushed requests';
const needs: readonly CheckedMethod[] = ['getClient', 'savePushedRequest', 'getPushedRequest', 'revokePushedRequest'];
const remedy = consumeOnce('pushed_requests', 'request_uri');

/** What a model must do for the feature `pushedRequests`. */
export const PUSHED_REQUEST_CHECKS: readonly Check[] = [
  {
    name: 'finds a pushed request whole, by its very name and no other',
    feature,
    needs,
    attack:
      'what was checked when it was pushed is not what is answered: a challenge, a resource or the client it is of is lost, or the request of one user is opened for another.',
    remedy: `${STORE_WHOLE_RECORD}\n  Names: ${EXACT_COMPARISON}`,
    run: assertCompleteRequest,
  },
  {
    name: 'spends a pushed request once, and finds it no more',
    feature,
    needs,
    attack:
      'whoever finds the URL in a browser history opens the request again, and has the next user of that browser answer it.',
    remedy,
    run: assertSingleUse,
  },
  {
    name: 'lets one of many win who answer a pushed request at once',
    feature,
    needs,
    race: true,
    attack: 'one consent becomes several codes, and one of them reaches somebody else.',
    remedy,
    run: assertOneWinner,
  },
  {
    name: 'spends a pushed request for processes whose clocks differ',
    feature,
    needs,
    attack:
      'a request that one process has answered is answered again by another one, until its clock has come so far.',
    remedy: CLOCK_INDEPENDENT,
    run: assertSingleUseDespiteClockSkew,
  },
];

async function assertCompleteRequest(trial: CheckContext): Promise<void> {
  const pushed = await push(trial);
  await push(trial);
  const found = await findPushed(trial, pushed.requestUri);
  const demandSame = (name: keyof PushedRequest, isSame: boolean) =>
    assert(
      isSame,
      `\`getPushedRequest()\` returns \`${name}\` ${inspectValue(found[name])} for ${inspectValue(pushed[name])}`,
    );
  for (const name of ['requestUri', 'clientId', 'issuer', 'parameters'] as const) {
    demandSame(name, isDeepStrictEqual(plain(found[name]), plain(pushed[name])));
  }
  demandSame('openUntil', isAround(found.openUntil, pushed.openUntil, 1000));
  // Whoever keeps it may count by a clock of their own.
  demandSame('expiresAt', isAround(found.expiresAt, pushed.expiresAt, MINUTE));
  for (const other of [...UNKNOWN_VALUES, ...otherSpellings(pushed.requestUri).map(([, spelling]) => spelling)]) {
    assert(
      !(await lookUpPushed(trial, other)),
      `\`getPushedRequest(${inspectValue(other)})\` finds a request of another name`,
    );
  }
}

/** As JSON has it: an object may be of another realm, or have no prototype. */
const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

const isAround = (found: unknown, moment: Date, milliseconds: number) =>
  found instanceof Date && Math.abs(found.getTime() - moment.getTime()) <= milliseconds;

async function assertSingleUse(trial: CheckContext): Promise<void> {
  const [{ requestUri }, other] = [await push(trial), await push(trial)];
  const found = await findPushed(trial, requestUri);
  const first = await revokePushed(trial, found);
  assert(first, `\`revokePushedRequest()\` returns ${inspectValue(first)} to the first caller`);
  await assertConsumed(trial, found, 'that is spent');
  await assertConsumed(trial, { ...found, requestUri: `${requestUri}0` }, 'that was never pushed');
  await findPushed(trial, other.requestUri);
}

async function assertConsumed(trial: CheckContext, found: PushedRequest, which: string): Promise<void> {
  assert(!(await lookUpPushed(trial, found.requestUri)), `\`getPushedRequest()\` finds a request ${which}`);
  const call = `\`revokePushedRequest()\` of a request ${which}`;
  const again = await callModel(() => revokePushed(trial, found), call);
  assert(!again, `${call} returns ${inspectValue(again)}`);
}

async function assertOneWinner(trial: CheckContext): Promise<void> {
  const { requestUri } = await push(trial);
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findPushed(trial, requestUri)));
  const answers = await Promise.allSettled(found.map((mine) => revokePushed(trial, mine)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`revokePushedRequest()\` returned true to ${winners} of ${trial.parallel} callers at once`;
  assert(winners === 1, `${of}: exactly one may win`);
}

async function assertSingleUseDespiteClockSkew(trial: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const found = await withClockOffset(ahead, async () => {
      const mine = await findPushed(trial, (await push(trial)).requestUri);
      await revokePushed(trial, mine);
      return mine;
    });
    await assertConsumed(trial, found, `that was spent by a process whose clock is ${how}`);
  }
}
