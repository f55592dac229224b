import { hash } from 'node:crypto';
import { once } from 'node:events';

import { Controller, Get, type INestApplication, UseGuards } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CurrentUser, type Model, OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { mutualTls } from 'nest-oauth2/features';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';

import { CN, issue, type IssuedCertificate } from '../../support/keys/certificates.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { authority, fetchWith, TLS_OPTIONS } from '../../support/clients/tls-client.js';

// RFC 8705 §3, for HTTP routes and WebSockets.

const own = issue({ subject: [[[CN, 'own']]] });
const other = issue({ subject: [[[CN, 'own']]] });

const model = {
  getAccessToken: () => ({
    accessToken: 'bound',
    accessTokenExpiresAt: new Date(Date.now() + 60_000),
    client: { id: 'c' },
    user: { id: 'alice' },
    cnf: { 'x5t#S256': hash('sha256', own.x509.raw, 'base64url') },
  }),
} as unknown as Model;

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  list(@CurrentUser('id') user: string) {
    return { user };
  }
}

@WebSocketGateway()
@UseGuards(OAuthGuard)
class NotesGateway {
  @SubscribeMessage('who')
  who(@CurrentUser('id') data: string) {
    return { event: 'who', data };
  }
}

const authorization = 'Bearer bound';

async function started(platform: (typeof PLATFORMS)[number], prepare?: (app: INestApplication) => unknown) {
  const imports = [OAuth2Module.forRoot({ model, controllers: false, features: [mutualTls()] })];
  const module = { imports, controllers: [NotesController], providers: [NotesGateway] };
  const adapter = (app: INestApplication) => app.useWebSocketAdapter(new WsAdapter(app));
  const { url } = await startApplication(platform, module, { httpsOptions: TLS_OPTIONS, prepare: prepare ?? adapter });
  return url;
}

const identity = ({ cert, key }: IssuedCertificate) => ({ cert, key, ca: authority.cert });

describe.each(PLATFORMS)('a certificate-bound token on %s', (platform) => {
  afterEach(stopApplications);

  it('is accepted only with its certificate at a route', async () => {
    const url = await started(platform);
    const call = async (certificate?: IssuedCertificate) =>
      (await fetchWith(certificate)(`${url}/notes`, { headers: { authorization } })).status;
    expect([await call(own), await call(other), await call()]).toEqual([200, 401, 401]);
  });

  it('is accepted only with its certificate when a WebSocket is opened', async () => {
    const url = (await started(platform)).replace('https', 'wss');
    const open = (certificate: IssuedCertificate) =>
      new WebSocket(url, { headers: { authorization }, ...identity(certificate) });
    const good = open(own);
    await once(good, 'open');
    const answer = once(good, 'message');
    good.send(JSON.stringify({ event: 'who' }));
    expect(JSON.parse(String((await answer)[0]))).toEqual({ event: 'who', data: 'alice' });
    const bad = open(other);
    expect(await once(bad, 'close')).toEqual([4401, expect.anything()]);
    good.terminate();
  });

  it('is accepted only with its certificate when a socket.io connection is opened', async () => {
    const url = await started(platform, (app) => app.useWebSocketAdapter(new IoAdapter(app)));
    const open = (certificate: IssuedCertificate) =>
      io(url, { transports: ['websocket'], auth: { token: 'bound' }, forceNew: true, ...identity(certificate) });
    const good = open(own);
    const answer = new Promise((resolve) => {
      good.once('who', resolve);
    });
    good.emit('who');
    expect(await answer).toBe('alice');
    const bad = open(other);
    const refusal = new Promise((resolve) => {
      bad.once('exception', resolve);
    });
    expect(await refusal).toMatchObject({ error: 'invalid_token' });
    good.disconnect();
    bad.disconnect();
  });
});
