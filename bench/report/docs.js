import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { plot } from './plot.js';
import { goalsTable } from './goals.js';
import { markdown } from './markdown.js';
import { keysSection } from './keys-section.js';
import { storesSection } from './stores-section.js';
import { httpTable, inProcessTable, leakTable, scalingTable, startUpTable } from './tables.js';

/** Writes docs/performance.md and its plot from whole runs; the newest is shown in full. */
export function writeDocs(runs) {
  const results = runs.at(-1);
  const docs = new URL('../../docs/', import.meta.url);
  mkdirSync(docs, { recursive: true });
  writeFileSync(new URL('performance.svg', docs), plot(results.inProcess));
  writeFileSync(new URL('performance.md', docs), page(results, runs));
}

/** Writes a part of the page, of stores or of keys, and leaves the rest as it is. */
export function writeSection(part, results) {
  const path = new URL('../../docs/performance.md', import.meta.url);
  const page = readFileSync(path, 'utf8');
  const marks = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const [start, end] = marks.map((mark) => page.indexOf(mark));
  if (start < 0 || end < start) throw new Error(`${path.pathname} has no place between ${marks.join(' and ')}`);
  writeFileSync(path, page.slice(0, start) + marked(part, results) + page.slice(end + marks[1].length));
}

const sections = { stores: storesSection, keys: keysSection };
const marked = (part, results) => `<!-- ${part} -->\n\n${sections[part](results)}\n<!-- /${part} -->`;

function page(results, runs) {
  const { machine, inProcess, http, jose, scaling, leak, startup } = results;
  return `# Performance

This page is written by \`npm run bench -- --docs\`; do not edit it. The numbers are of one machine (${machine.cpus} cores,
${machine.model}, Node ${machine.node}). Compare within a table: the ratios travel between machines, the numbers do not.

## Goals

What was aimed at, and the latest ${runs.length} whole runs; a value with ✗ misses its goal. The two values of an operation in
process are those with one request in flight, and with 32.

${markdown(goalsTable(runs))}

### What stands in the way

- **Ahead of the best peer.** Nobody can be further ahead than the floor, and the rows say how far that is. It does what each
  server has to: ask the same model, await it, decode, hash, draw random bytes. For \`client_credentials\` it is itself just
  2.1 to 2.8 times as fast as the best peer, so that a library at 1.2 times the floor cannot reach 2.5; for a valid token on
  this kind of processor it is about 3.1 times, where another kind had it at 4.
- **Near the floor.** Only \`authorize\` is far from it, at almost twice its time. A profile (\`node bench/profile.js nest-oauth2
  authorize-code\`) has 30 % in the model, V8's own work and the collector of garbage, 13 % in the two main steps, 6 % in parsing
  the redirect URI, 8 % in finding eight parameters in form or query and checking their characters, 5 % in writing the answer,
  and nothing else above 4 %. Leaving out all checks of parameters would gain a tenth, the parse of the URI a seventeenth
  (both tried): what is left is the price of options, extension points and an answer by redirect for each error.
- **Flat.** \`authenticate\` looks a token up in a map, its grant in a second and its client in a third; \`token\` and \`authorize\`
  look up a client. The first column under “Size” is what one such look costs as the map outgrows the caches of the
  processor: some microseconds for the three, and nothing else grows with the size.
- **Microseconds and milliseconds** are those of the machine. Where it is shared with others, one and the same request to Nest
  alone can take three times as much CPU from one round to the next: then the rows on HTTP and on imports say little, and only
  their neighbours in the tables below are a measure.

## In process

What one operation costs on an in-memory, asynchronous model that is the same for everybody, the making of the request
and response wrappers included. Nanoseconds, median (min–max) of ${inProcess.generations * inProcess.rounds} rounds.

![Nanoseconds per operation](performance.svg)

${markdown(inProcessTable(inProcess))}

The **floor** is written by hand for this one host: every check, and nothing that makes a library: no options, no
wrappers, no extension points. It tells how much of the time is the work itself.

## Over HTTP

CPU microseconds of the server process per request, ${http.connections} connections, median (min–max) of ${http.rounds} rounds of
${http.amount.toLocaleString('en')} requests; the load comes from another process.

${markdown(httpTable(http))}

## Size

The memory store with so many clients and as many live tokens. CPU nanoseconds per operation, best of nine blocks; clients
and tokens are asked for in no order, so that none is in the caches of the processor; the first column is what that alone costs a \`Map\`.

${markdown(scalingTable(scaling))}

## Leaks

Good and refused requests in turn.

${markdown(leakTable(leak))}

## Start-up

Imports in fresh processes, milliseconds, median (min–max).

${markdown(startUpTable(startup))}

${marked('keys', results)}

${marked('stores', results)}

## Method

- Each candidate runs in a process of its own and is checked first: thirteen sentences such as “redeems a code once”.
  \`oauth2-server\` has no PKCE and is excused from that one. \`@jmondi/oauth2-server\` has no check of a resource request
  and no opaque access tokens: a bearer token is read by hand and given to its introspection, and what it would sign as
  a JWT is called by its identifier alone, which is its fastest way.
- Every server is made once. Each call makes the candidate's own request and response of the same six headers, method,
  query and body, as an adapter does. A refusal is thrown by every candidate, since a host's
  request has to be stopped; for @jmondi that is our wiring, by its own exception. Wired to answer without throwing, its
  refusal costs about as little as the floor's, and would be the fastest peer of that row.
- Candidates take turns in every round, and begin each round one place later. Three generations of processes, since
  what a compiler decides differs from start to start. A ratio is the median of the ratios round by round.
- Before a block the young generation is collected, and not the old one: a full collection throws compiled code away.
- The model keeps the very object it is given, and compares a single scope as it is: what is timed is the library. Version 5
  of the classic interface hands scopes over as arrays and pays a few tens of nanoseconds more there.
- Codes and refresh tokens are made before a block, a new one for each request, outside the measured time.

## What is not measured

Databases over a network (where a round trip is some ten times that of this machine), TLS, and other versions of Node.

## Run it

    npm run bench                               # everything, about half an hour
    npm run bench -- --only=authenticate        # or token, authorize, http, scaling, leak, startup, stores, postgres
    npm run bench -- --only=stores,postgres --docs   # the stores, and their part of this page
    npm run bench -- --only=jose --docs         # clients and tokens with keys, and their part
    npm run bench -- --brief                    # a minute: that it works, nothing about time
    npm run bench -- --docs                     # everything, and this page, with earlier runs of the same code

\`bench/\` has its own dependencies, so that the peers are none of the package's. Results are kept as JSON in
\`bench/results/\`. \`node bench/profile.js nest-oauth2 token-refresh\` says where the time of one operation goes.
`;
}
