import type {
  ClientChangeEvent,
  ClientEvent,
  CredentialEvent,
  GrantEvent,
  IntrospectionEvent,
  LogoutFailureEvent,
  OAuth2Event,
  PersonalTokenEvent,
  RefusalEvent,
  TokenEvent,
  UpstreamEvent,
  UpstreamReconnectEvent,
  UpstreamRefusalEvent,
  UserRefusalEvent,
} from './payloads.js';

export type * from './payloads.js';

/** The events that a server emits, with their payloads. Payloads contain no secrets. */
export interface OAuth2Events {
  /**
   * A client authenticated with its credentials. Requests without client authentication emit no such event.
   * RFC 6749 §2.3
   */
  'client.authenticated': ClientEvent;
  /** Client authentication failed at an endpoint. */
  'client.refused': RefusalEvent;
  /** A client was registered, by itself or by an administrator. RFC 7591 §3 */
  'client.registered': OAuth2Event;
  /** A client was changed, by itself or by an administrator. RFC 7592 §2.2 */
  'client.changed': ClientChangeEvent;
  /** A client was disabled: its requests are rejected, and its grants were revoked. */
  'client.disabled': OAuth2Event;
  /** A client was deleted, and its grants were revoked. RFC 7592 §2.3 */
  'client.removed': OAuth2Event;
  /** A user signed in on a page of `pages()`. */
  'user.signed_in': OAuth2Event;
  'user.signed_out': OAuth2Event;
  /** A login on a page of `pages()` failed. The payload does not contain what the user entered. */
  'user.refused': UserRefusalEvent;
  /** A passkey, an authenticator app, or a set of recovery codes was added to an account. */
  'credential.added': CredentialEvent;
  /** A passkey or an authenticator app was removed from an account, by its user or by an operator. */
  'credential.removed': CredentialEvent;
  /** A user ordered the deletion of the account, which follows after the grace period. */
  'account.deletion_requested': OAuth2Event;
  /** A user decided to keep the account before it was deleted. */
  'account.deletion_cancelled': OAuth2Event;
  /**
   * An account was deleted, with everything that the store had of its user. It may be emitted twice if a process ends in
   * between.
   */
  'account.deleted': OAuth2Event;
  /** A user signed in with another provider. Steps of the login, such as a second factor, may follow. */
  'upstream.signed_in': UpstreamEvent;
  /** An identity at another provider was added to an account. */
  'upstream.linked': UpstreamEvent;
  /** An identity at another provider was removed from an account. */
  'upstream.unlinked': UpstreamEvent;
  /** A sign-in with another provider, or a link, was refused. */
  'upstream.refused': UpstreamRefusalEvent;
  /** The stored tokens of a provider cannot be refreshed any more. The user must connect the provider again. */
  'upstream.reconnect_required': UpstreamReconnectEvent;
  /** The user consented when asked. A request that a remembered consent covers does not emit this event. */
  'consent.given': OAuth2Event;
  /** The user denied an authorization request or a device authorization. */
  'consent.denied': RefusalEvent;
  /** A user removed the access of an application on a page of `pages()`. */
  'consent.withdrawn': OAuth2Event;
  /** The remembered consent of a user to an application was deleted. The user is asked again; tokens stay valid. */
  'consent.forgotten': OAuth2Event;
  /** An authorization request was granted, by the user or by a remembered consent. */
  'authorization.granted': OAuth2Event;
  'authorization.refused': RefusalEvent;
  /** An authorization code was saved. It is about to be sent to the client. */
  'code.issued': OAuth2Event;
  'token.issued': OAuth2Event;
  'token.refreshed': OAuth2Event;
  'token.refused': RefusalEvent;
  'token.revoked': TokenEvent;
  /** A client or API introspected a token. `clientId` is the client that sent the introspection request. RFC 7662 */
  'token.introspected': IntrospectionEvent;
  /** An authorization code or refresh token was replayed, so it may have been stolen. RFC 9700 §4.14.2 */
  'token.reuse_detected': TokenEvent;
  /** A user created a personal access token. */
  'personal_token.created': PersonalTokenEvent;
  /**
   * A personal access token was used from a network for the first time: an IPv4 address, or the /64 of an IPv6 address.
   */
  'personal_token.new_network': PersonalTokenEvent;
  /** A logout token was delivered to a client. OpenID Connect Back-Channel Logout 1.0 */
  'logout.delivered': OAuth2Event;
  /** A round of attempts to deliver a logout token failed. The user may still be signed in at the client. */
  'logout.failed': LogoutFailureEvent;
  /**
   * Grants were revoked, with all their codes and tokens. Also emitted when a client without grants is disabled or
   * removed.
   */
  'grant.ended': GrantEvent;
  /**
   * A request was refused at an endpoint other than the authorization and token endpoints. `endpoint` is the ID of the
   * endpoint.
   */
  'endpoint.refused': RefusalEvent;
  /** A request to a protected resource was refused, for example because its token has expired. */
  'access.refused': RefusalEvent;
}

/** The name of an event. */
export type OAuth2EventName = keyof OAuth2Events;

/** The names of all events. */
export const EVENT_NAMES = Object.keys({
  'client.authenticated': 0,
  'client.refused': 0,
  'client.registered': 0,
  'client.changed': 0,
  'client.disabled': 0,
  'client.removed': 0,
  'user.signed_in': 0,
  'user.signed_out': 0,
  'user.refused': 0,
  'credential.added': 0,
  'credential.removed': 0,
  'account.deletion_requested': 0,
  'account.deletion_cancelled': 0,
  'account.deleted': 0,
  'upstream.signed_in': 0,
  'upstream.linked': 0,
  'upstream.unlinked': 0,
  'upstream.refused': 0,
  'upstream.reconnect_required': 0,
  'consent.given': 0,
  'consent.denied': 0,
  'consent.withdrawn': 0,
  'consent.forgotten': 0,
  'authorization.granted': 0,
  'authorization.refused': 0,
  'code.issued': 0,
  'token.issued': 0,
  'token.refreshed': 0,
  'token.refused': 0,
  'token.revoked': 0,
  'token.introspected': 0,
  'token.reuse_detected': 0,
  'personal_token.created': 0,
  'personal_token.new_network': 0,
  'logout.delivered': 0,
  'logout.failed': 0,
  'grant.ended': 0,
  'endpoint.refused': 0,
  'access.refused': 0,
} satisfies Record<OAuth2EventName, 0>) as readonly OAuth2EventName[];
