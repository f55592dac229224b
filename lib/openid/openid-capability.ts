import { capability } from '../contracts/capability.js';
import type { SubjectIdentifiers } from '../features/subject-identifiers.js';
import type { Awaitable, CoreClient, User } from '../model/model.js';

/**
 * The claims of an ID token that a client sends back as a hint about the user. OpenID Connect Core §3.1.2.1,
 * RP-Initiated Logout §2
 */
export interface IdTokenHint {
  /** The ID of the client that the ID token was issued to. */
  clientId: string;
  /** The subject identifier by which this client knows the user. */
  sub: string;
  /** The session in which the ID token was issued. If omitted, the ID token has no `sid`. */
  sid?: string;
  /** All claims of the ID token. */
  claims: Readonly<Record<string, unknown>>;
}

/** The functions that `openid()` provides to other features and to the application. */
export interface OpenIdProvider extends SubjectIdentifiers {
  /** The authentication context classes of the server, the weakest first. */
  readonly acrValues: readonly string[];
  /** Whether a `sub` of an earlier ID token identifies the user at the client. */
  isKnownAs(user: User, client: CoreClient, sub: string): boolean;
  /** Returns the session identifier (`sid`) by which the client with this `sub` knows the session. */
  sessionOf(session: { sid: string; sub: string; userId: string | undefined }): string;
  /**
   * Signs a JWT for a client in the same way as its ID tokens. Encrypts it if the client has registered encryption.
   * Back-Channel Logout §2.4
   */
  signFor(client: CoreClient, jwt: { typ: string; claims: object }): Promise<string>;
  /**
   * Reads an ID token that a client returns as a hint. The ID token may have expired. The caller must verify that it
   * was issued to the client.
   * @param client The client that sends the hint. It may encrypt the hint if its ID tokens are encrypted and
   * `encryptedHints` is set.
   * @returns `undefined` if the hint is not an ID token of this issuer, signed by a known key of this server.
   */
  readHint(hint: string, issuer: string | undefined, client?: CoreClient): Awaitable<IdTokenHint | undefined>;
}

/** The capability key under which `openid()` provides the OpenID provider of a server. */
export const OPENID = capability<OpenIdProvider>('openid', 'openid');
