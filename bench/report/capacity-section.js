import { capacityGoalsTable } from './capacity-goals.js';
import { capacityTables, whole } from './capacity-tables.js';
import { markdown } from './markdown.js';
import { describeLoad } from './stores-section.js';

/** Returns the section that the benchmark writes into the page about capacity. */
export function capacitySection({ capacity, machine, load }) {
  const { hashing, versions, connections, rounds } = capacity;
  const named = Object.values(versions);
  const tables = capacityTables(capacity).map(
    ([title, table]) => `### ${String(title)}\n\n${notes(title, capacity)}${markdown(table)}\n`,
  );
  return `## What a request costs

\`npm run bench -- --only=capacity --docs\` writes this section. A complete Nest application, the load and ${named.join(', ')} ran on one
machine (${machine.cpus} cores, ${machine.model}, Node ${machine.node}). ${describeLoad(load, machine.cpus).replaceAll('\n', ' ')}
All numbers are medians of ${rounds} rounds with ${connections} connections, except the memory, which is the largest value.

${markdown(capacityGoalsTable(capacity))}

An RSA signature takes several times as long as a P-256 signature, in Java as well as in Node, so that it limits the distance to Keycloak with RS256. The default
heap of Node grows as long as there is memory. With limits for the heap, a process stays below 150 MB and takes about a fifth more CPU time.

![CPU time of one request on each database and HTTP adapter](capacity-cpu.svg)

${tables.join('\n')}
A hash of a password takes ${whole(hashing / 1000)} ms of CPU time. It is nearly the whole cost of a login.

${method(capacity)}`;
}

/** Returns the text in front of a table. */
function notes(title, { nodeOptions }) {
  if (title === 'Requests on PostgreSQL') {
    return `The row with a limited heap has the options \`${nodeOptions.join(' ')}\` of Node.\n\n`;
  }
  return '';
}

function method({ rows, poolSize, filled, amounts, keycloak }) {
  const generator = rows.filter(({ operation }) => operation === 'guarded').map((row) => row.generator);
  const range = [Math.min(...generator), Math.max(...generator)].map((value) => value.toFixed(0)).join(' to ');
  return `### How it is measured

- Each deployment runs in its own process, with tables of its own and at most ${poolSize} connections to the database. The deployments alternate in every
  round, in a rotating order. A round has ${whole(amounts.guarded)} guarded requests, ${whole(amounts.token)} token requests, ${whole(amounts.refresh)} refreshes, ${whole(amounts.code)} code flows or ${amounts.login}
  logins. A ratio is the median of the ratios of all rounds. Before the first round, ${whole(filled)} grants with two tokens each are stored.
- **Token**: a client with a generated secret, authenticated by HTTP Basic. **Refresh**: each refresh token is used once, and is stored before the
  round. **Code flow**: an authorization request of a signed-in user with PKCE, and the token request with the code, counted as one. The client has
  \`consent: 'never'\`. **Login**: a POST of the login page, with the hash of [Users and passwords](../guides/users-and-passwords.md#hash-passwords)
  (scrypt, 16 MiB). The users are in memory. **Guarded**: 64 access tokens in turn. \`JwtTokens\` verifies the signature of each of
  them once. With a **new token** in each request, it verifies all signatures.
- The load generator is another process, with raw sockets and requests that are serialised in advance. It takes ${range} µs of CPU time for a guarded
  request. autocannon took 11 to 14 µs where it took 8 to 10 µs, with a server that does nothing.
- CPU time of the server is \`process.cpuUsage()\`, with all threads. CPU time of PostgreSQL is that of the backends of the deployment. CPU time of MariaDB and
  Redis is that of all threads, without the time of an idle server. All are read from \`/proc/PID/task/*/schedstat\`, in nanoseconds.
- Log and storage are differences of \`pg_current_wal_insert_lsn()\` and \`pg_total_relation_size()\`, of \`Innodb_os_log_written\` and \`information_schema.TABLES\`,
  and of \`used_memory\`. WAL includes a complete image of each page that changes for the first time after a checkpoint. Storage grows in pages, and includes
  dead rows until the next vacuum.
- Memory is the resident memory of a process, including the files that it shares with other processes of Node.
${keycloak ? KEYCLOAK : ''}`;
}

const KEYCLOAK = `- Keycloak runs in production mode with its default heap, a database of its own on the same PostgreSQL and 16 connections to it. It alternates with
  this library, which signs access tokens with the same algorithm. Before the first round, both respond to requests for 20 seconds or to 20,000
  token requests, because Java and Node compile code while it runs. Its CPU time is that of all its threads. It keeps no client credentials tokens in the database. A
  refresh token can be used once, as with rotation.
`;
