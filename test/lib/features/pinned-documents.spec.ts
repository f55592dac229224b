import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientIdDocuments, type ClientIdDocumentOptions } from 'nest-oauth2/features';
import { OAuth2Server, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { authorizeRequest, CHALLENGE } from '../../support/clients/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const CALLBACK = 'https://client.example/callback';
const documents = new TlsServer();
beforeAll(() => documents.start());
afterAll(() => documents.stop());

/** Returns a server that cannot fetch any document: the host responds with 403. */
function serverOf(options: ClientIdDocumentOptions, model: object = {}) {
  documents.replies['/client.json'] = json({}, {}, 403);
  const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
  const users = { findById: () => undefined, findByCredentials: () => undefined };
  return new OAuth2Server({
    model: Object.assign(new MemoryStore({ clients: [], users }), model),
    features: [clientIdDocuments({ scopes: ['read'], fetch, pause: 0, maxAge: 1, minAge: 0, ...options })],
  });
}

const documentAt = (url: string, members: object = {}) => ({
  client_id: url,
  client_name: 'Pinned',
  redirect_uris: [CALLBACK],
  ...members,
});

const read = (server: OAuth2Server, id: string) => {
  const parameters = {
    client_id: id,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  };
  return server.readAuthorizationRequest(authorizeRequest(parameters), new Response());
};

describe('clientIdDocuments({ pinned })', () => {
  it('uses the pinned document and sends no request to its host', async () => {
    const id = documents.url('/client.json');
    const { client } = await read(serverOf({ pinned: [documentAt(id)] }), id);
    expect(client).toMatchObject({ id, name: 'Pinned', redirectUris: [CALLBACK], clientIdHost: new URL(id).host });
    expect(documents.requests).toHaveLength(0);
  });

  it('fetches the documents that are not pinned', async () => {
    const id = documents.url('/client.json');
    const server = serverOf({ pinned: [documentAt('https://other.example/client.json')] });
    await expect(read(server, id)).rejects.toMatchObject({ name: 'invalid_client' });
    expect(documents.count('/client.json')).toBe(1);
  });

  it('pins a document at a host that may not be fetched from, such as a private address', async () => {
    const id = 'https://10.0.0.1/client.json';
    const server = serverOf({ pinned: [documentAt(id)], fetch: {} });
    expect((await read(server, id)).client).toMatchObject({ name: 'Pinned' });
  });

  it('still asks the model whether the client may be used', async () => {
    const id = documents.url('/client.json');
    const server = serverOf({ pinned: [documentAt(id)] }, { mayUseClientIdDocument: () => false });
    await expect(read(server, id)).rejects.toMatchObject({ name: 'invalid_client' });
  });

  it.each([
    ['is no list', 'none', '`pinned` of `clientIdDocuments()` must be a list of metadata documents'],
    ['contains null', [null], 'must be an object whose `client_id` is its URL'],
    ['contains a document without a URL', [documentAt('client')], 'must be an object whose `client_id` is its URL'],
    [
      'contains a document with a secret',
      [documentAt('https://client.example/a', { client_secret: 'x' })],
      'The document `https://client.example/a` in `pinned` of `clientIdDocuments()` cannot be used.',
    ],
    [
      'contains a document without redirect URIs',
      [documentAt('https://client.example/a', { redirect_uris: [] })],
      'The document `https://client.example/a` in `pinned` of `clientIdDocuments()` cannot be used.',
    ],
  ])('is a configuration error if it %s', async (_name, pinned, message) => {
    expect(() => serverOf({ pinned: pinned as never })).toThrow(message);
  });

  it('applies the option `redirects` to pinned documents', () => {
    const pinned = [documentAt('https://other.example/client.json')];
    expect(() => serverOf({ pinned, redirects: 'own' })).toThrow('is at another origin than the document');
  });
});
