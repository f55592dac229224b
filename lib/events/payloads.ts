import type { RefusalDetail } from '../errors/index.js';

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

/** The payload of `credential.added` and `credential.removed`. */
export interface CredentialEvent extends OAuth2Event {
  /** The kind of the credential. */
  credential: 'passkey' | 'totp' | 'recovery_code';
  /** The one that changed the account: its user, or an operator by the command `nest-oauth2 accounts reset`. */
  by: 'user' | 'operator';
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
  /** The remedy of the operator or the user. */
  remedy: string;
}

/** The payload of `upstream.reconnect_required`. */
export interface UpstreamReconnectEvent extends UpstreamEvent {
  reason: string;
  /** The remedy of the operator or the user. */
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

/** The payload of `personal_token.created` and `personal_token.new_network`. `grantId` is the ID of the token. */
export interface PersonalTokenEvent extends OAuth2Event {
  /** The name that the user has chosen. */
  tokenName: string;
  /** The new network. */
  network?: string | undefined;
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
