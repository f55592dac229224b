import type {
  AuthorizationRequest,
  Awaitable,
  Client,
  Falsy,
  OAuthError,
  PartialConsent,
  SignIn,
  User,
  RequestedLogin,
} from '../../lib/index.js';

/**
 * The login and consent of an application: finds the signed-in user, and shows the login and consent pages.
 * RFC 6749 §3.1
 */
export interface OAuth2Interaction<U extends User = User, C extends Client = Client> {
  /** Returns the user who is signed in in this browser, with an `id` (string or number), or a falsy value. */
  findUser(context: InteractionContext<C>): Awaitable<U | Falsy>;
  /**
   * Returns how and when this user signed in, and in which session. It is stored with everything that is issued.
   * `openid()` requires it. If omitted, nothing about the login is reported to clients and APIs. OpenID Connect Core
   * 1.0 §2
   */
  howSignedIn?(user: U, context: InteractionContext<C>): Awaitable<SignIn | Falsy>;
  /**
   * Sends the user to sign in, usually with `{ redirect: '/login?return_to=' + encodeURIComponent(context.returnTo) }`.
   * It is called if no user is signed in, or if the client requires another login, as `context.requestedLogin`
   * describes. With `requestedLogin.reauthenticate` the login page must ask even a signed-in user.
   */
  login(context: InteractionContext<C>): Awaitable<InteractionResponse>;
  /**
   * Lets the user choose something before consent, such as an organization. Returns the `choices`, a `page` that asks, or
   * an `error` for the client. The form of the page posts a hidden field `csrf_token` with the value `context.csrfToken`
   * and a `choice` to `context.action`. The consent form posts the same `choice` again, and counts only for it. The hook
   * `approve` of a feature receives the choices as `decision.choices`. If omitted, nothing is chosen.
   */
  choose?(user: U, context: ChoiceContext<C>): Awaitable<Choices>;
  /**
   * Returns whether this user has consented to this request before. Only `true` skips the consent page, and an object
   * with the part of the scope that the user allowed: only that part is granted. If omitted, users are always asked. Return `false` for a public client that any program on the user's device could impersonate.
   * RFC 8252 §8.6
   */
  hasConsented?(user: U, context: InteractionContext<C>): Awaitable<boolean | PartialConsent>;
  /**
   * Returns the values of `authorization.grantableScope` that the user may refuse while allowing the others. The form of
   * the consent page has a check box `granted_scope` for each of them, with the scope value as its `value`: values that
   * are not posted are refused. If omitted, the user allows all of the scope or nothing. RFC 6749 §3.3
   */
  optionalScopes?(user: U, context: InteractionContext<C>): Awaitable<readonly string[]>;
  /**
   * Returns the consent page. Its form posts a hidden field `csrf_token` with the value `context.csrfToken` and a
   * `decision` (`allow` or `deny`) to `context.action`.
   */
  consent(user: U, context: ConsentContext<C>): Awaitable<InteractionResponse>;
  /**
   * Called when the user has allowed access on the consent page, to store the consent. `authorization.grantedScope` is
   * what the user allowed. If omitted, the consent is not stored.
   */
  saveConsent?(user: U, context: InteractionContext<C>): Awaitable<unknown>;
  /**
   * Returns a page for an error that cannot be returned to a client, such as an unknown client or redirect URI, or a
   * server error. If omitted, the browser shows the error as JSON. RFC 6749 §4.1.2.1
   */
  showError?(error: OAuthError, context: Pick<InteractionContext, 'request'>): Awaitable<InteractionResponse>;
}

/**
 * A redirect or a page. `headers` are added to the default headers, which keep the page out of caches and frames. A
 * header of the same name replaces the default.
 */
export type InteractionResponse =
  { redirect: string } | { html: string; status?: number; headers?: Readonly<Record<string, string>> };

/** An authorization request during login and consent. */
export interface InteractionContext<C extends Client = Client> {
  /**
   * The validated authorization request. Once the user is known, `grantableScope` is the scope that the model would
   * grant this user.
   */
  authorization: AuthorizationRequest<C>;
  /** The native request of Express or Fastify, with its cookies and session. */
  request: unknown;
  /** The path and query of this authorization request. Redirect the browser there after the login. */
  returnTo: string;
  /**
   * The login that the client requests, such as a new login or another account. Empty if it has no particular request.
   */
  requestedLogin: Readonly<RequestedLogin>;
}

/** The context of a consent page. */
export interface ConsentContext<C extends Client = Client> extends InteractionContext<C> {
  /** The URL that the form posts to: the path and query of this authorization request. */
  action: string;
  /**
   * The CSRF token of the form, to be posted as the hidden field `csrf_token`. It is bound to this user and this
   * request, single-use, and valid for 15 minutes.
   */
  csrfToken: string;
}

/** The context of a choice before consent. */
export interface ChoiceContext<C extends Client = Client> extends InteractionContext<C> {
  /** The value that the user has chosen. It must be validated. `undefined` if the user has not chosen yet. */
  choice: string | undefined;
  /** Whether a form was posted whose CSRF token is expired or invalid. */
  isExpired: boolean;
  /** Whether the user must not be asked (`prompt=none`). */
  silent: boolean;
  /** The URL that the form posts to: the path and query of this authorization request. */
  action: string;
  /**
   * The CSRF token of the form, to be posted as the hidden field `csrf_token`. It is bound to this user and this
   * request.
   */
  csrfToken: string;
}

/** What the user has chosen before consent, or what is shown or returned instead. */
export interface Choices {
  /** The choices, by name. If omitted, nothing was chosen. */
  choices?: Readonly<Record<string, string>>;
  /** The page that asks the user. */
  page?: InteractionResponse;
  /** The error that is returned to the client. */
  error?: OAuthError;
}
