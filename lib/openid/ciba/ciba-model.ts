import type { Awaitable, Client, Falsy, User } from '../../model/model.js';
import type { IdTokenHint } from '../openid-capability.js';

/**
 * How a client identifies the user whom it wants to authenticate. Exactly one of the three properties is set. CIBA §7.1
 */
export interface UserHint {
  /** An identifier that the user has given to the client, such as a telephone number, an email address or a name. */
  loginHint?: string;
  /**
   * A token that identifies the user, in a format that you and the client have agreed on. You must verify its
   * signature.
   */
  loginHintToken?: string;
  /**
   * The claims of an ID token that this server issued to this client. `sub` is the identifier of the user at the
   * client. The ID token may have expired.
   */
  idTokenHint?: IdTokenHint;
}

/** The request of a client to authenticate a user on the user's own device. */
export interface BackchannelRequest<C extends Client = Client, U extends User = User> {
  /** The identifier of the request. Send it only to the device of the user. The client does not know it. */
  readonly id: string;
  readonly client: C;
  /** The user who has to decide. */
  readonly user: U;
  /** The requested scope, limited to what this user can grant. Show it to the user. */
  readonly scope: string | undefined;
  /** The resources that the tokens will be for. If empty, the client named none. RFC 8707 §2 */
  readonly resource: readonly string[];
  /** The data that features have stored with the request, such as `authorization_details` and `askedClaims`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The text that both devices show, so that the user can compare them. The client provides it, so escape it. */
  readonly bindingMessage?: string;
  /** The authentication context classes that the client prefers for the login, the best first. */
  readonly acrValues: readonly string[];
  readonly expiresAt: Date;
}

/**
 * The model interface that `ciba()` requires, together with `DeviceAuthorizationModel` and the method `once`. It finds
 * users and asks them on their own device.
 */
export interface CibaModel<C extends Client = Client, U extends User = User> {
  /**
   * Returns the user that a hint identifies, or a falsy value if there is none. Then the client gets `unknown_user_id`.
   * Throw your own error for a hint that cannot be read, such as `ExpiredLoginHintTokenError`.
   */
  findHintedUser(hint: UserHint, client: C): Awaitable<U | Falsy>;
  /**
   * Sends the request to a device of the user, for example as a push message. Do not wait for the decision of the user:
   * the client gets its response when the promise resolves. An `OAuthError` that it throws is returned to the client.
   */
  askUser(request: BackchannelRequest<C, U>): Awaitable<unknown>;
  /**
   * Returns whether a code is the secret with which this user allows clients to send requests. Required if the option
   * `userCode` is set. CIBA §7.1
   */
  verifyUserCode?(user: U, userCode: string, client: C): Awaitable<boolean>;
}
