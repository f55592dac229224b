import { once } from 'node:events';
import { WebSocket } from 'ws';
import { revoke, tokenFor } from './tokens.js';

/** Opens a connection. The token, if any, is sent in the `Authorization` header of the handshake. */
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
  const send = (event: string, data?: string) => {
    const response = next();
    socket.send(JSON.stringify({ event, data }));
    return response;
  };
  return { opened: once(socket, 'open'), next, send, closed };
}

const anonymous = connect();
console.log('no token:            ', await anonymous.next(), await anonymous.closed);

const token = await tokenFor('notes:read');
const reader = connect(token);
await reader.opened;
console.log('notes, notes:read:   ', await reader.send('notes'));
console.log('add, notes:read:     ', await reader.send('add', 'Eat me'));
const message = reader.next();
await revoke(token);
console.log('revoked while open:  ', await message, await reader.closed);

const writer = connect(await tokenFor('notes:read notes:write'));
await writer.opened;
console.log('add, notes:write:    ', await writer.send('add', 'Eat me'));
console.log('expired after 3 s:   ', await writer.next(), await writer.closed);
