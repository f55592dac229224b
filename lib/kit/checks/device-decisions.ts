import { demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { beginDevice, type Begun, decideDevice, findByUserCode, findDevice } from './devices.js';
import { shown } from './finding.js';

/** Yes after no, and no after yes. */
export async function demandDecidedOnce(trial: Trial): Promise<void> {
  const user = await trial.user();
  for (const [first, second] of [
    [{}, { user, scope: trial.scopeText }],
    [{ user, scope: trial.scopeText }, {}],
  ]) {
    const begun = await beginDevice(trial);
    const found = await findByUserCode(trial, begun);
    demand(
      await decideDevice(trial, found, first!),
      '`decideDeviceAuthorization()` returns something falsy to the first caller',
    );
    const again = await decideDevice(trial, found, second!);
    demand(!again, `\`decideDeviceAuthorization()\` returns ${shown(again)} for a device that was decided`);
    await demandDecided(trial, begun, first!.user !== undefined);
  }
}

/** Is a device found as it was decided? */
export async function demandDecided(trial: Trial, begun: Begun, isAllowed: boolean): Promise<void> {
  const decided = await findDevice(trial, begun);
  const [isAgreed, isDenied] = [Boolean(decided.user), decided.isDenied === true];
  const holds = isAgreed === isAllowed && isDenied === !isAllowed;
  demand(
    holds,
    `a device that was ${isAllowed ? 'allowed' : 'denied'} is found with \`user\` ${shown(decided.user)} and \`isDenied\` ${shown(decided.isDenied)}`,
  );
}

/** Yes and no at once. */
export async function demandOneDecision(trial: Trial): Promise<void> {
  const begun = await beginDevice(trial);
  const user = await trial.user();
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findByUserCode(trial, begun)));
  const answers = await Promise.all(
    found.map((mine, index) => decideDevice(trial, mine, index % 2 ? { user, scope: trial.scopeText } : {})),
  );
  const winners = answers.filter(Boolean).length;
  demand(
    winners === 1,
    `\`decideDeviceAuthorization()\` returned true to ${winners} of ${trial.parallel} callers at once: exactly one may win`,
  );
  await demandDecided(trial, begun, answers.findIndex(Boolean) % 2 === 1);
}
