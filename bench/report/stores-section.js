import { markdown } from './markdown.js';
import { storeGoalsTable } from './store-goals.js';
import { storesTables } from './stores.js';

/** The part of the page on stores. */
export function storesSection(results) {
  const { machine } = results;
  const load = results.load.toSorted((a, b) => a - b);
  const tables = storesTables(results).map(([title, table]) => `### ${title}\n\n${markdown(table)}\n`);
  return `## Stores

By servers on the same machine (${machine.cpus} cores, ${machine.model}, Node ${machine.node}). Its load was
between ${load.map((value) => value.toFixed(1)).join(' and ')}, so ${describe(load, machine.cpus)}

${markdown(storeGoalsTable(results))}

${tables.join('\n')}
### How the stores are measured

- Each store has a process of its own, in which all that is compared takes turns, in blocks of less than half a second; each
  server over HTTP has one too, and the load comes from another. A ratio is the median of the ratios round by round.
- **Secrets.** Token requests with \`client_credentials\` through the engine, of clients that the store keeps. A plain secret is
  compared by \`===\` with one in the program, after the same look-up of the client. A chosen secret was right once before.
- **Wrong secrets.** 64 lanes bring wrong secrets of four clients whose secrets were chosen, each anew as soon as it is
  answered. Two threads that hash for nobody, beside which the same is measured, are what that costs others on two cores
  without any queue.
- **Statements** are what TypeORM's logger sees but for BEGIN and COMMIT. Round trips are counted on the wire, by a proxy, BEGIN
  and COMMIT included.
- **The driver alone** checks a token by one prepared statement and issues two tokens and their grant in one step: one statement
  on PostgreSQL, one transaction elsewhere. It has clients in memory, and so has the store there.
- **Over HTTP.** Every server has a client with a secret in the database, unless its name says otherwise. oidc-provider runs on its
  own HTTP server, with an adapter as its documentation describes it; it keeps client secrets as they are. It has no guard: a
  token is looked up by its model, and its scope checked by hand. better-auth runs on \`node:http\` as well, and its guarded
  request asks its introspection in the same process. The floor is \`node:http\` with named statements on two tables, and no
  more checks than these requests need. Ours carries all of Nest. CPU of PostgreSQL is that of the backends of the server's
  connections.
`;
}

function describe([, most], cores) {
  const isCrowded = most > cores * 2;
  return isCrowded
    ? 'the machine was crowded by others:\nrates and milliseconds say little, and ratios round by round more.'
    : 'nearly all of it was that of the benchmark.';
}
