import type * as model from './model.js';

// The engine reads the fields of a client by their keys. So its own types have a `CoreClient` unless a type argument says otherwise.
// In the types of an application, a client is a `Client` unless a type argument says otherwise.

/** An authorization code as it is saved and found again. RFC 6749 §4.1.2 */
export type AuthorizationCode<
  C extends model.Client = model.Client,
  U extends model.User = model.User,
> = model.AuthorizationCode<C, U>;

/** The model of an application. It stores clients and tokens; its other methods serve single features. */
export type Model<C extends model.Client = model.Client, U extends model.User = model.User> = model.Model<C, U>;

/** A refresh token as it is found. RFC 6749 §6 */
export type RefreshToken<C extends model.Client = model.Client, U extends model.User = model.User> = model.RefreshToken<
  C,
  U
>;

/** An access token, with its refresh token when there is one. RFC 6749 §5.1 */
export type Token<C extends model.Client = model.Client, U extends model.User = model.User> = model.Token<C, U>;
