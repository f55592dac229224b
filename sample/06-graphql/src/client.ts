import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { revoke, tokenFor } from './tokens.js';

const address = `127.0.0.1:${process.env.PORT ?? 3000}/graphql`;

/** Sends a query or mutation. Returns its data as JSON, or the code and the OAuth error of the first GraphQL error. */
async function send(query: string, token?: string): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`http://${address}`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors } = (await response.json()) as {
    data: unknown;
    errors?: { extensions: { code: string; error: string } }[];
  };
  const [error] = errors ?? [];
  return error ? `${error.extensions.code} ${error.extensions.error}` : JSON.stringify(data);
}

const reader = await tokenFor('notes:read');
const writer = await tokenFor('notes:read notes:write');
const addNote = 'mutation { addNote(text: "Eat me") }';

console.log('query, no token:        ', await send('{ notes }'));
console.log('query, notes:read:      ', await send('{ notes }', reader));
console.log('mutation, notes:read:   ', await send(addNote, reader));
console.log('mutation, notes:write:  ', await send(addNote, writer));

// The token is in the `connection_init` message, because browsers cannot set headers of a WebSocket handshake.
let reportClosed: (reason: string) => void;
const closed = new Promise<string>((resolve) => (reportClosed = resolve));
const client = createClient({
  url: `ws://${address}`,
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: `Bearer ${reader}` },
  retryAttempts: 0,
  on: {
    closed(event) {
      const { code, reason } = event as { code: number; reason: string };
      reportClosed(`closed with ${code} ${reason}`);
    },
  },
});
const notes = client.iterate({ query: 'subscription { noteAdded }' });
const next = notes.next();
// Add notes repeatedly: a note that is added before the server has registered the subscription is not delivered.
const writing = setInterval(() => void send(addNote, writer), 100);
console.log('subscription:           ', JSON.stringify((await next).value.data));
clearInterval(writing);
await revoke(reader);
console.log('token revoked:          ', await closed);
