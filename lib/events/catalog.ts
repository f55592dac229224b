import type { RefusalDetail } from '../errors/index.js';

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
  /** A user signed in with another provider. Steps of the login, such as a second factor, may follow. */
  'upstream.signed_in': UpstreamEvent;
  /** An identity at another provider was added to an account. */
  'upstream.linked': UpstreamEvent;
  /** An identity at another provider was removed from an account. */
  'upstream.unlinked': UpstreamEvent;
  /** A sign-in with another provider, or a link, was refused. */
  'upstream.refused': UpstreamRefusalEvent;
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
  'upstream.signed_in': 0,
  'upstream.linked': 0,
  'upstream.unlinked': 0,
  'upstream.refused': 0,
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
  'logout.delivered': 0,
  'logout.failed': 0,
  'grant.ended': 0,
  'endpoint.refused': 0,
  'access.refused': 0,
} satisfies Record<OAuth2EventName, 0>) as readonly OAuth2EventName[];

/** The members that all events have, if known. */
export interface OAuth2Event {
  /** When the event was emitted, by the clock of this process. */
  at: Date;
  /**
   * Where the event occurred: `authorize`, `token`, the ID of another endpoint, `resource`, or the part of the
   * application that reported it, such as `clients`.
   */
  endpoint: string;
  /** The name of the server, in an application with several servers. `undefined` for the default server. */
  server?: string | undefined;
  /** The issuer of the server for the request, if the option `issuer` is set. */
  issuer?: string | undefined;
  /** The ID of the client. If client authentication failed, the unverified ID that the request contains. */
  clientId?: string | undefined;
  /** The `id` of the user. */
  userId?: unknown;
  /** The `grant_type` of a token request. */
  grantType?: string | undefined;
  /** The `response_type` of an authorization request. */
  responseType?: string | undefined;
  /** The granted scope. For refusals, the requested scope. */
  scope?: string | undefined;
  /** The ID of the token family. Only for models with `revokeGrant()`. */
  grantId?: string | undefined;
}

/** The payload of `client.authenticated`. */
export interface ClientEvent extends OAuth2Event {
  /** The client authentication method: `client_secret_basic`, `client_secret_post`, … RFC 7591 §2 */
  method: string;
}

/** The payload of `client.changed`. */
export interface ClientChangeEvent extends OAuth2Event {
  /**
   * The changed part. `description`: properties of the client. `secret`: its secrets. `enabled`: the disabled client
   * was enabled again.
   */
  change: 'description' | 'secret' | 'enabled';
}

/**
 * The payload of a refusal: the error that was returned to the client, and the reason, which was not sent to the
 * client.
 */
export interface RefusalEvent extends OAuth2Event, Partial<RefusalDetail> {
  /** The OAuth error code. */
  error: string;
  description: string;
  status: number;
}

/** The payload of `user.refused`. */
export interface UserRefusalEvent extends OAuth2Event, Partial<RefusalDetail> {
  /** The HTTP status of the page that was rendered. */
  status: number;
}

/** The payload of the events of `upstreams()`. */
export interface UpstreamEvent extends OAuth2Event {
  /** The name of the provider in the option `providers`. */
  provider: string;
  /** The issuer of the identity. `undefined` if none was verified. */
  upstreamIssuer?: string | undefined;
}

/** The payload of `upstream.refused`. */
export interface UpstreamRefusalEvent extends UpstreamEvent {
  /** The HTTP status of the page that was rendered. */
  status: number;
  reason: string;
  /** What the operator or the user can do. */
  remedy: string;
}

/** The payload of `token.revoked` and `token.reuse_detected`. */
export interface TokenEvent extends OAuth2Event {
  /** The revoked or replayed thing: `access token`, `refresh token`, `authorization code` or `grant`. */
  kind: string;
}

/**
 * The payload of `token.introspected`. `userId`, `scope` and `grantId` are those of the introspected token. They are
 * omitted if it is not active.
 */
export interface IntrospectionEvent extends OAuth2Event {
  active: boolean;
  /** The ID of the client that the token was issued to. `undefined` if the token is not active. */
  issuedTo?: string | undefined;
}

/** The payload of `logout.failed`. */
export interface LogoutFailureEvent extends OAuth2Event {
  /** The error message of the last attempt of the round. If omitted, the reason is unknown. */
  reason?: string | undefined;
}

/**
 * The payload of `grant.ended`. Without `grantId`, all grants of the user to the client were revoked. Without
 * `clientId`, all grants of the user. Without `userId`, all grants of the client.
 */
export interface GrantEvent extends OAuth2Event {
  /**
   * Why the grants were revoked. `reuse`: a code or refresh token was replayed. `revoked`: by the client. `withdrawn`:
   * by the user. `application`: by the application.
   */
  reason: 'reuse' | 'revoked' | 'withdrawn' | 'application';
}
