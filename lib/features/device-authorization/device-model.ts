import type { Awaitable, Client, CoreClient, Falsy, Scope, Token, Unsaved, User } from '../../model/model.js';

/** What a device asks for, on its way from the device to a user and back. RFC 8628 §3.1 */
export interface DeviceAuthorization<C extends Client = CoreClient, U extends User = User> {
  /** Names it for whoever has found it; no secret. Left out of what is saved. */
  id: string;
  /** What the device has, and polls with: keep its hash, as with a code. Where it was found by the user code: left out. */
  deviceCode?: string;
  /** What the user types, in the form it is compared in: capitals, no hyphen. Where it was found by the device code: left out. */
  userCode?: string;
  client: C;
  /** What the device asks for; once a user has agreed, what they agreed to. */
  scope?: Scope;
  /** The issuer that it was asked of; left out where the host has named none. */
  issuer?: string;
  /** From then on it is neither decided nor redeemed. Found until some minutes later, so that the device hears why. */
  expiresAt: Date;
  /** Seconds between two polls. RFC 8628 §3.2 */
  interval: number;
  /** Who agreed. Left out: nobody has, yet. */
  user?: U;
  /** Did the user say no? */
  isDenied?: boolean;
  /** The family that its tokens will belong to. For models with `revokeGrant`, and once a user has agreed. */
  grantId?: string;
  /** When it was redeemed: it goes on being found. */
  revokedAt?: Date;
  /** Seconds since then by the clock of the database; left out: that of the server tells. */
  revokedAgo?: number;
  /** What features keep of the request. */
  // oxlint-disable-next-line no-explicit-any
  [name: string]: any;
}

/** What is saved of a request of a device: all of it but the client, which follows. */
export type NewDeviceAuthorization = {
  [K in keyof DeviceAuthorization as K extends 'id' | 'client' | 'user' ? never : K]: DeviceAuthorization[K];
} & { deviceCode: string; userCode: string };

/** Who agreed to a request of a device, and to what of it; without a user nobody did. */
export interface DeviceDecision<U extends User = User> {
  user?: U;
  scope?: string | undefined;
  /** What features keep of it from then on, in place of what they kept of the request under these names. */
  data?: Readonly<Record<string, unknown>>;
}

/** Keeps what devices ask for; beside it the feature asks `once`. RFC 8628 */
export interface DeviceAuthorizationModel<C extends Client = Client, U extends User = User> {
  saveDeviceAuthorization(authorization: NewDeviceAuthorization, client: C): Awaitable<unknown>;
  /** By the device code; redeemed and denied ones too. */
  getDeviceAuthorization(deviceCode: string): Awaitable<DeviceAuthorization<C, U> | Falsy>;
  /** By the user code; decided ones need not be found. */
  getDeviceAuthorizationByUserCode(userCode: string): Awaitable<DeviceAuthorization<C, U> | Falsy>;
  /** Keeps what was decided, of one that was found by its user code: truthy for exactly one caller, however many decide at once. */
  decideDeviceAuthorization(authorization: DeviceAuthorization<C, U>, decision: DeviceDecision<U>): Awaitable<boolean>;
  /** The device polls too fast: keeps its new interval, unless something else has changed meanwhile. RFC 8628 §3.5 */
  slowDownDevice(authorization: DeviceAuthorization<C, U>, interval: number): Awaitable<unknown>;
  /** Spends the device code, as it was found: truthy for exactly one caller. */
  revokeDeviceCode(authorization: DeviceAuthorization<C, U>): Awaitable<boolean>;
  /**
   * Spends the device code and saves what came of it, both or neither; falsy for all but one caller. Left out: `revokeDeviceCode`, and
   * `saveToken` after it.
   */
  redeemDeviceCode?(
    authorization: DeviceAuthorization<C, U>,
    token: Unsaved<Token>,
    client: C,
    user: U,
  ): Awaitable<Token<C, U> | Falsy>;
}

export const DEVICE_METHODS: readonly (keyof DeviceAuthorizationModel)[] = [
  'saveDeviceAuthorization',
  'getDeviceAuthorization',
  'getDeviceAuthorizationByUserCode',
  'decideDeviceAuthorization',
  'slowDownDevice',
  'revokeDeviceCode',
];
