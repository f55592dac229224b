import type { DeviceAuthorization, DeviceDecision, NewDeviceAuthorization } from 'nest-oauth2/features';
import type { Client } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

const WHOLE = 'finds what a device asks whole, by either of its codes and by no other';
const FIRST = 'counts the first decision about a device, and no later one';
const SLOWER = 'remembers that a device has to be slower, and not instead of what was decided';
const BROKEN = { 'device codes': 'broken', 'authorization codes': 'atomic' } as const;

/** Decides whatever was decided before. */
const overwrite = (honest: CorrectModel, id: string, { user, scope }: DeviceDecision) =>
  Boolean(
    Object.assign(
      honest.devices.get(id)!,
      user ? { user, scope, isDenied: false } : { isDenied: true, user: undefined },
    ),
  );

export const BROKEN_DEVICES: readonly BrokenModel[] = [
  {
    mistake: 'forgets what a feature keeps with a device code',
    methods: (honest) => ({
      saveDeviceAuthorization: ({ resource: _, ...begun }: NewDeviceAuthorization, client: Client) =>
        honest.saveDeviceAuthorization(begun, client),
    }),
    fails: WHOLE,
    finding: /a device is found with `resource` undefined/,
    remedy: /keep the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'finds devices by whatever code is brought',
    methods: (honest) => ({
      getDeviceAuthorizationByUserCode: async (code: string) =>
        (await honest.getDeviceAuthorizationByUserCode(code)) ?? honest.getDeviceAuthorization(code),
    }),
    fails: WHOLE,
    finding: /`getDeviceAuthorizationByUserCode\(.+ finds a device of another code/,
    remedy: /keep the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'lets the last decision about a device count',
    methods: (honest) => ({
      decideDeviceAuthorization: async ({ id }: { id: string }, decision: DeviceDecision) =>
        overwrite(honest, id, decision),
    }),
    fails: FIRST,
    finding: /`decideDeviceAuthorization\(\)` returns true for a device that was decided/,
    remedy: /UPDATE device_codes SET user_id = \?/,
    leaves: BROKEN,
  },
  {
    mistake: 'says of every decision that it counts',
    methods: (honest) => ({
      decideDeviceAuthorization: async (found: DeviceAuthorization, decision: DeviceDecision) =>
        (await honest.decideDeviceAuthorization(found, decision)) || true,
    }),
    fails: FIRST,
    finding: /returns true for a device that was decided/,
    remedy: /affected rows === 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'forgets who said no to a device',
    methods: (honest) => ({
      getDeviceAuthorization: async (code: string) => {
        const found = await honest.getDeviceAuthorization(code);
        return found && { ...found, isDenied: false };
      },
    }),
    fails: FIRST,
    finding: /a device that was denied is found with `user` undefined and `isDenied` false/,
    remedy: /let one statement decide/,
    leaves: BROKEN,
  },
  {
    mistake: 'looks first whether a device was decided about, and decides then',
    methods: (honest) => ({
      decideDeviceAuthorization: async ({ id }: { id: string }, decision: DeviceDecision) => {
        const found = await honest.getDeviceAuthorization(id);
        if (!found || found.user || found.isDenied) return false;
        await new Promise(setImmediate);
        return overwrite(honest, id, decision);
      },
    }),
    fails: 'counts one of many decisions about a device that are made at once',
    finding: /`decideDeviceAuthorization\(\)` returned true to (?!1 of)\d+ of 40 callers at once/,
    remedy: /never look first and write then/,
    leaves: { 'device codes': 'best effort' },
  },
  {
    mistake: 'forgets that a device was slowed down',
    methods: () => ({ slowDownDevice: async () => undefined }),
    fails: SLOWER,
    finding: /slowed down to 10 seconds is found with `interval` 5/,
    remedy: /poll_interval/,
    leaves: BROKEN,
  },
  {
    mistake: 'saves the whole device when it is slowed down',
    methods: (honest) => ({
      slowDownDevice: async (found: DeviceAuthorization, interval: number) => {
        const { userCode } = honest.devices.get(found.id)!;
        honest.devices.set(found.id, { ...found, userCode, interval });
      },
    }),
    fails: SLOWER,
    finding: /a device that was denied is found with/,
    remedy: /nothing that was decided/,
    leaves: BROKEN,
  },
  {
    mistake: 'lets two polls redeem a device code',
    methods: (honest) => ({
      revokeDeviceCode: async (found: DeviceAuthorization) => {
        const isThere = !(await honest.getDeviceAuthorization(found.id))?.revokedAt;
        await honest.revokeDeviceCode(found);
        return isThere;
      },
    }),
    fails: 'lets one of many polls redeem a device code',
    finding: /a device code was redeemed by (?!1 of)\d+ of 40 polls at once/,
    remedy: /UPDATE device_codes SET revoked_at/,
    leaves: { 'device codes': 'best effort' },
  },
];
