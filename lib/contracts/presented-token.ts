import type { OAuthError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Token } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';

/** A token as it was presented. */
export interface PresentedTokenOf<Server> {
  readonly token: Token;
  /** The text that was sent. */
  readonly value: string;
  /** By which scheme: `Bearer`. */
  readonly scheme: string;
  readonly request: Request;
  readonly response: Response;
  readonly options: Options;
  readonly server: Server;
}

/** A request to a protected resource that is turned away. */
export interface RejectedRequestOf<Server> {
  readonly error: OAuthError;
  readonly request: Request;
  readonly options: Options;
  readonly server: Server;
}
