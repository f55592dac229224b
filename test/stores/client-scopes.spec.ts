import { describe, expect, it, jest } from '@jest/globals';
import { type EventSink, OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { runOperation, authorizeRequest, signedIn, tokenRequest } from '../support/clients/requests.js';
import { CALLBACK, SECRET } from '../support/models/model.js';

const users = { findByCredentials: () => undefined, findById: (id: string) => ({ id }) };
const grants = ['authorization_code', 'client_credentials'];

const serverOf = (client: Partial<StoredClient>) => {
  const web: StoredClient = { id: 'web', secret: SECRET, grants, redirectUris: [CALLBACK], ...client };
  return new OAuth2Server({ model: new MemoryStore({ clients: [web], users }) });
};

/** Returns the granted scope or the error of a token response. */
async function reported(server: OAuth2Server, parameters: object) {
  const { body } = await runOperation(server, 'token', tokenRequest({ ...parameters }));
  const { scope, error, error_description } = body;
  return { scope, error, error_description };
}

const scopes = ['read', 'write'];
const MISSING = 'Missing parameter: `scope`';
const INVALID = 'Invalid scope: Requested scope is invalid';
const granted = (scope?: string) => ({ scope });
const refused = (error_description: string) => ({ error: 'invalid_scope', error_description });

/** The properties of a client, the scope it requests, and the response: a scope or an error. */
const CASES: [string, Partial<StoredClient>, string | undefined, object][] = [
  ['gets a scope that it is registered for', { scopes }, 'write', granted('write')],
  ['gets no scope that it is not registered for', { scopes }, 'read admin', refused(INVALID)],
  ['must request a scope if it has no default', { scopes }, undefined, refused(MISSING)],
  ['gets its default scope', { scopes, defaultScope: 'read' }, undefined, granted('read')],
  ['gets its default scope, given as a list', { scopes, defaultScope: scopes }, undefined, granted('read write')],
  ['gets a token without scope if its default is empty', { scopes, defaultScope: '' }, undefined, granted()],
  ['gets the requested scope rather than its default', { scopes, defaultScope: 'read' }, 'write', granted('write')],
  ['gets no scope if it is registered for none', {}, 'read', refused(INVALID)],
  ['gets no scope if its list of scopes is empty', { scopes: [] }, 'read', refused(INVALID)],
  ['gets a token without scope if it has no scopes', {}, undefined, granted()],
];

describe('a client of a store', () => {
  it.each(CASES)(
    'gets a scope or an error by its registered scopes and its default (client credentials): %s',
    async (_, client, scope, expected) => {
      expect(await reported(serverOf(client), { grant_type: 'client_credentials', scope })).toEqual(expected);
    },
  );

  it.each(CASES)(
    'gets a scope or an error by its registered scopes and its default (authorization code): %s',
    async (_, client, scope, expected) => {
      const server = serverOf(client);
      const { redirected } = await runOperation(server, 'authorize', authorizeRequest({ scope }), signedIn);
      const { code, error, error_description } = redirected;
      const redemption = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      expect(code ? await reported(server, redemption) : { error, error_description }).toEqual(expected);
    },
  );

  it('that requests no scope and has no `defaultScope` causes a `token.refused` event with its allowed scopes', async () => {
    const emit = jest.fn<EventSink['emit']>();
    await runOperation(serverOf({ scopes }), 'token', tokenRequest({ grant_type: 'client_credentials' }), {
      events: { emit },
    });
    const reason = 'client requested no scope and has no `defaultScope`';
    expect(emit.mock.calls.slice(1)).toEqual([
      ['token.refused', expect.objectContaining({ reason, expected: scopes })],
    ]);
  });

  it('does not get a default scope that it is no longer registered for', async () => {
    const clients = {
      findById: (id: string) => ({ id, secret: SECRET, grants, scopes: ['read'], defaultScope: 'write' }),
    };
    const server = new OAuth2Server({ model: new MemoryStore({ clients, users }) });
    expect(await reported(server, { grant_type: 'client_credentials' })).toEqual(refused(INVALID));
  });
});
