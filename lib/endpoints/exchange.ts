import { Parameters } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { AuthorizationCode, Client, RefreshToken } from '../model/model.js';
import type { Options } from '../options/settle.js';
import type { Authorization } from '../tokens/authorization.js';

// oxlint-disable-next-line no-explicit-any
type Kept = Readonly<Record<string, any>>;

/** A request of a client that said, and mostly proved, who it is, on its way through the features. RFC 6749 §3.2 */
export class Exchange {
  /** What a grant established, once it has: the features of the server may judge it. */
  authorization?: Authorization;
  /** The code that is redeemed, as the model found it, with what features keep there. */
  code?: AuthorizationCode & Kept;
  /** The refresh token that is used, as the model found it, with what features keep there. */
  refreshToken?: RefreshToken & Kept;
  /** More to save with the token; never sent. */
  readonly token: Record<string, unknown> = {};
  /** More to say in the answer; never saved. */
  readonly answer: Record<string, unknown> = {};
  private read: Parameters | undefined;

  constructor(
    readonly request: Request,
    readonly response: Response,
    readonly options: Options,
    /** The issuer that is asked; undefined where the host has named none. */
    readonly issuer: string | undefined,
    readonly client: Client,
    /** How the client proved itself: `client_secret_basic`, `client_secret_post`, … or `none`. RFC 7591 §2 */
    readonly proof: string,
  ) {}

  /** The parameters of its form. */
  get parameters(): Parameters {
    return (this.read ??= new Parameters(this.request));
  }
}
