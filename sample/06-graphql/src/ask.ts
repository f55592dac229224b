import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { revoke, tokenFor } from './client.js';

const address = `127.0.0.1:${process.env.PORT ?? 3000}/graphql`;

/** What came of a query or mutation: its data, or the extensions of its first error. */
async function send(query: string, token?: string): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`http://${address}`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors } = (await answer.json()) as {
    data: unknown;
    errors?: { extensions: { code: string; error: string } }[];
  };
  const [refusal] = errors ?? [];
  return refusal ? `${refusal.extensions.code} ${refusal.extensions.error}` : JSON.stringify(data);
}

const reader = await tokenFor('notes:read');
const writer = await tokenFor('notes:read notes:write');
const addNote = 'mutation { addNote(text: "Eat me") }';

console.log('query, no token:        ', await send('{ notes }'));
console.log('query, notes:read:      ', await send('{ notes }', reader));
console.log('mutation, notes:read:   ', await send(addNote, reader));
console.log('mutation, notes:write:  ', await send(addNote, writer));

// The token travels in the first message of the connection, where a browser can put it too.
let tell: (how: string) => void;
const closed = new Promise<string>((resolve) => (tell = resolve));
const client = createClient({
  url: `ws://${address}`,
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: `Bearer ${reader}` },
  retryAttempts: 0,
  on: {
    closed(event) {
      const { code, reason } = event as { code: number; reason: string };
      tell(`closed with ${code} ${reason}`);
    },
  },
});
const notes = client.iterate({ query: 'subscription { noteAdded }' });
const next = notes.next();
// Until the server has heard of the subscription, nobody is told of anything.
const writing = setInterval(() => void send(addNote, writer), 100);
console.log('subscription:           ', JSON.stringify((await next).value.data));
clearInterval(writing);
await revoke(reader);
console.log('its token is revoked:   ', await closed);
