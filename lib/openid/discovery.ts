import { publicDocument } from '../endpoints/public-document.js';
import type { Endpoint } from '../contracts/feature.js';
import { sayServerMetadata } from '../features/server-metadata/server-metadata.js';

/** What clients of OpenID Connect find by the name of the issuer: the same as RFC 8414 says. OpenID Connect Discovery §4 */
export const discovery = (maxAge: number): Endpoint =>
  publicDocument('/.well-known/openid-configuration', {
    maxAge,
    perIssuer: true,
    say: (server, issuer) => sayServerMetadata(server, issuer!),
  });
