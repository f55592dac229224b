import { describe, expect, it } from '@jest/globals';
import {
  OAuth2Server,
  type OAuth2ServerOptions,
  Request,
  Response,
  type Token,
  type Unsaved,
} from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { withoutWarnings } from '../../support/environment/quiet.js';

const alice = { id: 'alice' };

function createServer(options: Partial<OAuth2ServerOptions> = {}) {
  const clients = [{ id: 'web', secret: 's3cret', grants: ['password', 'refresh_token'], scopes: ['read', 'write'] }];
  const model = new MemoryStore({ clients, users: { findByCredentials: () => alice, findById: () => alice } });
  return new OAuth2Server({ model, ...options });
}

async function ask(server: OAuth2Server, parameters: object) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = { client_id: 'web', client_secret: 's3cret', ...parameters };
  const response = new Response();
  await server.token(new Request({ method: 'POST', headers, query: {}, body }), response).catch(() => undefined);
  return response.body as Record<string, string>;
}

const first = (server: OAuth2Server) =>
  ask(server, { grant_type: 'password', username: 'alice', password: 'any', scope: 'read write' });
const refresh = (server: OAuth2Server, refresh_token: string | undefined, more: object = {}) =>
  ask(server, { grant_type: 'refresh_token', refresh_token, ...more });
const REFUSED = { error: 'invalid_grant', error_description: 'Invalid grant: refresh token is invalid' };

withoutWarnings();

describe('refresh token grant with a model that stores token families', () => {
  it('issues the full scope again after a refresh for a narrower scope', async () => {
    const server = createServer();
    const { refresh_token } = await first(server);
    const less = await refresh(server, refresh_token, { scope: 'read' });
    expect(less['scope']).toBe('read');
    expect((await refresh(server, less['refresh_token']))['scope']).toBe('read write');
  });

  it('revokes the token family when a used refresh token is replayed, and emits events', async () => {
    const events: unknown[] = [];
    const server = createServer({ events: { emit: (...event) => events.push(event) } });
    const { refresh_token } = await first(server);
    const next = await refresh(server, refresh_token);
    expect(await refresh(server, refresh_token)).toEqual(REFUSED);
    expect(await refresh(server, next['refresh_token'])).toEqual(REFUSED);
    const facts = {
      at: expect.any(Date),
      endpoint: 'token',
      clientId: 'web',
      userId: 'alice',
      grantId: expect.any(String),
    };
    expect(events).toContainEqual(['token.reuse_detected', { ...facts, kind: 'refresh token' }]);
    expect(events).toContainEqual(['grant.ended', { ...facts, reason: 'reuse' }]);
  });

  it('rejects a replayed refresh token with the usual error although an event listener throws', async () => {
    const events = {
      emit: () => {
        throw new Error('the listener is broken');
      },
    };
    const server = createServer({ events });
    const { refresh_token } = await first(server);
    await refresh(server, refresh_token);
    expect(await refresh(server, refresh_token)).toEqual(REFUSED);
  });

  it('returns the same tokens again to a retry within `refreshTokenReuseInterval`', async () => {
    const server = createServer({ refreshTokenReuseInterval: 60 });
    const { refresh_token } = await first(server);
    const lost = await refresh(server, refresh_token);
    const { expires_in: _, ...again } = await refresh(server, refresh_token);
    expect(lost).toMatchObject(again);
    expect(await refresh(server, again['refresh_token'])).toHaveProperty('access_token');
  });

  it('returns the same tokens to concurrent requests within `refreshTokenReuseInterval`', async () => {
    const server = createServer({ refreshTokenReuseInterval: 60 });
    const { refresh_token } = await first(server);
    const answers = await Promise.all([1, 2, 3].map(() => refresh(server, refresh_token)));
    expect(new Set(answers.map((answer) => answer['access_token'])).size).toBe(1);
    expect(answers[0]).toHaveProperty('access_token');
  });

  it('treats a retry as a replay once the rotated refresh token has been used', async () => {
    const server = createServer({ refreshTokenReuseInterval: 60 });
    const { refresh_token } = await first(server);
    const next = await refresh(server, refresh_token);
    const after = await refresh(server, next['refresh_token']);
    expect(await refresh(server, refresh_token)).toEqual(REFUSED);
    expect(await refresh(server, after['refresh_token'])).toEqual(REFUSED);
  });

  it('rejects a retry for another scope without revoking the token family', async () => {
    const server = createServer({ refreshTokenReuseInterval: 60 });
    const { refresh_token } = await first(server);
    const next = await refresh(server, refresh_token, { scope: 'read' });
    expect(await refresh(server, refresh_token, { scope: 'write' })).toMatchObject({ error: 'invalid_scope' });
    expect(await refresh(server, refresh_token, { scope: 'read' })).toMatchObject({ scope: 'read' });
    expect(await refresh(server, next['refresh_token'])).toHaveProperty('access_token');
  });
});

describe('refresh token grant with a model that stores no token families', () => {
  it('rejects each second use of a refresh token, even within `refreshTokenReuseInterval`', async () => {
    const used = new Set<string>();
    const client = { id: 'web', grants: ['refresh_token'] };
    const model = {
      getClient: () => client,
      getRefreshToken: (refreshToken: string) => ({ refreshToken, client, user: alice }),
      revokeToken: ({ refreshToken }: { refreshToken: string }) =>
        !used.has(refreshToken) && Boolean(used.add(refreshToken)),
      saveToken: (token: Unsaved<Token>) => ({ ...token, client, user: alice }),
    };
    const server = createServer({ model, refreshTokenReuseInterval: 60 });
    expect(await refresh(server, 'classic')).toHaveProperty('access_token');
    expect(await refresh(server, 'classic')).toEqual(REFUSED);
  });
});
