import { markdown } from './markdown.js';
import { storeGoalsTable } from './store-goals.js';
import { storesTables } from './stores.js';

/** Returns the section about stores. */
export function storesSection(results) {
  const { machine, load } = results;
  const tables = storesTables(results).map(([title, table]) => `### ${String(title)}\n\n${markdown(table)}\n`);
  return `## Stores

Databases and servers ran on the same machine (${machine.cpus} cores, ${machine.model}, Node ${machine.node}). ${describeLoad(load, machine.cpus)}

${markdown(storeGoalsTable(results))}

${tables.join('\n')}
### How the stores are measured

- Each store runs in a separate process. The compared variants alternate in blocks of less than half a second. Each server over HTTP also runs
  in a separate process, and another process generates the load. A ratio is the median of the ratios of all rounds.
- **Secrets.** Token requests with \`client_credentials\` through the engine, for clients in the store. A plain secret is
  compared with \`===\` in the program, after the same lookup of the client. A chosen secret is already in the cache of correct secrets.
- **Wrong secrets.** 64 concurrent senders use wrong secrets for four clients with chosen secrets. Each sends the next request as soon as it has a
  response. For comparison, two threads compute hashes without any request. They show the effect of the hashing on two cores without a queue.
- **Statements** are counted by TypeORM's logger, without BEGIN and COMMIT. Round trips are counted by a proxy, including BEGIN and COMMIT.
- **The driver alone** checks a token with one prepared statement, and issues two tokens and their grant in one step: one statement
  on PostgreSQL, one transaction on other databases. In this comparison, the driver and the store both have the clients in memory.
- **Over HTTP.** Every server has a client with a secret in the database, unless its name states otherwise. oidc-provider runs on its
  own HTTP server, with an adapter as in its documentation, and stores client secrets as plain text. It has no guard: its model looks up
  the token, and our code checks the scope. better-auth also runs on \`node:http\`, and its guarded
  request calls its introspection in the same process. The floor is \`node:http\` with named statements on two tables, and only the
  checks that these requests need. This library runs in a complete Nest application. CPU of PostgreSQL is the CPU time of the backends of the
  server's connections.
`;
}

/** Returns a sentence about the load average of the machine before the run and after it. */
export function describeLoad([before, after], cores) {
  const reason =
    before > cores
      ? 'so other programs used the machine:\nrates and milliseconds mean little, and the ratios of all rounds more.'
      : 'and the benchmark caused nearly all of it.';
  return `Its load average was ${before.toFixed(1)} before the run and ${after.toFixed(1)} after it, ${reason}`;
}
