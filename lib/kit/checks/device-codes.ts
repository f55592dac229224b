import { isDeepStrictEqual } from 'node:util';

import { DEVICE_METHODS, type DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import { UNKNOWN_VALUES } from '../spellings.js';
import type { CheckContext } from '../check-context.js';
import { assertDecision, assertFirstDecisionWins, assertOneConcurrentDecision } from './device-decisions.js';
import { startDevice, decideDevice, deviceModel, findByUserCode, findDevice, redeemDevice } from './devices.js';
import { callModel, inspectValue } from './model-calls.js';
import { DECIDE_ONCE, STORE_WHOLE_RECORD, SLOW_DOWN, consumeOnce } from './remedies.js';

const feature = 'device codes';
const needs: readonly CheckedMethod[] = ['getClient', 'saveToken', ...DEVICE_METHODS];

/** What a model must do for the feature `deviceAuthorization`. */
export const DEVICE_CHECKS: readonly Check[] = [
  {
    name: 'finds what a device asks whole, by either of its codes and by no other',
    feature,
    needs,
    attack:
      'a user is shown the request of another device than theirs, or what they allow is not what the device asked for.',
    remedy: STORE_WHOLE_RECORD,
    run: assertCompleteDeviceRequest,
  },
  {
    name: 'counts the first decision about a device, and no later one',
    feature,
    needs,
    attack:
      'what a user has denied somebody else allows afterwards, or the device of one user is signed in as another.',
    remedy: DECIDE_ONCE,
    run: assertFirstDecisionWins,
  },
  {
    name: 'counts one of many decisions about a device that are made at once',
    feature,
    needs,
    race: true,
    attack:
      'two users decide about one device, each is told that it counts, and one of them has given it to the other.',
    remedy: DECIDE_ONCE,
    run: assertOneConcurrentDecision,
  },
  {
    name: 'remembers that a device has to be slower, and not instead of what was decided',
    feature,
    needs,
    attack: 'a device asks as often as it likes, or a decision is lost because the device asked meanwhile.',
    remedy: SLOW_DOWN,
    run: assertIntervalStored,
  },
  {
    name: 'lets one of many polls redeem a device code',
    feature,
    needs,
    race: true,
    attack: 'whoever has read the code of a device along gets tokens of its user beside it, and nobody notices.',
    remedy: consumeOnce('device_codes', 'device_code'),
    run: assertOneRedemption,
  },
];

async function assertCompleteDeviceRequest(trial: CheckContext): Promise<void> {
  const begun = await startDevice(trial);
  await startDevice(trial);
  for (const found of [await findDevice(trial, begun), await findByUserCode(trial, begun)]) {
    const demandSame = (name: string, isSame: boolean, wanted: unknown) =>
      assert(isSame, `a device is found with \`${name}\` ${inspectValue(found[name])} for ${inspectValue(wanted)}`);
    for (const name of ['scope', 'issuer', 'interval', 'resource'] as const) {
      demandSame(name, isDeepStrictEqual(plain(found[name]), plain(begun[name])), begun[name]);
    }
    const { id } = await trial.client();
    demandSame('client', found.client?.id === id, id);
    const { expiresAt } = found;
    const isAround = expiresAt instanceof Date && Math.abs(Number(expiresAt) - Number(begun.expiresAt)) < 1000;
    demandSame('expiresAt', isAround, begun.expiresAt);
    assert(!found.user && !found.isDenied, 'a device that nobody has decided about is found decided');
  }
  const model = deviceModel(trial);
  for (const other of [...UNKNOWN_VALUES, begun.deviceCode]) {
    const found = await callModel(
      () => model.getDeviceAuthorizationByUserCode(other),
      'getDeviceAuthorizationByUserCode',
    );
    assert(!found, `\`getDeviceAuthorizationByUserCode(${inspectValue(other)})\` finds a device of another code`);
  }
  const crossed = await callModel(() => model.getDeviceAuthorization(begun.userCode), 'getDeviceAuthorization');
  assert(!crossed, '`getDeviceAuthorization()` finds a device by its user code');
}

const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

async function assertIntervalStored(trial: CheckContext): Promise<void> {
  const begun = await startDevice(trial);
  const [before, shownOne] = [await findDevice(trial, begun), await findByUserCode(trial, begun)];
  await deviceModel(trial).slowDownDevice({ ...before }, begun.interval + 5);
  const { interval } = await findDevice(trial, begun);
  assert(
    interval === begun.interval + 5,
    `a device that was slowed down to ${begun.interval + 5} seconds is found with \`interval\` ${inspectValue(interval)}`,
  );
  assert(
    await decideDevice(trial, shownOne, {}),
    '`decideDeviceAuthorization()` refuses a device that became slower meanwhile',
  );
  await deviceModel(trial).slowDownDevice({ ...before }, begun.interval + 10);
  await assertDecision(trial, begun, false);
}

async function assertOneRedemption(trial: CheckContext): Promise<void> {
  const begun = await startDevice(trial);
  const user = await trial.user();
  await decideDevice(trial, await findByUserCode(trial, begun), { user, scope: trial.scopeText });
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findDevice(trial, begun)));
  const answers = await Promise.allSettled(found.map((mine: DeviceAuthorization) => redeemDevice(trial, mine)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  assert(
    winners === 1,
    `a device code was redeemed by ${winners} of ${trial.parallel} polls at once: exactly one may win`,
  );
}
