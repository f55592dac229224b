import { once } from 'node:events';
import { type INestApplication, UseGuards } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { OAuthGuard, Scopes, type Token } from 'nest-oauth2';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { bearer } from '../../../support/clients/http.js';
import { startApplication } from '../../../support/servers/test-application.js';
import { firstOf, GivenAll, oauth, reported, type Start } from '../driver.js';

@WebSocketGateway()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
class NotesGateway {
  @SubscribeMessage('notes')
  @GivenAll
  notes(user: string, app: string, token: Token) {
    return { event: 'notes', data: reported(user, app, token) };
  }
}

async function start(store: Parameters<Start>[0], adapt: (app: INestApplication) => IoAdapter | WsAdapter) {
  const module = { imports: [oauth(store)], providers: [NotesGateway] };
  return startApplication('express', module, { prepare: (app) => app.useWebSocketAdapter(adapt(app)) });
}

interface Said {
  event: string;
  data: string | { error: string };
}

export const nativeWebSocket: Start = async (store) => {
  const { app, url } = await start(store, (one) => new WsAdapter(one));
  const open = (token?: string) => new WebSocket(url.replace('http', 'ws'), { headers: token ? bearer(token) : {} });

  /** Returns the first message: a response, or an exception with the close event that follows it. */
  async function listen(socket: WebSocket, staysOpen = false): Promise<string> {
    const { reported: received, tell } = firstOf<string>();
    let exception = '';
    socket.on('message', (text: Buffer) => {
      const { event, data } = JSON.parse(String(text)) as Said;
      if (typeof data === 'string') tell(data);
      else exception = `${event} \`${data.error}\``;
      if (exception && staysOpen) tell(exception);
    });
    socket.on('close', (code) => tell(`${exception}, closed with ${code}`));
    return received;
  }
  return {
    async ask(token, staysOpen) {
      const socket = open(token);
      const heard = listen(socket, staysOpen);
      await once(socket, 'open');
      socket.send(JSON.stringify({ event: 'notes' }));
      const answer = await heard;
      socket.terminate();
      return answer;
    },
    async open(token) {
      const socket = open(token);
      await once(socket, 'open');
      socket.send(JSON.stringify({ event: 'notes' }));
      await once(socket, 'message');
      return { ended: listen(socket) };
    },
    stop: () => app.close(),
  };
};

export const socketIo: Start = async (store) => {
  const { app, url } = await start(store, (one) => new IoAdapter(one));
  const open = (token?: string) =>
    io(url, { auth: token ? { token } : {}, transports: ['websocket'], reconnection: false, forceNew: true });

  async function listen(socket: Socket, staysOpen = false): Promise<string> {
    const { reported: received, tell } = firstOf<string>();
    let exception = '';
    socket.on('notes', tell);
    socket.on('exception', ({ error }: { error: string }) => {
      exception ||= `exception \`${error}\``;
      if (staysOpen) tell(exception);
    });
    socket.on('disconnect', (reason) => tell(`${exception}, ${reason}`));
    return received;
  }
  return {
    async ask(token, staysOpen) {
      const socket = open(token);
      const heard = listen(socket, staysOpen);
      socket.emit('notes');
      const answer = await heard;
      socket.disconnect();
      return answer;
    },
    async open(token) {
      const socket = open(token);
      const first = listen(socket);
      socket.emit('notes');
      await first;
      socket.off('notes');
      return { ended: listen(socket) };
    },
    stop: () => app.close(),
  };
};
