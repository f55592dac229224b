import { hasOnce } from '../../model/has-once.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert, SkippedCheck } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { sleep } from './model-calls.js';
import { REMEMBER_ONCE } from './remedies.js';

const feature = 'what happens once';
const needs: readonly CheckedMethod[] = ['once'];
const attack =
  'a proof or an assertion that somebody has listened to is brought again and taken, and a pushed request that nobody opened in time is opened by whoever found its name later.';

/** What a model must do on which the proofs, assertions and decisions of many features hang. */
export const ONCE_CHECKS: readonly Check[] = [
  {
    name: 'says once who comes first',
    feature,
    needs,
    race: true,
    attack,
    remedy: REMEMBER_ONCE,
    run: assertOneFirstCaller,
  },
  {
    name: 'remembers what came for as many seconds as it is told',
    feature,
    needs,
    attack,
    remedy: REMEMBER_ONCE,
    run: assertValueRemembered,
  },
];

async function assertOneFirstCaller(trial: CheckContext): Promise<void> {
  const model = modelOf(trial);
  const one = opaqueToken();
  const answers = await Promise.all(Array.from({ length: trial.parallel }, async () => model.once(one, SECONDS)));
  const first = answers.filter(Boolean).length;
  assert(
    first === 1,
    `\`once()\` returned true to ${first} of ${trial.parallel} callers at once: exactly one is first`,
  );
}

/** Seconds: that is how long it is to be remembered, and after so many it is asked again. */
const [SECONDS, WAIT] = [60, 0.2];

async function assertValueRemembered(trial: CheckContext): Promise<void> {
  const model = modelOf(trial);
  const [one, other] = [opaqueToken(), opaqueToken()];
  assert(await model.once(one, SECONDS), '`once()` returns false for a digest that nobody brought before');
  const again = '`once()` returns true again for the same digest';
  assert(!(await model.once(one, SECONDS)), again);
  await sleep(WAIT * 1000);
  assert(!(await model.once(one, SECONDS)), `${again}, ${WAIT} seconds after it was to remember it for ${SECONDS}`);
  assert(await model.once(other, SECONDS), '`once()` returns false for a digest that nobody brought before');
}

/** @throws SkippedCheck for an event emitter, whose `once` is another */
function modelOf({ model }: CheckContext) {
  if (hasOnce(model)) return model;
  throw new SkippedCheck('`once()` is that of an event emitter');
}
