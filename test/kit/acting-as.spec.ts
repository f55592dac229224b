import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { actingAs, TestingModel } from 'nest-oauth2/testing';

import { CorrectModel } from './correct-model.js';

const ADA = { id: 'ada', role: 'admin' };

async function present(server: OAuth2Server, token: string, scope?: string) {
  const request = new Request({ method: 'GET', query: {}, headers: { authorization: `Bearer ${token}` } });
  return server.authenticate(request, new Response(), { scope });
}

describe('actingAs()', () => {
  it('issues a token of a server that is valid for the given scopes', async () => {
    const server = new OAuth2Server({ model: new TestingModel() });
    const token = await actingAs(server, ADA, ['notes:read', 'notes:write']);
    await expect(present(server, token, 'notes:write')).resolves.toMatchObject({
      user: ADA,
      client: { id: 'testing' },
    });
    await expect(present(server, token, 'notes:delete')).rejects.toMatchObject({ name: 'insufficient_scope' });
  });

  it('issues a token of a model for an existing client', async () => {
    const model = new CorrectModel();
    const token = await actingAs(model, ADA, ['notes:read'], { client: 'tv', accessTokenLifetime: 60 });
    const found = await present(new OAuth2Server({ model }), token);
    expect(found).toMatchObject({ user: ADA, client: { id: 'tv' }, scope: 'notes:read' });
    expect(found.accessTokenExpiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('passes the scopes in the format that the server is configured for', async () => {
    const server = new OAuth2Server({ model: new CorrectModel(), scopeFormat: 'array' });
    const token = await actingAs(server, ADA, ['notes:read']);
    await expect(present(server, token)).resolves.toMatchObject({ scope: ['notes:read'] });
  });

  it('issues a token without scope', async () => {
    const server = new OAuth2Server({ model: new TestingModel() });
    await expect(present(server, await actingAs(server, ADA))).resolves.toMatchObject({ scope: undefined });
  });

  it('reports that the model does not find the token it saved', async () => {
    const model = new MemoryStore({ clients: [], users: { findByCredentials: () => null, findById: () => null } });
    await expect(actingAs(model, ADA)).rejects.toThrow(
      'the model saved the token, but the server does not accept it. Check that the model knows this user and this client.',
    );
  });
});

describe('TestingModel', () => {
  it('finds its users by password, and its clients by secret', async () => {
    const user = { id: 'u1', username: 'ada', password: 'lovelace' };
    const model = new TestingModel({ users: [user], clients: [{ id: 'app', secret: 's', grants: ['password'] }] });
    await expect(model.getUser('ada', 'lovelace')).resolves.toEqual(user);
    await expect(model.getUser('ada', 'byron')).resolves.toBeUndefined();
    await expect(model.getClient('app', 's')).resolves.toMatchObject({ id: 'app' });
    await expect(model.getClient('app', 't')).resolves.toBeUndefined();
  });
});
