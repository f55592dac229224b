import type { ServerContext } from '../../contracts/feature.js';
import type { TokenFormat } from '../../contracts/token-format.js';

/** Who writes the access tokens of a server; undefined: nobody, they are opaque. */
export function formatOf(server: ServerContext): TokenFormat | undefined {
  return server.hooks.token.format[0];
}
