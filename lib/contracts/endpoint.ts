import type { EndpointDescription } from './endpoint-description.js';
import type { Handler } from './handler.js';
import type { Options } from '../options/resolve-options.js';

/** A place that answers requests, made for a server. */
export interface EndpointOf<Server> {
  /** Its route, as `oauth/token`, unless the host's `paths` say otherwise. What begins with `/.well-known/` is at the root. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Its member in the metadata, if it has one: `token_endpoint`. RFC 8414 §2 */
  readonly metadata?: string;
  /**
   * Whom it serves, where the metadata say how clients authenticate: `all`, those without a secret among them, or the
   * `confidential` ones, which can prove who they are. RFC 6749 §2.1, RFC 8414 §2
   */
  readonly clients?: 'all' | 'confidential';
  /** Of a well-known document: there is one for each issuer, whose path is put behind this one. RFC 8414 §3.1 */
  readonly perIssuer?: boolean;
  /**
   * May a page of another origin call it? Those that the option `cors` lists, or `'any'`: of a public document. Never the
   * authorization endpoint; no credentials. RFC 9700 §2.6
   */
  readonly cors?: boolean | 'any';
  /** What its requests carry. Default: `form`, as everywhere in RFC 6749 */
  readonly content?: 'form' | 'json';
  /** For the description of an API. */
  readonly description?: EndpointDescription;
  /**
   * Makes the handler. The authorization and token endpoints are made for the options of a single call too.
   * @param options the options of a call, merged with those of the server. If omitted, those of the server.
   */
  make(server: Server, options?: Options): Handler;
}
