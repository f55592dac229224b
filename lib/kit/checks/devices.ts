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

export const deviceModel = (context: CheckContext) => context.model as unknown as DeviceAuthorizationModel;

/**
 * Saves a device authorization with the properties that the server would pass to the model, and returns these
 * properties.
 */
export async function startDevice(context: CheckContext): Promise<StartedDevice> {
  const started: StartedDevice = {
    deviceCode: opaqueToken(),
    userCode: newUserCode(),
    issuer: 'https://kit.example',
    expiresAt: new Date(Date.now() + 600_000),
    interval: 5,
    resource: ['https://a.example/', 'urn:b'],
  };
  const scope = context.scope();
  if (scope !== undefined) started.scope = scope;
  await deviceModel(context).saveDeviceAuthorization({ ...started }, await context.client());
  return started;
}

export async function findDevice(context: CheckContext, { deviceCode }: StartedDevice): Promise<DeviceAuthorization> {
  const stored = await callModel(
    () => deviceModel(context).getDeviceAuthorization(deviceCode),
    '`getDeviceAuthorization()`',
  );
  assert(stored, '`getDeviceAuthorization()` does not find a device authorization that was just saved.');
  return { ...(stored as DeviceAuthorization), deviceCode };
}

export async function findByUserCode(context: CheckContext, { userCode }: StartedDevice): Promise<DeviceAuthorization> {
  const find = () => deviceModel(context).getDeviceAuthorizationByUserCode(userCode);
  const stored = await callModel(find, '`getDeviceAuthorizationByUserCode()`');
  assert(stored, '`getDeviceAuthorizationByUserCode()` does not find a device authorization that was just saved.');
  return { ...(stored as DeviceAuthorization), userCode };
}

export async function decideDevice(
  context: CheckContext,
  stored: DeviceAuthorization,
  decision: DeviceDecision,
): Promise<unknown> {
  return deviceModel(context).decideDeviceAuthorization({ ...stored }, decision);
}

/**
 * Redeems a device code as the server would: with `redeemDeviceCode()` or, if the model lacks it, `revokeDeviceCode()`.
 */
export async function redeemDevice(context: CheckContext, stored: DeviceAuthorization): Promise<unknown> {
  const model = deviceModel(context);
  if (!model.redeemDeviceCode) return model.revokeDeviceCode(stored);
  const { grantId } = stored;
  const token = await context.newToken(grantId === undefined ? {} : { grantId });
  return model.redeemDeviceCode(stored, token, await context.client(), stored.user ?? (await context.user()));
}
