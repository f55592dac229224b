import type { Request } from '../http/request.js';

/** By which URLs a server is known, and what is its own. */
export interface OwnUrls {
  /** The issuer that a request asks; undefined where the host has named none. RFC 8414 §2 */
  issuerOf(request: Request): string | undefined;
  /** Where an endpoint of an issuer is, as an absolute URL; undefined without issuer, and where the host has none. */
  urlOf(endpoint: string, issuer: string | undefined): string | undefined;
  /** The same, and wherever else features say that it is. RFC 8705 §5 */
  urlsOf(endpoint: string, issuer: string | undefined): readonly string[];
  /** Which of its resources a request is for: the longest whose path it is under, less what a proxy took off; undefined: none. */
  resourceOf(request: Request): string | undefined;
}
