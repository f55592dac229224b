import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Inject, Logger } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { getOAuth2ServerToken, OAuth2HealthIndicator, OAuth2Module, type OAuth2Server } from 'nest-oauth2';
import { Redis } from 'ioredis';
import { keys } from 'nest-oauth2/jose';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { demoModule, demoStore } from '../support/servers/demo.js';
import { readResponse, get } from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

@Controller('health')
class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(OAuth2HealthIndicator) private readonly oauth2: OAuth2HealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.oauth2.isHealthy()]);
  }

  @Get('impatient')
  @HealthCheck()
  impatient() {
    return this.health.check([() => this.oauth2.isHealthy('tokens', { timeout: 1.5 })]);
  }
}

describe('OAuth2HealthIndicator', () => {
  afterEach(stopApplications);
  afterEach(() => void jest.restoreAllMocks());

  async function start(ping?: () => unknown) {
    const model = ping ? Object.assign(demoStore(), { ping }) : demoStore();
    const demo = demoModule({ model: model as never });
    const { url } = await startApplication('express', {
      imports: [...demo.imports!, TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [OAuth2HealthIndicator],
    });
    return url;
  }

  it('is up in a check of @nestjs/terminus if the store responds', async () => {
    const url = await start();
    const up = { oauth2: { status: 'up' } };
    expect(await readResponse(get(`${url}/health`))).toMatchObject({
      status: 200,
      body: { status: 'ok', details: up },
    });
  });

  it.each([
    ['up if the server has a usable signing key', undefined, { status: 'up' }],
    [
      'down if the signing keys were encrypted with another secret',
      'sealed',
      { status: 'down', message: 'RFC 7517 does not work' },
    ],
  ])('is %s', async (_, kept, health) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const model = demoStore();
    const features = [keys({ secret: 'a secret of thirty-two characters' })];
    const { app } = await startApplication('express', {
      imports: [OAuth2Module.forRoot({ model, features, isGlobal: true })],
      providers: [OAuth2HealthIndicator],
    });
    // At the start, such keys would be refused.
    if (kept !== undefined) await model.replaceSigningKeys((await model.getSigningKeys()) ?? undefined, kept);
    expect(await app.get(OAuth2HealthIndicator).isHealthy()).toEqual({ oauth2: health });
    expect(logged).toHaveBeenCalledTimes(kept === undefined ? 0 : 1);
  });

  it('is available for a named server by its injection token', async () => {
    const model = Object.assign(demoStore(), { ping: () => Promise.reject(new Error('away')) });
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { app } = await startApplication('express', {
      imports: [
        ...demoModule().imports!,
        OAuth2Module.forRoot({ name: 'partners', paths: { prefix: 'partners' }, model }),
      ],
      providers: [
        OAuth2HealthIndicator,
        {
          provide: 'PARTNERS',
          inject: [getOAuth2ServerToken('partners')],
          useFactory: (server: OAuth2Server) => new OAuth2HealthIndicator(server),
        },
      ],
    });
    const partners = app.get<OAuth2HealthIndicator>('PARTNERS');
    expect(await partners.isHealthy('partners')).toMatchObject({ partners: { status: 'down' } });
    expect(await app.get(OAuth2HealthIndicator).isHealthy()).toEqual({ oauth2: { status: 'up' } });
  });

  it('is down if the store is unavailable, and logs the error without returning it', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const url = await start(() => Promise.reject(new Error('connect ECONNREFUSED app:hunter2@10.0.0.1')));
    const { status, body } = await readResponse(get(`${url}/health`));
    const error = { oauth2: { status: 'down', message: 'the store cannot be reached' } };
    expect([status, body]).toEqual([503, expect.objectContaining({ status: 'error', error })]);
    expect(JSON.stringify(body)).not.toContain('10.0.0.1');
    expect(logged.mock.calls.map(([message]) => message)).toEqual(['connect ECONNREFUSED app:hunter2@10.0.0.1']);
  });

  it('is down after its timeout if the store hangs, and shares one ping between concurrent checks', async () => {
    const ping = jest.fn(() => new Promise(() => undefined));
    const url = await start(ping);
    const responses = await Promise.all([1, 2, 3, 4].map(() => readResponse(get(`${url}/health/impatient`))));
    const error = { tokens: { status: 'down', message: 'the store did not respond within 1.5 s' } };
    for (const { status, body } of responses) expect([status, body]).toEqual([503, expect.objectContaining({ error })]);
    expect(ping).toHaveBeenCalledTimes(1);
  });

  it('recovers when the store responds again, even if the previous ping never completes', async () => {
    const ping = jest.fn<() => Promise<unknown>>(() => new Promise(() => undefined));
    const indicator = new OAuth2HealthIndicator({ options: { model: { ping } } } as never);
    const impatient = { timeout: 0.02 };
    expect(await indicator.isHealthy('oauth2', impatient)).toMatchObject({ oauth2: { status: 'down' } });
    ping.mockResolvedValue(true);
    expect(await indicator.isHealthy('oauth2', impatient)).toEqual({ oauth2: { status: 'up' } });
    expect(ping).toHaveBeenCalledTimes(2);
  });

  it('fails at start-up if the model has no ping()', async () => {
    const ping = undefined as never;
    const model = Object.assign(demoStore(), { ping });
    const host = { ...demoModule({ model }), providers: [OAuth2HealthIndicator] };
    await expect(startApplication('express', host)).rejects.toThrow(
      'OAuth2HealthIndicator requires the model method `ping()`',
    );
  });

  it('is down within the deadline of the built-in store if its server is unavailable', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const client = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    const users = { findByCredentials: () => null, findById: () => null };
    const model = new RedisStore({ client, users, deadline: 0.2 });
    const indicator = new OAuth2HealthIndicator({ options: { model } } as never);
    expect(await indicator.isHealthy()).toEqual({ oauth2: { status: 'down', message: 'the store cannot be reached' } });
    client.disconnect();
  });
});
