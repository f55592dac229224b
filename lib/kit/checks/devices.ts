import type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from '../../features/device-authorization/device-model.js';
import { newUserCode } from '../../features/device-authorization/user-code.js';
import { opaqueToken } from '../../tokens/opaque.js';
import { assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { callModel } from './model-calls.js';

export type StartedDevice = NewDeviceAuthorization;

export const deviceModel = (trial: CheckContext) => trial.model as unknown as DeviceAuthorizationModel;

/** Saves a request as the server has it kept, with what a feature keeps there. */
export async function startDevice(trial: CheckContext): Promise<StartedDevice> {
  const begun: StartedDevice = {
    deviceCode: opaqueToken(),
    userCode: newUserCode(),
    issuer: 'https://kit.example',
    expiresAt: new Date(Date.now() + 600_000),
    interval: 5,
    resource: ['https://a.example/', 'urn:b'],
  };
  const scope = trial.scope();
  if (scope !== undefined) begun.scope = scope;
  await deviceModel(trial).saveDeviceAuthorization({ ...begun }, await trial.client());
  return begun;
}

export async function findDevice(trial: CheckContext, { deviceCode }: StartedDevice): Promise<DeviceAuthorization> {
  const found = await callModel(
    () => deviceModel(trial).getDeviceAuthorization(deviceCode),
    '`getDeviceAuthorization()`',
  );
  assert(found, '`getDeviceAuthorization()` does not find what was saved');
  return { ...(found as DeviceAuthorization), deviceCode };
}

export async function findByUserCode(trial: CheckContext, { userCode }: StartedDevice): Promise<DeviceAuthorization> {
  const find = () => deviceModel(trial).getDeviceAuthorizationByUserCode(userCode);
  const found = await callModel(find, '`getDeviceAuthorizationByUserCode()`');
  assert(found, '`getDeviceAuthorizationByUserCode()` does not find what was saved');
  return { ...(found as DeviceAuthorization), userCode };
}

export async function decideDevice(
  trial: CheckContext,
  found: DeviceAuthorization,
  decision: DeviceDecision,
): Promise<unknown> {
  return deviceModel(trial).decideDeviceAuthorization({ ...found }, decision);
}

/** Spends a device code as the server would. */
export async function redeemDevice(trial: CheckContext, found: DeviceAuthorization): Promise<unknown> {
  const model = deviceModel(trial);
  if (!model.redeemDeviceCode) return model.revokeDeviceCode(found);
  const { grantId } = found;
  const token = await trial.newToken(grantId === undefined ? {} : { grantId });
  return model.redeemDeviceCode(found, token, await trial.client(), found.user ?? (await trial.user()));
}
