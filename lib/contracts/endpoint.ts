import type { Capability } from './capability.js';
import type { EndpointDescription } from './endpoint-description.js';
import type { Handler } from './handler.js';
import type { Options } from '../options/resolve-options.js';

/** An endpoint that handles HTTP requests of a server. */
export interface EndpointOf<Server> {
  /**
   * The default path, such as `oauth/token`. The option `paths` can change it. A path that begins with `/.well-known/`
   * is at the root of the origin.
   */
  readonly path: string;
  readonly methods: readonly string[];
  /**
   * The name of the endpoint in the server metadata, such as `token_endpoint`. If omitted, the metadata does not list
   * it. RFC 8414 §2
   */
  readonly metadata?: string;
  /**
   * Which clients may call the endpoint: `all`, including public clients, or `confidential` clients only. The server
   * metadata lists the client authentication methods of the endpoint accordingly. RFC 6749 §2.1, RFC 8414 §2
   */
  readonly clients?: 'all' | 'confidential';
  /**
   * Whether each issuer has its own copy of this well-known document. If so, the path of the issuer is appended to
   * `path`. RFC 8414 §3.1
   */
  readonly perIssuer?: boolean;
  /**
   * The route path of the protected resource at the end of `path`, in a well-known document. If the application serves
   * the route elsewhere, for example below a global prefix, the document moves with it. RFC 9728 §3.1
   */
  readonly resource?: string;
  /**
   * Whether pages of other origins may call the endpoint. `true`: pages of the origins in the option `cors`. `'any'`:
   * pages of all origins, for public documents. If omitted, none. Credentials are never allowed. Do not set it for the
   * authorization endpoint. RFC 9700 §2.6
   */
  readonly cors?: boolean | 'any';
  /** The format of the request body. Default: `form`. */
  readonly content?: 'form' | 'json';
  /** Values of other features that the handler needs. If no feature provides one, the server does not start. */
  readonly uses?: readonly Capability<unknown>[];
  /** The description of the endpoint for an API description. */
  readonly description?: EndpointDescription;
  /**
   * Creates the handler of the endpoint for a server. For the authorization and token endpoints, it is also called for
   * the options of a single call.
   * @param options The options of a single call merged with those of the server. If omitted, the options of the server.
   */
  make(server: Server, options?: Options): Handler;
}
