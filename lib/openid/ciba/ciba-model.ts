import type { Awaitable, Client, Falsy, User } from '../../model/model.js';
import type { IdTokenHint } from '../openid-capability.js';

/** Whom a client means: by one of the three. CIBA §7.1 */
export interface UserHint {
  /** What the user has told the client: a telephone number, an address, a name. */
  loginHint?: string;
  /** A token that says who the user is, by whatever you and the client have agreed on; its signature is yours to check. */
  loginHintToken?: string;
  /** An ID token of this server, which was given to this client: `sub` is who the user is to it. It may be long over. */
  idTokenHint?: IdTokenHint;
}

/** What a client wants to ask of a user who is elsewhere. */
export interface BackchannelRequest<C extends Client = Client, U extends User = User> {
  /** Names it, for the device of the user and for nobody else: the client does not know it. */
  readonly id: string;
  readonly client: C;
  /** Who is asked. */
  readonly user: U;
  /** What this user would grant: what is to be shown. */
  readonly scope: string | undefined;
  /** The resources that the tokens would be for. RFC 8707 §2 */
  readonly resource: readonly string[];
  /** What features keep of it: `authorization_details`, `askedClaims`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What both devices show, so that the user sees that they belong together. It is the client's text: escape it. */
  readonly bindingMessage?: string;
  /** How strong a login the client would like, the best first. */
  readonly acrValues: readonly string[];
  readonly expiresAt: Date;
}

/** Finds users, and asks them on a device of theirs. Beside it stand the methods of `DeviceAuthorizationModel`, and `once`. */
export interface CibaModel<C extends Client = Client, U extends User = User> {
  /**
   * Who is meant; falsy: `unknown_user_id`. A hint that cannot be read may be refused by an error of your own, such as
   * ExpiredLoginHintTokenError.
   */
  findHintedUser(hint: UserHint, client: C): Awaitable<U | Falsy>;
  /**
   * Asks the user, by a message to their telephone, say: the client is answered when this is done, so it sends and does not wait for them.
   * An OAuthError that it throws is told to the client.
   */
  askUser(request: BackchannelRequest<C, U>): Awaitable<unknown>;
  /** Is it the code by which this user lets clients ask them? For the option `userCode`. CIBA §7.1 */
  verifyUserCode?(user: U, userCode: string, client: C): Awaitable<boolean>;
}
