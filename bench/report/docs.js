import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { batchingSection } from './batching-section.js';
import { capacityPlots } from './capacity-plots.js';
import { capacitySection } from './capacity-section.js';
import { goalsTable } from './goals.js';
import { markdown } from './markdown.js';
import { keysSection } from './keys-section.js';
import { plot } from './plot.js';
import { storesSection } from './stores-section.js';
import { httpTable, inProcessTable, leakTable, scalingTable, startUpTable } from './tables.js';

/** Writes docs/explanation/performance.md and its chart from complete runs. The newest run is shown in full. */
export function writeDocs(runs) {
  const results = runs.at(-1);
  mkdirSync(docs, { recursive: true });
  writeFileSync(new URL('performance.svg', docs), plot(results.inProcess));
  writeFileSync(new URL('performance.md', docs), page(results, runs));
}

const docs = new URL('../../docs/explanation/', import.meta.url);
const sections = { stores: storesSection, keys: keysSection, batching: batchingSection, capacity: capacitySection };
const pages = { capacity: 'capacity.md' };

/** Writes one section of its page, and leaves the others unchanged. */
export function writeSection(part, results) {
  const path = new URL(pages[part] ?? 'performance.md', docs);
  const before = readFileSync(path, 'utf8');
  const marks = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const [start, end] = marks.map((mark) => before.indexOf(mark));
  if (start < 0 || end < start) throw new Error(`${path.pathname} has no section between ${marks.join(' and ')}`);
  writeFileSync(path, before.slice(0, start) + marked(part, results) + before.slice(end + marks[1].length));
}

/** Writes the section and the charts of docs/explanation/capacity.md. The rest of that page is written by hand. */
export async function writeCapacity(results) {
  for (const [name, chart] of Object.entries(capacityPlots(results.capacity)))
    writeFileSync(new URL(name, docs), chart);
  writeSection('capacity', results);
  const path = new URL(pages.capacity, docs);
  const { format, resolveConfig } = await import('prettier');
  const options = await resolveConfig(path);
  writeFileSync(path, await format(readFileSync(path, 'utf8'), { ...options, parser: 'markdown' }));
}

const marked = (part, results) => `<!-- ${part} -->\n\n${sections[part](results)}\n<!-- /${part} -->`;

