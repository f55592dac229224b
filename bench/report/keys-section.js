import { markdown } from './markdown.js';
import { joseTable } from './tables.js';

/** What clients and tokens with keys cost, as a part of the page. */
export function keysSection({ jose, machine }) {
  return `## Clients and tokens with keys

CPU microseconds of the process for one check or one request: median (min–max), Node ${machine.node}. A signed access token is checked by
\`JwtTokens\` and by bare \`jose\` with the same checks, in turns (goal: at most 1.3 times bare \`jose\`). A client proves itself by
\`private_key_jwt\` (ES256) at the token endpoint, with and without a DPoP proof, and calls a resource with a bound token; each request has an
assertion and a proof of its own. Both servers keep everything in memory; oidc-provider runs on its own HTTP server and has no guard,
ours carries all of Nest.

${markdown(joseTable(jose))}
`;
}
