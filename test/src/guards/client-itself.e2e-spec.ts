import { Controller, Delete, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessToken,
  CurrentUser,
  InjectOAuth2Model,
  isClientItself,
  OAuth2Module,
  OAuthClient,
  OAuthGuard,
  Scopes,
  type Token,
  UserRequired,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { readResponse, basic, bearer, get, NO_STORE, post, refusalBody } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

// RFC 9700 §4.15

const alice = { id: 'alice', name: 'Alice' };

/** A registered client whose id equals the id of a user. */
const client = { id: 'alice', secret: 's3cret', grants: ['client_credentials', 'password'], scopes: ['sessions'] };

/** A client with an id of its own. */
const other = { ...client, id: 'web' };

@Controller()
@UseGuards(OAuthGuard)
@Scopes('sessions')
class SessionsController {
  constructor(@InjectOAuth2Model() private readonly store: MemoryStore) {}

  @Get('who')
  who(
    @CurrentUser('id', { optional: true }) id: string | undefined,
    @OAuthClient('id') app: string,
    @AccessToken() { user }: Token,
  ) {
    return { id: id ?? null, app, isClient: isClientItself(user) };
  }

  @Get('sessions')
  async list(@CurrentUser('id') userId: string) {
    return { count: (await this.store.listGrants(userId)).length };
  }

  @Delete('sessions')
  async end(@CurrentUser('id') userId: string) {
    return { ended: await this.store.revokeGrantsOf({ userId }) };
  }

  @Get('account')
  @UserRequired()
  account(@CurrentUser('name') name: string) {
    return { name };
  }
}

describe.each(PLATFORMS)('a client with the id of a user on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    const users = { findById: () => alice, findByCredentials: () => alice };
    const imports = [OAuth2Module.forRoot({ model: new MemoryStore({ clients: [client, other], users }) })];
    ({ url } = await startApplication(platform, { imports, controllers: [SessionsController] }));
  });
  afterAll(stopApplications);

  const ask = (clientId: string, form: Record<string, string>) =>
    post(`${url}/oauth/token`, { scope: 'sessions', ...form }, basic(clientId, 's3cret'));
  const tokenFor = async (clientId: string, form: Record<string, string>) =>
    bearer(((await (await ask(clientId, form)).json()) as { access_token: string }).access_token);
  const PASSWORD = { grant_type: 'password', username: 'alice', password: 'x' };
  const own = () => tokenFor('alice', { grant_type: 'client_credentials' });
  const users = () => tokenFor('web', PASSWORD);
  const bodyOf = async (path: string, headers: object) => (await readResponse(get(`${url}/${path}`, headers))).body;

  it('is not treated as that user with a client credentials token', async () => {
    expect(await bodyOf('who', await own())).toEqual({ id: null, app: 'alice', isClient: true });
    expect(await bodyOf('who', await users())).toEqual({ id: 'alice', app: 'web', isClient: false });
  });

  it('gets no token for that user, which APIs would take for its own', async () => {
    const { status, body } = await readResponse(ask('alice', PASSWORD));
    expect([status, body]).toEqual([400, expect.objectContaining({ error: 'unauthorized_client' })]);
  });

  it('can neither list nor end the user’s sessions', async () => {
    const [itself, user] = [await own(), await users()];
    expect((await get(`${url}/sessions`, itself)).status).toBe(403);
    expect((await fetch(`${url}/sessions`, { method: 'DELETE', headers: itself })).status).toBe(403);
    expect((await get(`${url}/sessions`, user)).status).toBe(200);
  });

  it('is rejected at a route that requires a user', async () => {
    expect(await bodyOf('account', await users())).toEqual({ name: 'Alice' });
    expect(await readResponse(get(`${url}/account`, await own()))).toEqual({
      status: 403,
      headers: {
        'content-type': NO_STORE['content-type'],
        'www-authenticate': 'Bearer realm="Service",error="insufficient_scope"',
        'x-accepted-oauth-scopes': 'sessions',
        'x-oauth-scopes': 'sessions',
      },
      body: refusalBody(
        403,
        'insufficient_scope',
        'Insufficient scope: a user is required, and this token belongs to the client itself: send one that a user has authorized',
      ),
    });
  });
});
