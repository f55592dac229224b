import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { clientIdDocuments, type ClientIdDocumentOptions } from 'nest-oauth2/features';
import { OAuth2Server, type OAuthError, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { authorizeRequest, CHALLENGE, formRequest, VERIFIER } from '../../support/clients/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const CALLBACK = 'https://app.example/callback';
const CHALLENGED = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
const documents = new TlsServer();
beforeAll(() => documents.start());
afterAll(() => documents.stop());
afterEach(() => documents.reset());

const alice = { id: 'alice' };
const users = { findById: () => alice, findByCredentials: () => undefined };
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

let count = 0;

/** Publishes a client metadata document at a new URL. */
function publish(more: object = {}, headers = {}): { id: string; path: string } {
  const path = `/${count++}`;
  const id = documents.url(path);
  documents.replies[path] = json({ client_id: id, redirect_uris: [CALLBACK], ...more }, headers);
  return { id, path };
}

const serverOf = (model: object, options: ClientIdDocumentOptions = {}) =>
  new OAuth2Server({
    model: model as never,
    features: [clientIdDocuments({ fetch, pause: 0, scopes: ['read'], ...options })],
  });

/** Returns the client of an authorization request, or the name of the error. */
async function seen(server: OAuth2Server, id: string, redirectUri = CALLBACK) {
  const request = authorizeRequest({ client_id: id, redirect_uri: redirectUri, ...CHALLENGED });
  try {
    return (await server.readAuthorizationRequest(request, new Response())).client;
  } catch (error) {
    return (error as OAuthError).name;
  }
}

describe('clientIdDocuments() and the clients of the model', () => {
  it('uses a stored client with this id, and does not fetch its document', async () => {
    const { id, path } = publish({ client_name: 'Said' });
    const client = { id, grants: ['authorization_code'], redirectUris: [CALLBACK], scopes: ['read'], name: 'Kept' };
    const store = new MemoryStore({ clients: [{ ...client, secret: 'right' }], users });
    const server = serverOf(store);
    expect(await seen(server, id)).toMatchObject({ name: 'Kept' });
    for (const secret of [undefined, 'wrong']) {
      const form = { grant_type: 'authorization_code', code: 'x', client_id: id, client_secret: secret };
      const response = new Response();
      await server.token(formRequest(form), response).catch(() => undefined);
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
    await store.disableClient(id);
    expect(await seen(server, id)).toBe('invalid_client');
    expect(documents.count(path)).toBe(0);
  });

  it('fetches a document only if mayUseClientIdDocument() of the model allows it', async () => {
    const { id, path } = publish();
    const store = Object.assign(new MemoryStore({ clients: [], users }), { mayUseClientIdDocument: () => false });
    expect(await seen(serverOf(store), id)).toBe('invalid_client');
    expect(documents.count(path)).toBe(0);
  });
});

describe('a client ID metadata document', () => {
  const store = () => new MemoryStore({ clients: [], users });

  it('is cached as its headers declare, within `minAge` and `maxAge`', async () => {
    for (const [headers, options, fetches] of [
      [{ 'cache-control': 'max-age=60' }, { minAge: 0 }, 1],
      [{ 'cache-control': 'no-store' }, { minAge: 0 }, 2],
      [{ 'cache-control': 'max-age=60', age: '60' }, { minAge: 0 }, 2],
      [{ 'cache-control': 'max-age=60' }, { minAge: 0, maxAge: 0 }, 2],
      [{ 'cache-control': 'no-store' }, {}, 1],
      [{}, { minAge: 0 }, 1],
      [{ expires: 'nonsense' }, { minAge: 0 }, 2],
    ] as const) {
      const { id, path } = publish({}, headers);
      const server = serverOf(store(), options);
      expect([await seen(server, id), await seen(server, id)]).toEqual([
        expect.objectContaining({ id, clientIdHost: new URL(id).host }),
        expect.objectContaining({ id }),
      ]);
      expect(documents.count(path)).toBe(fetches);
    }
  });

  it('stays valid while its host is unreachable, but not after its host removed it', async () => {
    const { id, path } = publish();
    const [patient, hasty] = [{}, { outage: 0 }].map((more) => serverOf(store(), { minAge: 0, maxAge: 0, ...more }));
    for (const server of [patient!, hasty!]) expect(await seen(server, id)).toMatchObject({ id });
    documents.replies[path] = (response) => response.socket?.destroy();
    expect([await seen(patient!, id), await seen(hasty!, id)]).toEqual([
      expect.objectContaining({ id }),
      'temporarily_unavailable',
    ]);
    documents.replies[path] = json({}, {}, 404);
    expect(await seen(patient!, id)).toBe('invalid_client');
    documents.replies[path] = (response) => response.socket?.destroy();
    expect(await seen(patient!, id)).toBe('temporarily_unavailable');
  });

  it.each([500, 502, 503, 429])('stays valid while its host responds with %i', async (status) => {
    const { id, path } = publish();
    const server = serverOf(store(), { minAge: 0, maxAge: 0 });
    expect(await seen(server, id)).toMatchObject({ id });
    documents.replies[path] = json({}, {}, status);
    expect(await seen(server, id)).toMatchObject({ id });
    expect(await seen(serverOf(store()), id)).toBe('temporarily_unavailable');
  });

  it('can be fetched again right after a fetch was refused for too many concurrent fetches', async () => {
    const { id } = publish();
    const slow = publish();
    let answer: (() => void) | undefined;
    const requested = new Promise<void>((resolve) => {
      documents.replies[slow.path] = (response) => {
        answer = () => void response.writeHead(404).end();
        resolve();
      };
    });
    const server = serverOf(store(), { pause: 60, fetch: { ...fetch, concurrency: 1 } });
    const first = seen(server, slow.id);
    await requested;
    expect(await seen(server, id)).toBe('temporarily_unavailable');
    answer!();
    await first;
    expect(await seen(server, id)).toMatchObject({ id });
  });

  it('is fetched while another network requests 80 documents from hosts with silent name servers', async () => {
    const { id } = publish();
    const lookup = async (name: string) =>
      name.startsWith('evil') ? new Promise<string[]>(() => undefined) : ['127.0.0.1'];
    const server = serverOf(store(), { fetch: { ...fetch, lookup, timeout: 3 } });
    const clientFrom = async (clientId: string, ip: string) => {
      const query = { client_id: clientId, redirect_uri: CALLBACK, ...CHALLENGED };
      const request = authorizeRequest(query, { native: { ip } } as object);
      try {
        return (await server.readAuthorizationRequest(request, new Response())).client;
      } catch (error) {
        return (error as OAuthError).name;
      }
    };
    const evil = Array.from({ length: 80 }, (_, number) =>
      clientFrom(`https://evil${number}.example/client`, '198.51.100.7'),
    );
    await new Promise(setImmediate);
    expect(await clientFrom(id, '198.51.100.7')).toBe('temporarily_unavailable');
    expect(await clientFrom(id, '198.51.100.8')).toMatchObject({ id });
    expect(new Set(await Promise.all(evil))).toEqual(new Set(['temporarily_unavailable']));
    expect(await clientFrom(id, '198.51.100.7')).toMatchObject({ id });
  });

  it('is not fetched again immediately if it was invalid', async () => {
    const { id, path } = publish({ client_id: 'other' });
    const server = serverOf(store(), { pause: 60 });
    expect([await seen(server, id), await seen(server, id)]).toEqual(['invalid_client', 'invalid_client']);
    expect(documents.count(path)).toBe(1);
  });

  it('is dropped from the cache if more than `size` documents are cached', async () => {
    const server = serverOf(store(), { size: 2 });
    const published = [publish(), publish(), publish()];
    for (const { id } of [...published, published[2]!, published[0]!])
      expect(await seen(server, id)).toMatchObject({ id });
    expect(published.map(({ path }) => documents.count(path))).toEqual([2, 1, 1]);
  });

  it('can be restricted to redirect URIs of its own origin and of loopback addresses', async () => {
    const server = serverOf(store(), { redirects: 'own' });
    expect(await seen(server, publish().id)).toBe('invalid_client');
    const own = documents.url('/callback');
    expect(await seen(server, publish({ redirect_uris: [own] }).id, own)).toMatchObject({ redirectUris: [own] });
    const near = 'http://127.0.0.1/callback';
    expect(await seen(server, publish({ redirect_uris: [near] }).id, near)).toMatchObject({ redirectUris: [near] });
    expect(await seen(server, publish({ redirect_uris: ['com.example.app:/a'] }).id)).toBe('invalid_client');
  });

  it('cannot set properties that only the application may set', async () => {
    const { id } = publish({
      consent: 'never',
      id: 'web',
      scopes: ['admin'],
      scope: 'read admin',
      clientIdHost: 'good.example',
    });
    const client = await seen(serverOf(store()), id);
    expect(client).toMatchObject({ id, scopes: ['read'], clientIdHost: new URL(id).host });
    expect(client).not.toHaveProperty('consent');
  });
});

describe('clientIdDocuments()', () => {
  it('issues codes and tokens to clients that getClient() of the model does not find', async () => {
    const kept: { id: string; code?: object }[] = [];
    const model = {
      getClient: async () => undefined,
      saveToken: async (token: object, client: object, user: object) => ({ ...token, client, user }),
      saveAuthorizationCode: async (code: object, { id }: { id: string }) => {
        kept.push({ id, code });
        return code;
      },
      getAuthorizationCode: async () => ({ ...kept[0]!.code, client: { id: kept[0]!.id }, user: alice }),
      revokeAuthorizationCode: async () => true,
    };
    const { id } = publish();
    const server = serverOf(model);
    const requested = authorizeRequest({ client_id: id, redirect_uri: CALLBACK, ...CHALLENGED });
    const handler = { handle: () => alice };
    const { authorizationCode } = await server.authorize(requested, new Response(), { authenticateHandler: handler });
    const form = {
      grant_type: 'authorization_code',
      code: authorizationCode,
      client_id: id,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    };
    expect(await server.token(formRequest(form), new Response())).toMatchObject({ client: { id }, scope: 'read' });
  });

  it.each([
    [{ redirects: 'all' }, /`redirects` of `clientIdDocuments\(\)` must be 'any' or 'own'\. Got 'all'/],
    [{ minAge: 10, maxAge: 1 }, /`minAge` of/],
    [{ size: 0 }, /`size` of/],
    [{ fetch: { allowed: [] } }, /unknown option `allowed` of `fetch`/],
    [{ fetch: { allow: ['example.com'] } }, /`example\.com` is neither an IP address/],
  ])('rejects invalid options at start-up: %j', (options, sentence) => {
    expect(() => serverOf(new MemoryStore({ clients: [], users }), options as never)).toThrow(sentence);
  });

  it('rejects a second feature that finds clients at start-up', () => {
    const features = [
      clientIdDocuments({ fetch }),
      { id: 'other', install: () => ({ client: { find: () => undefined } }) },
    ];
    expect(() => new OAuth2Server({ model: new MemoryStore({ clients: [], users }), features })).toThrow(
      /both find clients/,
    );
  });
});
