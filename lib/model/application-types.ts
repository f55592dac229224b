import type * as model from './model.js';

// The engine reads client fields by their keys, so its own types default to `CoreClient`. The types of applications
// default to `Client`.

/** An authorization code as the model saves and returns it, with its client and user. RFC 6749 §4.1.2 */
export type AuthorizationCode<
  C extends model.Client = model.Client,
  U extends model.User = model.User,
> = model.AuthorizationCode<C, U>;

/**
 * The model of an application. Its methods for clients and tokens are required, all others only for the features that
 * need them.
 */
export type Model<C extends model.Client = model.Client, U extends model.User = model.User> = model.Model<C, U>;

/** A refresh token as the model returns it. RFC 6749 §6 */
export type RefreshToken<C extends model.Client = model.Client, U extends model.User = model.User> = model.RefreshToken<
  C,
  U
>;

/** An access token, and its refresh token if there is one. RFC 6749 §5.1 */
export type Token<C extends model.Client = model.Client, U extends model.User = model.User> = model.Token<C, U>;
