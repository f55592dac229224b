import type { ServerResponse } from 'node:http';
import { Controller, Get, Res, Sse, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { finalize, map, NEVER, startWith } from 'rxjs';
import { bearer, get } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const alice = { id: 'alice' };
const client = { id: 'app', secret: 's', grants: ['password'] };

let letGo: () => void;
let begun: () => void;
let finish: Promise<void>;

@Controller()
@UseGuards(OAuthGuard)
class EventsController {
  @Sse('events')
  events(@CurrentUser('id') user: string) {
    return NEVER.pipe(
      startWith(user),
      map((data) => ({ data })),
      finalize(() => letGo()),
    );
  }

  /** Responds like the MCP SDK: writes the response itself, with all headers at once. */
  @Get('own')
  own(@Res() reply: ServerResponse & { raw?: ServerResponse; hijack?(): void }) {
    reply.hijack?.();
    const response = reply.raw ?? reply;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: begun\n\n');
    response.on('close', () => letGo());
  }

  @Get('slow')
  async slow() {
    begun();
    await finish;
    return { slow: true };
  }

  @Get('who')
  who(@CurrentUser('id') user: string) {
    return { user };
  }
}

describe.each(PLATFORMS)('a server-sent event stream on %s', (platform) => {
  let url: string;
  const store = new MemoryStore({
    clients: [client],
    users: { findById: () => alice, findByCredentials: () => alice },
  });
  beforeAll(async () => {
    const imports = [OAuth2Module.forRoot({ model: store, controllers: false })];
    ({ url } = await startApplication(platform, { imports, controllers: [EventsController] }));
  });
  afterAll(stopApplications);

  const issue = (accessToken: string) => {
    const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
    return store.saveToken({ accessToken, accessTokenExpiresAt, grantId: `${platform} ${accessToken}` }, client, alice);
  };

  it('is closed when its grant is revoked, which stops the handler but no streams of other grants', async () => {
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    await issue('one');
    await issue('two');
    const other = await get(`${url}/events`, bearer('two'));
    const stream = await get(`${url}/events`, bearer('one'));
    await store.revokeGrant(`${platform} one`);
    expect(await stream.text()).toContain('data: alice');
    await gone;
    const reader = other.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
  });

  it('is closed when its token is revoked, even if the handler writes the response itself', async () => {
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    await issue('own');
    const accept = 'application/json, text/event-stream';
    const stream = await get(`${url}/own`, { ...bearer('own'), accept });
    await store.revokeGrant(`${platform} own`);
    expect(await stream.text()).toBe('data: begun\n\n');
    await gone;
  });

  it('is not confused with an ordinary slow response, which completes after a revocation', async () => {
    let end = () => undefined as void;
    finish = new Promise((resolve) => (end = resolve));
    const started = new Promise<void>((resolve) => (begun = resolve));
    await issue('slow');
    const response = get(`${url}/slow`, { ...bearer('slow'), accept: 'application/json, text/event-stream' });
    await started;
    await store.revokeGrant(`${platform} slow`);
    end();
    expect(await (await response).json()).toEqual({ slow: true });
  });

  it('requires another token once its grant is revoked', async () => {
    await issue('three');
    expect((await get(`${url}/events`, bearer('one'))).status).toBe(401);
    expect(await (await get(`${url}/who`, bearer('three'))).json()).toEqual({ user: 'alice' });
  });
});
