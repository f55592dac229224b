/** A token response as a client receives it. */
export interface Tokens {
  access_token: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
  token_type: string;
}

export type Parameters = Record<string, string> | URLSearchParams;

/** A function that opens a URL in the user’s browser and returns the URL that it is finally redirected to. */
export type Browser = (url: URL) => Promise<URL>;

/** The credentials of a registered client. A public client has no secret. */
export interface Identity {
  id: string;
  secret?: string;
}

/** An independent client library that knows only the issuer and validates every response. */
export interface Judge {
  /** Runs the code flow with PKCE. RFC 6749 §4.1, RFC 7636, RFC 9207 */
  signIn(browser: Browser, parameters: Parameters): Promise<Tokens>;
  /** Runs the code flow with a pushed authorization request. RFC 9126 */
  signInPushed(browser: Browser, parameters: Parameters): Promise<Tokens>;
  /** Requests a token by client credentials. RFC 6749 §4.4 */
  askForItself(parameters: Parameters): Promise<Tokens>;
  /** Redeems a refresh token. RFC 6749 §6 */
  refresh(refreshToken: string, parameters?: Parameters): Promise<Tokens>;
  /** Revokes a token. RFC 7009 */
  revoke(token: string): Promise<void>;
  /** Introspects a token. RFC 7662 */
  introspect(token: string): Promise<object & { active: boolean }>;
  /** Calls an API with the token and returns the status. Throws the challenge of a rejected request. RFC 6750 */
  call(url: URL, token: string): Promise<number>;
}

/** Discovers the server of an issuer. RFC 8414 */
export type Discover = (issuer: string, client: Identity) => Promise<Judge>;

export const CALLBACK = 'https://app.example/callback';
