import type { Feature, ServerContext } from '../contracts/feature.js';
import type { Awaitable, Client, User } from '../model/model.js';

/** What an ID token of this server says that a client brings back. OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2 */
export interface IdTokenHint {
  /** Whose it is. */
  clientId: string;
  /** Who its user is to that client. */
  sub: string;
  /** The session it was given out in. */
  sid?: string;
  /** All that it says. */
  claims: Readonly<Record<string, unknown>>;
}

/** The feature by which users sign in at other applications; who looks for it needs not load it. */
export interface OpenIdFeature extends Feature {
  /** How strong a login may be, the weakest first. */
  readonly acrValues: readonly string[];
  /**
   * Returns the `sub` of a user at a client.
   * @param issued the code or token for which the client learns the `sub`, which stores the sector that was proven
   */
  subjectOf(server: ServerContext, user: User, client: Client, issued?: object): string;
  /** Whether a `sub` of an earlier ID token identifies the user at the client. */
  isKnownAs(server: ServerContext, user: User, client: Client, sub: string): boolean;
  /** Returns the session identifier (`sid`) that the client with this `sub` knows. */
  sessionOf(server: ServerContext, known: { sid: string; sub: string; userId: string | undefined }): string;
  /** Signs something for a client as its ID tokens are. */
  signFor(server: ServerContext, client: Client, jwt: { typ: string; claims: object }): Promise<string>;
  /**
   * Reads an ID token that a client brings back: one of this server, for this issuer, signed by a key that is still known, and be it
   * long over. Undefined: it is none. Whose it is has to be compared by whoever asks.
   * @param client who brings it: one that is registered for encrypted ID tokens may have encrypted it to the server (`encryptedHints`)
   */
  readHint(
    server: ServerContext,
    hint: string,
    issuer: string | undefined,
    client?: Client,
  ): Awaitable<IdTokenHint | undefined>;
}

/** The feature of a server; undefined: it lists none. */
export const findOpenId = (server: Pick<ServerContext, 'features'>): OpenIdFeature | undefined =>
  server.features.find((one): one is OpenIdFeature => 'readHint' in one);
