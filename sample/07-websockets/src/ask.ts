import { once } from 'node:events';
import { WebSocket } from 'ws';
import { revoke, tokenFor } from './client.js';

/** A connection with this token in the header of its handshake, and how it ends. */
function connect(token?: string) {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const socket = new WebSocket(`ws://127.0.0.1:${process.env.PORT ?? 3000}`, { headers });
  const closed = once(socket, 'close').then(([code]) => `closed with ${code as number}`);
  const next = async () => {
    const { event, data } = JSON.parse(String((await once(socket, 'message'))[0])) as {
      event: string;
      data: { error?: string };
    };
    return event === 'exception' ? `exception ${data.error}` : JSON.stringify(data);
  };
  const ask = (event: string, data?: string) => {
    const answer = next();
    socket.send(JSON.stringify({ event, data }));
    return answer;
  };
  return { opened: once(socket, 'open'), next, ask, closed };
}

const stranger = connect();
console.log('no token:            ', await stranger.next(), await stranger.closed);

const token = await tokenFor('notes:read');
const reader = connect(token);
await reader.opened;
console.log('notes, notes:read:   ', await reader.ask('notes'));
console.log('add, notes:read:     ', await reader.ask('add', 'Eat me'));
const told = reader.next();
await revoke(token);
console.log('revoked while open:  ', await told, await reader.closed);

const writer = connect(await tokenFor('notes:read notes:write'));
await writer.opened;
console.log('add, notes:write:    ', await writer.ask('add', 'Eat me'));
console.log('expired after 3 s:   ', await writer.next(), await writer.closed);
