import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { startDevice, type StartedDevice, decideDevice, findByUserCode, findDevice } from './devices.js';
import { inspectValue } from './model-calls.js';

/** Yes after no, and no after yes. */
export async function assertFirstDecisionWins(trial: CheckContext): Promise<void> {
  const user = await trial.user();
  for (const [first, second] of [
    [{}, { user, scope: trial.scopeText }],
    [{ user, scope: trial.scopeText }, {}],
  ]) {
    const begun = await startDevice(trial);
    const found = await findByUserCode(trial, begun);
    assert(
      await decideDevice(trial, found, first!),
      '`decideDeviceAuthorization()` returns something falsy to the first caller',
    );
    const again = await decideDevice(trial, found, second!);
    assert(!again, `\`decideDeviceAuthorization()\` returns ${inspectValue(again)} for a device that was decided`);
    await assertDecision(trial, begun, first!.user !== undefined);
  }
}

/** Is a device found as it was decided? */
export async function assertDecision(trial: CheckContext, begun: StartedDevice, isAllowed: boolean): Promise<void> {
  const decided = await findDevice(trial, begun);
  const [isAgreed, isDenied] = [Boolean(decided.user), decided.isDenied === true];
  const holds = isAgreed === isAllowed && isDenied === !isAllowed;
  assert(
    holds,
    `a device that was ${isAllowed ? 'allowed' : 'denied'} is found with \`user\` ${inspectValue(decided.user)} and \`isDenied\` ${inspectValue(decided.isDenied)}`,
  );
}

/** Yes and no at once. */
export async function assertOneConcurrentDecision(trial: CheckContext): Promise<void> {
  const begun = await startDevice(trial);
  const user = await trial.user();
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findByUserCode(trial, begun)));
  const answers = await Promise.all(
    found.map((mine, index) => decideDevice(trial, mine, index % 2 ? { user, scope: trial.scopeText } : {})),
  );
  const winners = answers.filter(Boolean).length;
  assert(
    winners === 1,
    `\`decideDeviceAuthorization()\` returned true to ${winners} of ${trial.parallel} callers at once: exactly one may win`,
  );
  await assertDecision(trial, begun, answers.findIndex(Boolean) % 2 === 1);
}
