import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { startDevice, type StartedDevice, decideDevice, findByUserCode, findDevice } from './devices.js';
import { inspectValue } from './model-calls.js';

/**
 * Asserts that only the first decision counts: an approval after a denial is rejected, and so is a denial after an
 * approval.
 */
export async function assertFirstDecisionWins(context: CheckContext): Promise<void> {
  const user = await context.user();
  for (const [first, second] of [
    [{}, { user, scope: context.scopeText }],
    [{ user, scope: context.scopeText }, {}],
  ]) {
    const started = await startDevice(context);
    const stored = await findByUserCode(context, started);
    assert(
      await decideDevice(context, stored, first!),
      '`decideDeviceAuthorization()` does not return true for the first decision about a device authorization.',
    );
    const again = await decideDevice(context, stored, second!);
    assert(
      !again,
      `\`decideDeviceAuthorization()\` returns ${inspectValue(again)} for a device authorization that was already decided. It must return false.`,
    );
    await assertDecision(context, started, first!.user !== undefined);
  }
}

/** Asserts that the model returns a device authorization as it was decided: allowed or denied. */
export async function assertDecision(context: CheckContext, started: StartedDevice, isAllowed: boolean): Promise<void> {
  const decided = await findDevice(context, started);
  const [isAgreed, isDenied] = [Boolean(decided.user), decided.isDenied === true];
  const holds = isAgreed === isAllowed && isDenied === !isAllowed;
  assert(
    holds,
    `The model returns \`user\` ${inspectValue(decided.user)} and \`isDenied\` ${inspectValue(decided.isDenied)} for a device authorization that was ${isAllowed ? 'allowed' : 'denied'}.`,
  );
}

/** Asserts that exactly one of many concurrent decisions, approvals and denials, is stored. */
export async function assertOneConcurrentDecision(context: CheckContext): Promise<void> {
  const started = await startDevice(context);
  const user = await context.user();
  const stored = await Promise.all(Array.from({ length: context.parallel }, () => findByUserCode(context, started)));
  const results = await Promise.all(
    stored.map((each, index) => decideDevice(context, each, index % 2 ? { user, scope: context.scopeText } : {})),
  );
  const winners = results.filter(Boolean).length;
  assert(
    winners === 1,
    `\`decideDeviceAuthorization()\` returned true to ${winners} of ${context.parallel} concurrent callers. It must return true to exactly one.`,
  );
  await assertDecision(context, started, results.findIndex(Boolean) % 2 === 1);
}
