import { Controller, Get, Sse, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentUser, OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { finalize, map, NEVER, startWith } from 'rxjs';
import { bearer, get } from '../../support/http.js';
import { PLATFORMS, startHost, stopHosts } from '../../support/nest-host.js';

const alice = { id: 'alice' };
const client = { id: 'app', secret: 's', grants: ['password'] };

let letGo: () => void;

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

  @Get('who')
  who(@CurrentUser('id') user: string) {
    return { user };
  }
}

describe.each(PLATFORMS)('an event stream on %s', (platform) => {
  let url: string;
  const store = new MemoryStore({
    clients: [client],
    users: { findById: () => alice, findByCredentials: () => alice },
  });
  beforeAll(async () => {
    const imports = [OAuth2Module.forRoot({ model: store, controllers: false })];
    ({ url } = await startHost(platform, { imports, controllers: [EventsController] }));
  });
  afterAll(stopHosts);

  const issue = (accessToken: string) => {
    const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
    return store.saveToken({ accessToken, accessTokenExpiresAt, grantId: `${platform} ${accessToken}` }, client, alice);
  };

  it('ends whole when its grant is revoked, lets go of the handler, and leaves those of other grants', async () => {
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

  it('is opened again with another token only', async () => {
    await issue('three');
    expect((await get(`${url}/events`, bearer('one'))).status).toBe(401);
    expect(await (await get(`${url}/who`, bearer('three'))).json()).toEqual({ user: 'alice' });
  });
});
