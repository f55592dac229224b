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

/** The checks of models for the feature `pushedRequests()`. */
export const PUSHED_REQUEST_CHECKS: readonly Check[] = [
  {
    name: 'finds a complete pushed request by its exact request URI, and by no other',
    feature,
    needs,
    attack:
      'The server processes a request that differs from the pushed one: its code challenge, resource or client is lost. Or one user opens the request of another.',
    remedy: `${STORE_WHOLE_RECORD}\n  Names: ${EXACT_COMPARISON}`,
    run: assertCompleteRequest,
  },
  {
    name: 'marks a pushed request as used only once, and does not find it afterwards',
    feature,
    needs,
    attack:
      'An attacker finds the URL of a used request in the history of a browser and opens it again. The next user of that browser approves the request.',
    remedy,
    run: assertSingleUse,
  },
  {
    name: 'marks a pushed request as used for only one of many concurrent callers',
    feature,
    needs,
    race: true,
    attack: 'One consent results in several authorization codes, and one of them reaches an attacker.',
    remedy,
    run: assertOneWinner,
  },
  {
    name: 'marks a pushed request as used only once, even if the clocks of processes differ',
    feature,
    needs,
    attack: 'One process marked a pushed request as used. Another process, whose clock is slower, still accepts it.',
    remedy: CLOCK_INDEPENDENT,
    run: assertSingleUseDespiteClockSkew,
  },
];

async function assertCompleteRequest(context: CheckContext): Promise<void> {
  const pushed = await push(context);
  await push(context);
  const stored = await findPushed(context, pushed.requestUri);
  const assertSame = (name: keyof PushedRequest, isSame: boolean) =>
    assert(
      isSame,
      `\`getPushedRequest()\` returns \`${name}\` ${inspectValue(stored[name])}. Saved was ${inspectValue(pushed[name])}.`,
    );
  for (const name of ['requestUri', 'clientId', 'issuer', 'parameters'] as const) {
    assertSame(name, isDeepStrictEqual(plain(stored[name]), plain(pushed[name])));
  }
  assertSame('openUntil', context.isTimeSaved(stored.openUntil, pushed.openUntil));
  // The expiry may differ a little, since the model may compute it by the clock of its database.
  const change = Math.abs(Number(stored.expiresAt) - Number(pushed.expiresAt));
  assertSame('expiresAt', stored.expiresAt instanceof Date && change <= MINUTE + context.elapsed);
  for (const other of [...UNKNOWN_VALUES, ...otherSpellings(pushed.requestUri).map(([, spelling]) => spelling)]) {
    assert(
      !(await lookUpPushed(context, other)),
      `\`getPushedRequest(${inspectValue(other)})\` finds a request whose request URI is different.`,
    );
  }
}

/**
 * Returns a copy of a value as JSON restores it. So objects of another realm, or without a prototype, can be compared.
 */
const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

async function assertSingleUse(context: CheckContext): Promise<void> {
  const [{ requestUri }, other] = [await push(context), await push(context)];
  const stored = await findPushed(context, requestUri);
  const first = await revokePushed(context, stored);
  assert(
    first,
    `\`revokePushedRequest()\` returns ${inspectValue(first)} for a request that is not yet used. It must return true.`,
  );
  await assertConsumed(context, stored, 'that was already used');
  await assertConsumed(context, { ...stored, requestUri: `${requestUri}0` }, 'that was never saved');
  await findPushed(context, other.requestUri);
}

async function assertConsumed(context: CheckContext, stored: PushedRequest, which: string): Promise<void> {
  assert(!(await lookUpPushed(context, stored.requestUri)), `\`getPushedRequest()\` finds a request ${which}.`);
  const call = `\`revokePushedRequest()\` for a request ${which}`;
  const again = await callModel(() => revokePushed(context, stored), call);
  assert(!again, `${call} returns ${inspectValue(again)}. It must return false.`);
}

async function assertOneWinner(context: CheckContext): Promise<void> {
  const { requestUri } = await push(context);
  const stored = await Promise.all(Array.from({ length: context.parallel }, () => findPushed(context, requestUri)));
  const results = await Promise.allSettled(stored.map((each) => revokePushed(context, each)));
  const winners = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  const observation = `\`revokePushedRequest()\` returned true to ${winners} of ${context.parallel} concurrent callers`;
  assert(winners === 1, `${observation}. It must return true to exactly one.`);
}

async function assertSingleUseDespiteClockSkew(context: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const stored = await withClockOffset(ahead, async () => {
      const request = await findPushed(context, (await push(context)).requestUri);
      await revokePushed(context, request);
      return request;
    });
    await assertConsumed(context, stored, `that was already used by a process whose clock is ${how}`);
  }
}
