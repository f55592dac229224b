import type { OAuthError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Token } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';

/** An access token and the request to a protected resource that presents it. */
export interface PresentedTokenOf<Server> {
  readonly token: Token;
  /** The text of the token as sent in the request. Empty for a login session, which has no token. */
  readonly value: string;
  /** The authentication scheme of the token, such as `Bearer`. */
  readonly scheme: string;
  readonly request: Request;
  readonly response: Response;
  readonly options: Options;
  readonly server: Server;
}

/** A request to a protected resource that was rejected, and the error. */
export interface RejectedRequestOf<Server> {
  readonly error: OAuthError;
  readonly request: Request;
  readonly options: Options;
  readonly server: Server;
}
