/** What a server answers to a client that has got tokens. */
export interface Tokens {
  access_token: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
  token_type: string;
}

export type Parameters = Record<string, string> | URLSearchParams;

/** The browser of a user: goes where it is sent, and comes back with where it is sent then. */
export type Browser = (url: URL) => Promise<URL>;

/** A client that is known to the server; public without secret. */
export interface Identity {
  id: string;
  secret?: string;
}

/** An independent client library, which knows the server by its issuer alone, and checks whatever it answers. */
export interface Judge {
  /** Code and PKCE. RFC 6749 §4.1, RFC 7636, RFC 9207 */
  signIn(browser: Browser, parameters: Parameters): Promise<Tokens>;
  /** The same, of a request that was pushed. RFC 9126 */
  signInPushed(browser: Browser, parameters: Parameters): Promise<Tokens>;
  /** RFC 6749 §4.4 */
  askForItself(parameters: Parameters): Promise<Tokens>;
  /** RFC 6749 §6 */
  refresh(refreshToken: string, parameters?: Parameters): Promise<Tokens>;
  /** RFC 7009 */
  revoke(token: string): Promise<void>;
  /** RFC 7662 */
  introspect(token: string): Promise<object & { active: boolean }>;
  /** The status of an API that is called with the token; a refusal is thrown with its challenge. RFC 6750 */
  call(url: URL, token: string): Promise<number>;
}

/** Finds the server of an issuer. RFC 8414 */
export type Discover = (issuer: string, client: Identity) => Promise<Judge>;

export const CALLBACK = 'https://app.example/callback';
