import type { DeviceAuthorization, DeviceDecision, NewDeviceAuthorization } from 'nest-oauth2/features';
import type { Client } from 'nest-oauth2/server';

import type { BrokenModel } from './broken-model.js';
import type { CorrectModel } from './correct-model.js';

const WHOLE = 'finds a complete device authorization by its device code or its user code, and by no other value';
const FIRST = 'stores only the first decision about a device authorization';
const SLOWER = 'stores a longer polling interval without overwriting a decision';
const BROKEN = { 'device codes': 'broken', 'authorization codes': 'atomic' } as const;

/** Applies a decision even if there was one before. */
const overwrite = (honest: CorrectModel, id: string, { user, scope }: DeviceDecision) =>
  Boolean(
    Object.assign(
      honest.devices.get(id)!,
      user ? { user, scope, isDenied: false } : { isDenied: true, user: undefined },
    ),
  );

export const BROKEN_DEVICES: readonly BrokenModel[] = [
  {
    mistake: 'does not store feature data with a device code',
    methods: (honest) => ({
      saveDeviceAuthorization: ({ resource: _, ...begun }: NewDeviceAuthorization, client: Client) =>
        honest.saveDeviceAuthorization(begun, client),
    }),
    fails: WHOLE,
    finding:
      /The model returns the device authorization with `resource` undefined\. Expected: \[ 'https:\/\/a\.example\/', 'urn:b' \]/,
    remedy: /Store the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'also accepts a device code as a user code',
    methods: (honest) => ({
      getDeviceAuthorizationByUserCode: async (code: string) =>
        (await honest.getDeviceAuthorizationByUserCode(code)) ?? honest.getDeviceAuthorization(code),
    }),
    fails: WHOLE,
    finding: /`getDeviceAuthorizationByUserCode\(.+ finds a device authorization whose user code is different/,
    remedy: /Store the whole record/,
    leaves: BROKEN,
  },
  {
    mistake: 'lets a later decision on a device code replace the first one',
    methods: (honest) => ({
      decideDeviceAuthorization: async ({ id }: { id: string }, decision: DeviceDecision) =>
        overwrite(honest, id, decision),
    }),
    fails: FIRST,
    finding:
      /`decideDeviceAuthorization\(\)` returns true for a device authorization that was already decided\. It must return false/,
    remedy: /UPDATE device_codes SET user_id = \?/,
    leaves: BROKEN,
  },
  {
    mistake: 'reports every decision on a device code as the first one',
    methods: (honest) => ({
      decideDeviceAuthorization: async (found: DeviceAuthorization, decision: DeviceDecision) =>
        (await honest.decideDeviceAuthorization(found, decision)) || true,
    }),
    fails: FIRST,
    finding:
      /`decideDeviceAuthorization\(\)` returns true for a device authorization that was already decided\. It must return false/,
    remedy: /affected rows === 1/,
    leaves: BROKEN,
  },
  {
    mistake: 'does not store who denied a device code',
    methods: (honest) => ({
      getDeviceAuthorization: async (code: string) => {
        const found = await honest.getDeviceAuthorization(code);
        return found && { ...found, isDenied: false };
      },
    }),
    fails: FIRST,
    finding: /The model returns `user` undefined and `isDenied` false for a device authorization that was denied/,
    remedy: /Let one statement decide/,
    leaves: BROKEN,
  },
  {
    mistake: 'reads whether a device code is decided, and decides in a second step',
    methods: (honest) => ({
      decideDeviceAuthorization: async ({ id }: { id: string }, decision: DeviceDecision) => {
        const found = await honest.getDeviceAuthorization(id);
        if (!found || found.user || found.isDenied) return false;
        await new Promise(setImmediate);
        return overwrite(honest, id, decision);
      },
    }),
    fails: 'stores only one of many concurrent decisions about a device authorization',
    finding:
      /`decideDeviceAuthorization\(\)` returned true to (?!1 of)\d+ of 40 concurrent callers\. It must return true to exactly one/,
    remedy: /Never read first and write afterwards/,
    leaves: { 'device codes': 'best effort' },
  },
  {
    mistake: 'does not store the longer polling interval of a device code',
    methods: () => ({ slowDownDevice: async () => undefined }),
    fails: SLOWER,
    finding: /After `slowDownDevice\(\)` with 10 seconds, the model returns the old or a wrong `interval`: 5/,
    remedy: /poll_interval/,
    leaves: BROKEN,
  },
  {
    mistake: 'overwrites the whole device code to store a longer polling interval',
    methods: (honest) => ({
      slowDownDevice: async (found: DeviceAuthorization, interval: number) => {
        const { userCode } = honest.devices.get(found.id)!;
        honest.devices.set(found.id, { ...found, userCode, interval });
      },
    }),
    fails: SLOWER,
    finding: /for a device authorization that was denied/,
    remedy: /a decision is never overwritten/,
    leaves: BROKEN,
  },
  {
    mistake: 'lets two polls redeem one device code',
    methods: (honest) => ({
      revokeDeviceCode: async (found: DeviceAuthorization) => {
        const isThere = !(await honest.getDeviceAuthorization(found.id))?.revokedAt;
        await honest.revokeDeviceCode(found);
        return isThere;
      },
    }),
    fails: 'redeems a device code for only one of many concurrent polls',
    finding: /(?!1 of)\d+ of 40 concurrent polls redeemed the device code\. Exactly one must succeed/,
    remedy: /UPDATE device_codes SET revoked_at/,
    leaves: { 'device codes': 'best effort' },
  },
];
