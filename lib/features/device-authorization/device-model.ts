import type { Awaitable, Client, CoreClient, Falsy, Scope, Token, Unsaved, User } from '../../model/model.js';

/** The stored request of a device, from the device authorization request to the issued tokens. RFC 8628 §3.1 */
export interface DeviceAuthorization<C extends Client = CoreClient, U extends User = User> {
  /**
   * The ID of the stored request. It is not secret. The model sets it; it is not passed to `saveDeviceAuthorization()`.
   */
  id: string;
  /**
   * The device code, with which the device polls. Store its hash, as for an authorization code. May be omitted if the
   * request was found by the user code.
   */
  deviceCode?: string;
  /**
   * The user code in the form in which codes are compared: upper case, without a hyphen. May be omitted if the request
   * was found by the device code.
   */
  userCode?: string;
  client: C;
  /** The requested scope. After the user has consented, the granted scope. */
  scope?: Scope;
  /** The issuer that received the request. Omitted if the option `issuer` is not set. */
  issuer?: string;
  /**
   * When the request expires, after which it can be neither decided nor redeemed. The model should find it for some
   * more minutes, so that the device receives `expired_token`.
   */
  expiresAt: Date;
  /** Minimum seconds between two polls. RFC 8628 §3.2 */
  interval: number;
  /** The user who consented. Omitted until then. */
  user?: U;
  /** Whether the user denied the request. */
  isDenied?: boolean;
  /**
   * The ID of the token family that the tokens will belong to. Set once the user has consented, if the model has
   * `revokeGrant()`.
   */
  grantId?: string;
  /** When the device code was redeemed. The model continues to find the request, for replay detection. */
  revokedAt?: Date;
  /** Seconds since `revokedAt`, by the clock of the database. If omitted, the clock of the process is used. */
  revokedAgo?: number;
  /** Members that features have stored with the request. */
  // oxlint-disable-next-line no-explicit-any
  [name: string]: any;
}

/** A device authorization to save. The client is a separate argument. */
export type NewDeviceAuthorization = {
  [K in keyof DeviceAuthorization as K extends 'id' | 'client' | 'user' ? never : K]: DeviceAuthorization[K];
} & { deviceCode: string; userCode: string };

/**
 * The decision on a request of a device: the user who consented, and the granted scope. Without `user`, the request was
 * denied.
 */
export interface DeviceDecision<U extends User = User> {
  user?: U;
  scope?: string | undefined;
  /** Members to store with the request. They replace stored members of the same name. */
  data?: Readonly<Record<string, unknown>>;
}

/** A model that stores the requests of devices. The feature also requires `once()`. RFC 8628 */
export interface DeviceAuthorizationModel<C extends Client = Client, U extends User = User> {
  saveDeviceAuthorization(authorization: NewDeviceAuthorization, client: C): Awaitable<unknown>;
  /**
   * Finds a request by its device code. Redeemed and denied requests must be found too. Returns a falsy value if there
   * is no such request.
   */
  getDeviceAuthorization(deviceCode: string): Awaitable<DeviceAuthorization<C, U> | Falsy>;
  /**
   * Finds a request by its user code. Returns a falsy value if there is no such request. Decided requests need not be
   * found.
   */
  getDeviceAuthorizationByUserCode(userCode: string): Awaitable<DeviceAuthorization<C, U> | Falsy>;
  /**
   * Saves the decision on a request that was found by its user code. Must return a truthy value to exactly one of
   * several concurrent callers.
   */
  decideDeviceAuthorization(authorization: DeviceAuthorization<C, U>, decision: DeviceDecision<U>): Awaitable<boolean>;
  /**
   * Saves a longer polling interval in seconds for a device that polls too fast, unless the request was changed
   * meanwhile. RFC 8628 §3.5
   */
  slowDownDevice(authorization: DeviceAuthorization<C, U>, interval: number): Awaitable<unknown>;
  /** Consumes the device code. Must return a truthy value to exactly one of several concurrent callers. */
  revokeDeviceCode(authorization: DeviceAuthorization<C, U>): Awaitable<boolean>;
  /**
   * Consumes the device code and saves the token for it, atomically. Returns the saved token to exactly one of several
   * concurrent callers, and a falsy value to the others. If omitted, `revokeDeviceCode()` is called, and then
   * `saveToken()`.
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
