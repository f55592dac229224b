// Fetches the client ID metadata documents of the clients in test/src/mcp-clients/clients.json, and reports which
// differ from the copies there: `npm run mcp-clients`. Needs a network. A document that cannot be fetched is reported
// and is no failure.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const rows = JSON.parse(readFileSync(join(import.meta.dirname, '../test/src/mcp-clients/clients.json'), 'utf8'));
const TIMEOUT = 10_000;

/** Returns what differs between a copy of a document and the published one, a line for each member. */
function differences(copy, published) {
  const names = [...new Set([...Object.keys(copy), ...Object.keys(published)])].toSorted();
  return names
    .filter((name) => !isDeepStrictEqual(copy[name], published[name]))
    .map((name) => `  ${name}: ${JSON.stringify(copy[name])} is now ${JSON.stringify(published[name])}`);
}

async function fetchDocument(url) {
  const signal = AbortSignal.timeout(TIMEOUT);
  const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/** The reason why a document could not be fetched. `fetch()` hides it in the cause of its error. */
const reasonOf = (error) => error.cause?.code ?? error.message;

await Promise.all(
  rows
    .filter(({ document }) => document)
    .map(async ({ client, document, found }) => {
      try {
        const changed = differences(document, await fetchDocument(document.client_id));
        if (changed.length === 0) return console.log(`${client}: the document is as of ${found}`);
        process.exitCode = 1;
        console.error(`${client}: the document has changed since ${found}\n${changed.join('\n')}`);
      } catch (error) {
        console.log(`${client}: ${document.client_id} cannot be fetched: ${reasonOf(error)}`);
      }
    }),
);
