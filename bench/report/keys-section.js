import { markdown } from './markdown.js';
import { joseTable } from './tables.js';

/** Returns the section about clients and tokens with keys. */
export function keysSection({ jose, machine }) {
  return `## Clients and tokens with keys

CPU microseconds of the process for one check or one request: median (min–max), Node ${machine.node}. \`JwtTokens\` and
plain \`jose\` verify signed access tokens alternately, with the same checks (goals: at most 0.5 times plain \`jose\` for ES256 and
RS256, 0.8 times for EdDSA). \`JwtTokens\` remembers valid signatures of the last 10,000 tokens, so that only a new token needs the verification. A client authenticates with
\`private_key_jwt\` (ES256) at the token endpoint, with and without a DPoP proof, and calls a resource with a DPoP-bound token. Each request has a new
assertion and a new proof. Both servers store everything in memory. oidc-provider runs on its own HTTP server and has no guard. This library
runs in a complete Nest application.

${markdown(joseTable(jose))}
`;
}
