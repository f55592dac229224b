import { hasOnce } from '../../model/has-once.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { type Check, type CheckedMethod, assert, SkippedCheck } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { sleep } from './model-calls.js';
import { REMEMBER_ONCE } from './remedies.js';

const feature = 'single-use values';
const needs: readonly CheckedMethod[] = ['once'];
const attack =
  'An attacker intercepts a DPoP proof or an assertion and sends it again. Or an attacker opens a pushed authorization request a second time.';

/** The checks of `once()`, on which the replay detection of many features depends. */
export const ONCE_CHECKS: readonly Check[] = [
  {
    name: 'returns true from `once()` to only one of many concurrent callers',
    feature,
    needs,
    race: true,
    attack,
    remedy: REMEMBER_ONCE,
    run: assertOneFirstCaller,
  },
  {
    name: 'returns false from `once()` for a used value during the requested number of seconds',
    feature,
    needs,
    attack,
    remedy: REMEMBER_ONCE,
    run: assertValueRemembered,
  },
];

async function assertOneFirstCaller(context: CheckContext): Promise<void> {
  const model = modelOf(context);
  const one = opaqueToken();
  const results = await Promise.all(Array.from({ length: context.parallel }, async () => model.once(one, SECONDS)));
  const first = results.filter(Boolean).length;
  assert(
    first === 1,
    `\`once()\` returned true to ${first} of ${context.parallel} concurrent callers. It must return true to exactly one.`,
  );
}

/** `SECONDS`: how long the model must remember the value. `WAIT`: seconds after which the check sends it again. */
const [SECONDS, WAIT] = [60, 0.2];

async function assertValueRemembered(context: CheckContext): Promise<void> {
  const model = modelOf(context);
  const [one, other] = [opaqueToken(), opaqueToken()];
  assert(await model.once(one, SECONDS), '`once()` returns false for a value that was never used.');
  const again = '`once()` returns true a second time for the same value';
  const isRemembered = async () => !(await model.once(one, SECONDS)) || context.elapsed > SECONDS * 1000;
  assert(await isRemembered(), again);
  await sleep(WAIT * 1000);
  assert(
    await isRemembered(),
    `${again}, ${WAIT} seconds after the first call. It must remember the value for ${SECONDS} seconds.`,
  );
  assert(await model.once(other, SECONDS), '`once()` returns false for a value that was never used.');
}

/**
 * Returns the model under test as an `OnceModel`.
 * @throws {SkippedCheck} If `once()` is the method of an event emitter instead.
 */
function modelOf({ model }: CheckContext) {
  if (hasOnce(model)) return model;
  throw new SkippedCheck('`once()` of the model is the method of an event emitter, not `once(digest, seconds)`');
}
