import { isDeepStrictEqual } from 'node:util';

import { DEVICE_METHODS, type DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import { type Check, type CheckedMethod, demand } from '../contract.js';
import { FOREIGN } from '../spellings.js';
import type { Trial } from '../trial.js';
import { demandDecided, demandDecidedOnce, demandOneDecision } from './device-decisions.js';
import { beginDevice, decideDevice, deviceModel, findByUserCode, findDevice, redeemDevice } from './devices.js';
import { answerOf, shown } from './finding.js';
import { DECIDE_ONCE, KEEP_WHOLE, SLOWER, spendOnce } from './remedies.js';

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
    remedy: KEEP_WHOLE,
    run: demandWhole,
  },
  {
    name: 'counts the first decision about a device, and no later one',
    feature,
    needs,
    attack:
      'what a user has denied somebody else allows afterwards, or the device of one user is signed in as another.',
    remedy: DECIDE_ONCE,
    run: demandDecidedOnce,
  },
  {
    name: 'counts one of many decisions about a device that are made at once',
    feature,
    needs,
    race: true,
    attack:
      'two users decide about one device, each is told that it counts, and one of them has given it to the other.',
    remedy: DECIDE_ONCE,
    run: demandOneDecision,
  },
  {
    name: 'remembers that a device has to be slower, and not instead of what was decided',
    feature,
    needs,
    attack: 'a device asks as often as it likes, or a decision is lost because the device asked meanwhile.',
    remedy: SLOWER,
    run: demandSlower,
  },
  {
    name: 'lets one of many polls redeem a device code',
    feature,
    needs,
    race: true,
    attack: 'whoever has read the code of a device along gets tokens of its user beside it, and nobody notices.',
    remedy: spendOnce('device_codes', 'device_code'),
    run: demandOneRedeemed,
  },
];

async function demandWhole(trial: Trial): Promise<void> {
  const begun = await beginDevice(trial);
  await beginDevice(trial);
  for (const found of [await findDevice(trial, begun), await findByUserCode(trial, begun)]) {
    const demandSame = (name: string, isSame: boolean, wanted: unknown) =>
      demand(isSame, `a device is found with \`${name}\` ${shown(found[name])} for ${shown(wanted)}`);
    for (const name of ['scope', 'issuer', 'interval', 'resource'] as const) {
      demandSame(name, isDeepStrictEqual(plain(found[name]), plain(begun[name])), begun[name]);
    }
    const { id } = await trial.client();
    demandSame('client', found.client?.id === id, id);
    const { expiresAt } = found;
    const isAround = expiresAt instanceof Date && Math.abs(Number(expiresAt) - Number(begun.expiresAt)) < 1000;
    demandSame('expiresAt', isAround, begun.expiresAt);
    demand(!found.user && !found.isDenied, 'a device that nobody has decided about is found decided');
  }
  const model = deviceModel(trial);
  for (const other of [...FOREIGN, begun.deviceCode]) {
    const found = await answerOf(
      () => model.getDeviceAuthorizationByUserCode(other),
      'getDeviceAuthorizationByUserCode',
    );
    demand(!found, `\`getDeviceAuthorizationByUserCode(${shown(other)})\` finds a device of another code`);
  }
  const crossed = await answerOf(() => model.getDeviceAuthorization(begun.userCode), 'getDeviceAuthorization');
  demand(!crossed, '`getDeviceAuthorization()` finds a device by its user code');
}

const plain = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value));

async function demandSlower(trial: Trial): Promise<void> {
  const begun = await beginDevice(trial);
  const [before, shownOne] = [await findDevice(trial, begun), await findByUserCode(trial, begun)];
  await deviceModel(trial).slowDownDevice({ ...before }, begun.interval + 5);
  const { interval } = await findDevice(trial, begun);
  demand(
    interval === begun.interval + 5,
    `a device that was slowed down to ${begun.interval + 5} seconds is found with \`interval\` ${shown(interval)}`,
  );
  demand(
    await decideDevice(trial, shownOne, {}),
    '`decideDeviceAuthorization()` refuses a device that became slower meanwhile',
  );
  await deviceModel(trial).slowDownDevice({ ...before }, begun.interval + 10);
  await demandDecided(trial, begun, false);
}

async function demandOneRedeemed(trial: Trial): Promise<void> {
  const begun = await beginDevice(trial);
  const user = await trial.user();
  await decideDevice(trial, await findByUserCode(trial, begun), { user, scope: trial.scopeText });
  const found = await Promise.all(Array.from({ length: trial.parallel }, () => findDevice(trial, begun)));
  const answers = await Promise.allSettled(found.map((mine: DeviceAuthorization) => redeemDevice(trial, mine)));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  demand(
    winners === 1,
    `a device code was redeemed by ${winners} of ${trial.parallel} polls at once: exactly one may win`,
  );
}
