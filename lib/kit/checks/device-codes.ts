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

/** The checks of models for the feature `deviceAuthorization()`. */
export const DEVICE_CHECKS: readonly Check[] = [
  {
    name: 'finds a complete device authorization by its device code or its user code, and by no other value',
    feature,
    needs,
    attack: 'A user is shown the request of another device, or grants access that the device did not request.',
    remedy: STORE_WHOLE_RECORD,
    run: assertCompleteDeviceRequest,
  },
  {
    name: 'stores only the first decision about a device authorization',
    feature,
    needs,
    attack:
      'One user denies a request, and another user then allows it. Or the device of one user is signed in as another user.',
    remedy: DECIDE_ONCE,
    run: assertFirstDecisionWins,
  },
  {
    name: 'stores only one of many concurrent decisions about a device authorization',
    feature,
    needs,
    race: true,
    attack:
      'Two users decide about the same device at the same moment, and both decisions are accepted. The device of one user is signed in as the other user.',
    remedy: DECIDE_ONCE,
    run: assertOneConcurrentDecision,
  },
  {
    name: 'stores a longer polling interval without overwriting a decision',
    feature,
    needs,
    attack:
      'A device polls more often than allowed. Or the decision of the user is lost because the device polled at the same moment.',
    remedy: SLOW_DOWN,
    run: assertIntervalStored,
  },
  {
    name: 'redeems a device code for only one of many concurrent polls',
    feature,
    needs,
    race: true,
    attack:
      'An attacker who has seen the code of a device also gets tokens of its user, and neither the user nor the device notices.',
    remedy: consumeOnce('device_codes', 'device_code'),
    run: assertOneRedemption,
  },
];

async function assertCompleteDeviceRequest(context: CheckContext): Promise<void> {
  const started = await startDevice(context);
  await startDevice(context);
  for (const stored of [await findDevice(context, started), await findByUserCode(context, started)]) {
    const assertSame = (name: string, isSame: boolean, expected: unknown) =>
      assert(
        isSame,
        `The model returns the device authorization with \`${name}\` ${inspectValue(stored[name])}. Expected: ${inspectValue(expected)}.`,
      );
    for (const name of ['scope', 'issuer', 'interval', 'resource'] as const) {
      assertSame(name, isDeepStrictEqual(plain(stored[name]), plain(started[name])), started[name]);
    }
    const { id } = await context.client();
    assertSame('client', stored.client?.id === id, id);
    assertSame('expiresAt', context.isTimeSaved(stored.expiresAt, started.expiresAt), started.expiresAt);
    assert(
      !stored.user && !stored.isDenied,
      'The model returns a device authorization with `user` or `isDenied` although no user has decided about it.',
    );
  }
  const model = deviceModel(context);
  for (const other of [...UNKNOWN_VALUES, started.deviceCode]) {
    const stored = await callModel(
      () => model.getDeviceAuthorizationByUserCode(other),
      'getDeviceAuthorizationByUserCode',
    );
    assert(
      !stored,
      `\`getDeviceAuthorizationByUserCode(${inspectValue(other)})\` finds a device authorization whose user code is different.`,
    );
  }
  const crossed = await callModel(() => model.getDeviceAuthorization(started.userCode), 'getDeviceAuthorization');
  assert(!crossed, '`getDeviceAuthorization()` finds a device authorization by its user code.');
}

const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

async function assertIntervalStored(context: CheckContext): Promise<void> {
  const started = await startDevice(context);
  const [before, shownOne] = [await findDevice(context, started), await findByUserCode(context, started)];
  await deviceModel(context).slowDownDevice({ ...before }, started.interval + 5);
  const { interval } = await findDevice(context, started);
  assert(
    interval === started.interval + 5,
    `After \`slowDownDevice()\` with ${started.interval + 5} seconds, the model returns the old or a wrong \`interval\`: ${inspectValue(interval)}.`,
  );
  assert(
    await decideDevice(context, shownOne, {}),
    '`decideDeviceAuthorization()` rejects a decision because the polling interval was changed in the meantime.',
  );
  await deviceModel(context).slowDownDevice({ ...before }, started.interval + 10);
  await assertDecision(context, started, false);
}

async function assertOneRedemption(context: CheckContext): Promise<void> {
  const started = await startDevice(context);
  const user = await context.user();
  await decideDevice(context, await findByUserCode(context, started), { user, scope: context.scopeText });
  const stored = await Promise.all(Array.from({ length: context.parallel }, () => findDevice(context, started)));
  const results = await Promise.allSettled(stored.map((each: DeviceAuthorization) => redeemDevice(context, each)));
  const winners = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  assert(
    winners === 1,
    `${winners} of ${context.parallel} concurrent polls redeemed the device code. Exactly one must succeed.`,
  );
}
