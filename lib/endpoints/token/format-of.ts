import type { ServerContext } from '../../contracts/feature.js';
import type { TokenFormat } from '../../contracts/token-format.js';

/** Returns the function that writes the text of access tokens. `undefined`: access tokens of the server are opaque. */
export function formatOf(server: ServerContext): TokenFormat | undefined {
  return server.hooks.token.format[0];
}