function page(results, runs) {
  const { machine, inProcess, http, scaling, leak, startup } = results;
  return `---
description: Shows how fast each operation is compared with other libraries, and how it was measured.
order: 50
keywords: benchmark, speed, throughput, requests per second, latency, oidc-provider, overhead, memory, how fast
---

# Performance

This page shows the speed, the size and the memory of nest-oauth2, compared with other libraries, and how each figure was measured.

## In process

The cost of one operation with the same in-memory, asynchronous model for all libraries, including the creation of the request
and response wrappers. Nanoseconds, median (min–max) of ${inProcess.generations * inProcess.rounds} rounds.

![Nanoseconds per operation](performance.svg)

${markdown(inProcessTable(inProcess))}

The **floor** is hand-written for this benchmark. It makes every check, but has no options, no wrappers and no extension
points. It shows the minimum time for the work itself.

## Over HTTP

CPU microseconds of the server process per request, ${http.connections} connections, median (min–max) of ${http.rounds} rounds of
${http.amount.toLocaleString('en')} requests. Another process generates the load.

${markdown(httpTable(http))}

## Size

The memory store with the given number of clients and the same number of valid tokens. CPU nanoseconds per operation, best of nine blocks. Clients
and tokens are requested in random order, so that they are not in the caches of the processor. The first column is the cost of one lookup in a
\`Map\` of that size.

${markdown(scalingTable(scaling))}

## Leaks

Successful and rejected requests alternate.

${markdown(leakTable(leak))}

## Start-up

Imports in new processes, milliseconds, median (min–max).

${markdown(startUpTable(startup))}

${marked('keys', results)}

${marked('stores', results)}

${marked('batching', results)}

## Method

\`npm run bench -- --docs\` writes this page. Do not edit it. All numbers were measured on one machine (${machine.cpus} cores,
${machine.model}, Node ${machine.node}). Compare numbers within a table only. Ratios are
comparable between machines, absolute numbers are not.

- Each library runs in a separate process. Thirteen tests, such as “redeems a code once”, check it first.
  \`oauth2-server\` does not support PKCE and skips that test. \`@jmondi/oauth2-server\` cannot authenticate a resource request
  and has no opaque access tokens. Our code reads its bearer token and calls its introspection. Instead of signing a JWT, it uses only the
  token's identifier, which is its fastest configuration.
- Every server is created once. Each call creates the library's own request and response from the same six headers, method,
  query and body, as an adapter does. Every library throws when it rejects a request, because an application must stop the
  request. For @jmondi, our code throws its exception. Without throwing, its rejection costs about as little as that of the
  floor, and would be the fastest peer of that row.
- The libraries alternate in every round, in a rotating order. All processes are started three times, because
  the decisions of the just-in-time compiler differ between starts. A ratio is the median of the ratios of all rounds.
- Before a block, the garbage collector collects the young generation only, because a full collection discards compiled code.
- The model stores the object that it receives, and compares a single scope as a string, so the time is that of the library. Version 5
  of the classic interface passes scopes as arrays, which costs a few tens of nanoseconds more.
- Codes and refresh tokens are created before a block, one for each request, outside the measured time.

## What is not measured

The benchmark does not cover databases over a network (where a round trip takes about ten times as long as on this machine), TLS, and other
versions of Node.

## Goals

The table lists the goals and the results of the latest ${runs.length} complete runs. A value with ✗ misses its goal. An operation in process has two values: with one request in flight, and
with 32.

${markdown(goalsTable(runs))}

### Why goals are missed

- **Speed compared with the best peer.** No library can be faster than the floor, and the rows show how fast that is. The floor
  does only what every server must do: call the same model, await it, decode, hash, generate random bytes. For
  \`client_credentials\`, the floor is only 2.1 to 2.8 times as fast as the best peer, so a library at 1.2 times the floor cannot
  reach 2.5. For a valid token, it is about 3.1 times as fast on this kind of processor, and was 4 times as fast on another.
- **Time compared with the floor.** Only \`authorize\` is much slower than the floor, at almost twice its time. Steps that were added to the
  floor one after the other, as shares of its time: 10 % for request and response objects, 14 % for two more async functions with an error
  response each, 3 % for the response type, 15 % for parsing the redirect URI, and 36 % for reading eleven parameters from form or query, with
  their other checks. The last 14 % are options, extension points and the rules for clients of other issuers. Without parsing the URI, the
  time would be about 1.8 times the floor, but an invalid URI that was registered would be accepted.
- **Time that does not depend on the size.** \`authenticate\` looks up a token in a map, its grant in a second and its client in a third map. \`token\` and
  \`authorize\` look up a client. The first column under “Size” is the cost of one lookup when the map no longer fits into the caches of the
  processor. Three lookups take some microseconds, and nothing else grows with the size.
- **Microseconds and milliseconds** depend on the machine. On a shared machine, the same request to Nest alone can take three times as much CPU
  time in the next round. In that case the goals for HTTP and imports mean little. Compare the rows in the tables below instead.

## Run it

\`\`\`sh
npm run bench                               # everything, about three quarters of an hour
npm run bench -- --only=authenticate        # or token, authorize, http, jose, scaling, leak, startup, stores, postgres
npm run bench -- --only=stores,postgres --docs   # the stores; writes their section of this page
npm run bench -- --only=jose --docs         # clients and tokens with keys; writes their section
npm run bench -- --only=batching --docs     # shared statements; writes their section
npm run bench -- --only=capacity --docs     # a complete application; writes the section of the page about capacity
npm run bench -- --brief                    # a minute: checks that the benchmark works; its times mean nothing
npm run bench -- --docs                     # everything; writes this page, with earlier runs of the same code
\`\`\`

\`bench/\` has its own dependencies, so that the compared libraries are not dependencies of the package. Results are saved as JSON in
\`bench/results/\`. \`node bench/profile.js nest-oauth2 token-refresh\` profiles one operation. \`bench/load.js\` sends load to your
own deployment and compares the results with your limits: \`bench/README.md\` shows how.
`;
}
