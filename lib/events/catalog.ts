import type { RefusalDetail } from '../errors/index.js';

/** What the server tells its operator: names and payloads, which stay as they are. Nothing in them is a secret. */
export interface OAuth2Events {
  /** A client proved who it is; one that has no secret proves nothing. RFC 6749 §2.3 */
  'client.authenticated': ClientEvent;
  /** A client could not prove who it is. */
  'client.refused': RefusalEvent;
  /** A client is known from now on: it registered itself, or an administrator created it. RFC 7591 §3 */
  'client.registered': OAuth2Event;
  /** By its own hand, or by that of an administrator. RFC 7592 §2.2 */
  'client.changed': ClientChangeEvent;
  /** It is refused from now on, and its grants are over. */
  'client.disabled': OAuth2Event;
  /** It is forgotten, and its grants are over. RFC 7592 §2.3 */
  'client.removed': OAuth2Event;
  /** Somebody signed in on a ready-made page. */
  'user.signed_in': OAuth2Event;
  'user.signed_out': OAuth2Event;
  /** Somebody could not sign in on a ready-made page: nothing that was typed is told. */
  'user.refused': UserRefusalEvent;
  /** A user was asked and said yes; what was agreed to before is not asked again. */
  'consent.given': OAuth2Event;
  /** The user said no. */
  'consent.denied': RefusalEvent;
  /** A user ended the access of an application on a ready-made page. */
  'consent.withdrawn': OAuth2Event;
  /** An authorization request was granted, whether its user was asked now or before. */
  'authorization.granted': OAuth2Event;
  'authorization.refused': RefusalEvent;
  /** A code was saved, and is on its way to the client. */
  'code.issued': OAuth2Event;
  'token.issued': OAuth2Event;
  'token.refreshed': OAuth2Event;
  'token.refused': RefusalEvent;
  'token.revoked': TokenEvent;
  /** A client asked what a token is good for: `clientId` is the one that asked. RFC 7662 */
  'token.introspected': IntrospectionEvent;
  /** A code or a refresh token came twice: somebody stole it. RFC 9700 §4.14.2 */
  'token.reuse_detected': TokenEvent;
  /** A client was told that its user has signed out. OpenID Connect Back-Channel Logout 1.0 */
  'logout.delivered': OAuth2Event;
  /** It could not be told, however often it was tried: its user may be signed in there still. */
  'logout.failed': LogoutFailureEvent;
  /** All that came of an authorization, or of several, is over. */
  'grant.ended': GrantEvent;
  /** A request at another endpoint was refused: `endpoint` says at which. */
  'endpoint.refused': RefusalEvent;
  /** A request to a protected resource was turned away. */
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
  'consent.given': 0,
  'consent.denied': 0,
  'consent.withdrawn': 0,
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

/** What happened, as far as it is known. */
export interface OAuth2Event {
  /** When, by the clock of this process. */
  at: Date;
  /** Where: `authorize`, `token`, the id of another endpoint, or `resource`. */
  endpoint: string;
  /** The name of the server, in an application that has several. */
  server?: string | undefined;
  /** The issuer that was asked, where the host has named one. */
  issuer?: string | undefined;
  /** As the model knows it, or, of a client that is refused, as the request claims. */
  clientId?: string | undefined;
  /** The `id` of the user. */
  userId?: unknown;
  /** The `grant_type` at the token endpoint. */
  grantType?: string | undefined;
  /** The `response_type` at the authorization endpoint. */
  responseType?: string | undefined;
  /** What was granted, or, of a refusal, what was asked for. */
  scope?: string | undefined;
  /** The family of everything that came of one authorization. Only of models with `revokeGrant`. */
  grantId?: string | undefined;
}

/** A client proved who it is. */
export interface ClientEvent extends OAuth2Event {
  /** How: `client_secret_basic`, `client_secret_post`, … RFC 7591 §2 */
  method: string;
}

/** A client was changed. */
export interface ClientChangeEvent extends OAuth2Event {
  /** What is said of it, its secrets, or that it was retired. */
  change: 'description' | 'secret' | 'enabled';
}

/** A request was refused: what the client heard, and what only the operator hears. */
export interface RefusalEvent extends OAuth2Event, Partial<RefusalDetail> {
  /** The error code on the wire. */
  error: string;
  description: string;
  status: number;
}

/** Somebody could not sign in. */
export interface UserRefusalEvent extends OAuth2Event, Partial<RefusalDetail> {
  /** The HTTP status of the page. */
  status: number;
}

/** Something issued was spent or ended: a code, a refresh token, an access token, a grant. */
export interface TokenEvent extends OAuth2Event {
  kind: string;
}

/** A token was asked about: `userId`, `scope` and `grantId` are the token's, where it is active. */
export interface IntrospectionEvent extends OAuth2Event {
  active: boolean;
  /** The client that the token was issued to. */
  issuedTo?: string | undefined;
}

/** A client could not be told that its user has signed out. */
export interface LogoutFailureEvent extends OAuth2Event {
  /** What went wrong; left out: nobody knows. */
  reason?: string | undefined;
}

/** Without a `grantId`, all grants are meant that the user gave the client; without one of these, all of the other. */
export interface GrantEvent extends OAuth2Event {
  /** Something came twice, a client gave it up, a user ended it, or the host did. */
  reason: 'reuse' | 'revoked' | 'withdrawn' | 'application';
}
