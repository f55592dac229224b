import { markdown } from './markdown.js';
import { joseTable } from './tables.js';

/** Returns the section about clients and tokens with keys. */
export function keysSection({ jose, machine }) {
  return `## Clients and tokens with keys

CPU microseconds of the process for one check or one request: median (min–max), Node ${machine.node}. \`JwtTokens\` and
plain \`jose\` verify a signed access token alternately, with the same checks (goal: at most 1.3 times plain \`jose\`). A client authenticates with
\`private_key_jwt\` (ES256) at the token endpoint, with and without a DPoP proof, and calls a resource with a DPoP-bound token. Each request has a new
assertion and a new proof. Both servers store everything in memory. oidc-provider runs on its own HTTP server and has no guard. This library
runs in a complete Nest application.

${markdown(joseTable(jose))}
`;
}
