import { Controller, Get, Inject, Injectable, UseGuards } from '@nestjs/common';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { afterEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { OAuth2Context, OAuth2Module, OAuth2Server, OAuthGuard } from 'nest-oauth2';
import { actingAs } from 'nest-oauth2/testing';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { bearer, get } from '../../support/clients/http.js';
import { startApplication, stopApplications } from '../../support/servers/test-application.js';

const store = demoStore();
const seen: unknown[] = [];

/** Injects the context of the request and records it. */
@Injectable()
class ContextModel {
  constructor(@Inject(OAuth2Context) private readonly context: OAuth2Context) {}

  getClient(id: string, secret: string | null) {
    return store.getClient(id, secret);
  }

  saveToken(token: never, client: never, user: never) {
    return store.saveToken(token, client, user);
  }

  getAccessToken(token: string) {
    seen.push(this.context.request?.get('authorization'), this.context.issuer);
    return store.getAccessToken(token);
  }
}

@Controller('guarded')
@UseGuards(OAuthGuard)
class GuardedController {
  @Get()
  list() {
    return [];
  }

  @MessagePattern('list')
  listed() {
    return [];
  }
}

// The first test must run before any other test of this file injects the context.
describe('OAuth2Context', () => {
  afterEach(stopApplications);

  it('costs nothing if it is not injected', async () => {
    const { app } = await startApplication('express', demoModule());
    const server = app.get(OAuth2Server, { strict: false });
    expect(server).toHaveProperty('around', undefined);
  });

  it('is available to a model that injects it, for HTTP requests and messages', async () => {
    const issuer = 'https://id.example';
    const port = await freePort();
    const imports = [OAuth2Module.forRoot({ model: ContextModel, issuer })];
    const { app, url } = await startApplication(
      'express',
      { imports, controllers: [GuardedController] },
      {
        async prepare(made) {
          made.connectMicroservice({ transport: Transport.TCP, options: { port, host: '127.0.0.1' } });
          await made.startAllMicroservices();
        },
      },
    );
    const token = await actingAs(app, { id: 'alice' }, [], { client: 'web' });
    const requested = [`Bearer ${token}`, issuer];
    seen.length = 0;
    expect((await get(`${url}/guarded`, bearer(token))).status).toBe(200);
    const client = ClientProxyFactory.create({ transport: Transport.TCP, options: { port, host: '127.0.0.1' } });
    await firstValueFrom(client.send('list', { authorization: `Bearer ${token}` }));
    await client.close();
    expect(seen).toEqual([...requested, ...requested]);
  });
});
