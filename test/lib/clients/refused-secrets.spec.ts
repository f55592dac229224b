import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { runOperation, basic, FORM, formRequest } from '../../support/clients/requests.js';

const client = { secret: 'web-secret', grants: ['client_credentials'], scopes: ['read'] };

describe('the event client.refused', () => {
  it.each([
    ['an unknown client', 'stranger', 'web-secret', 'no client with this `client_id` exists'],
    ['a wrong secret', 'web', 'wrong', 'client secret is wrong'],
    ['a client of another issuer', 'foreign', 'web-secret', 'client is registered at another issuer'],
  ])('reports %s, which the response does not reveal', async (_, id, secret, reason) => {
    const model = new MemoryStore({
      clients: [
        { ...client, id: 'web' },
        { ...client, id: 'foreign', issuer: 'https://other.example' },
      ],
      users: { findById: () => undefined, findByCredentials: () => undefined },
    });
    const refusals: object[] = [];
    const events = {
      emit: (name: string, payload: object) => void (name === 'client.refused' && refusals.push(payload)),
    };
    const server = new OAuth2Server({ model, events, issuer: 'https://id.example' });
    const request = formRequest(
      { grant_type: 'client_credentials', scope: 'read' },
      { headers: { ...FORM, authorization: basic(id, secret) } },
    );
    const { status, error } = await runOperation(server, 'token', request);
    expect([status, error?.message]).toEqual([401, 'Invalid client: client is invalid']);
    expect(refusals).toEqual([expect.objectContaining({ reason, remedy: expect.any(String) })]);
  });
});
