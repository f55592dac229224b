import type {
  AuthorizationRequest,
  Awaitable,
  Client,
  Falsy,
  OAuthError,
  SignIn,
  User,
  RequestedLogin,
} from '../../lib/index.js';

/** Where a host says who is signed in and what they agreed to: login and consent have their place here. RFC 6749 §3.1 */
export interface OAuth2Interaction<U extends User = User, C extends Client = Client> {
  /** Who is signed in in this browser? The user carries an `id` (string or number); falsy: nobody is. */
  findUser(context: InteractionContext<C>): Awaitable<U | Falsy>;
  /**
   * How did this user sign in: when, by what, in which session? It is kept with all that is issued. Left out: nothing is said of it.
   * OpenID Connect Core 1.0 §2
   */
  howSignedIn?(user: U, context: InteractionContext<C>): Awaitable<SignIn | Falsy>;
  /**
   * Nobody is signed in, or not as `context.wanted` says: usually `{ redirect: '/login?return_to=' +
   * encodeURIComponent(context.returnTo) }`. With `wanted.fresh` it must ask, whoever is signed in.
   */
  login(context: InteractionContext<C>): Awaitable<InteractionResponse>;
  /**
   * Has this user agreed to this before? Only `true` is yes. Left out: always ask. Say no for a public client that
   * anybody on the user's device can pass themselves off as. RFC 8252 §8.6
   */
  hasConsented?(user: U, context: InteractionContext<C>): Awaitable<boolean>;
  /** Ask: a page whose form posts `ticket` and `decision` (`allow` or `deny`) to `context.action`. */
  consent(user: U, context: ConsentContext<C>): Awaitable<InteractionResponse>;
  /** The user agreed on the consent page: remember it if you like. */
  saveConsent?(user: U, context: InteractionContext<C>): Awaitable<unknown>;
  /**
   * The request is so wrong that no client can be told: its client or redirect URI is unknown. Left out: the browser is
   * shown the error as JSON. RFC 6749 §4.1.2.1
   */
  showError?(error: OAuthError, context: Pick<InteractionContext, 'request'>): Awaitable<InteractionResponse>;
}

/** A page, or another place to go to. `headers` win over those that keep the page out of caches and frames. */
export type InteractionResponse =
  { redirect: string } | { html: string; status?: number; headers?: Readonly<Record<string, string>> };

/** An authorization request on its way through login and consent. */
export interface InteractionContext<C extends Client = Client> {
  /** The request, checked; once the user is known, its scope is what the model would grant this user. */
  authorization: AuthorizationRequest<C>;
  /** The native (Express or Fastify) request, with its cookies and session. */
  request: unknown;
  /** Path and query of this authorization request: come back here after login. */
  returnTo: string;
  /** What the client wants of the login: a fresh one, another account. Empty: nothing in particular. */
  wanted: Readonly<RequestedLogin>;
}

/** What the consent page needs. */
export interface ConsentContext<C extends Client = Client> extends InteractionContext<C> {
  /** Where the form posts to: path and query of this authorization request. */
  action: string;
  /** A hidden field of the form: signed, bound to this user and this request, good for 15 minutes. */
  ticket: string;
}
