import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { type Feature, formPost, pushedRequests, serverMetadata } from 'nest-oauth2/features';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { assert, asyncProperty, constantFrom, oneof, string } from '../../support/environment/fast-check.js';
import { CALLBACK, createTestModel, OTHER_CALLBACK, WEB } from '../../support/models/model.js';
import { postedForm } from '../../support/clients/posted-form.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';

function serverWith(features: Feature[], issuer?: string) {
  const { model, clients } = createTestModel();
  clients.set('web', { ...WEB, grants: ['authorization_code', 'implicit'] });
  return new OAuth2Server({ model, features, ...signedIn, ...(issuer && { issuer }) });
}

const post = (query: object = {}, issuer?: string) =>
  runOperation(
    serverWith([formPost()], issuer),
    'authorize',
    authorizeRequest({ response_mode: 'form_post', ...query }),
  );

describe('formPost()', () => {
  it('responds with a page that posts the code to the redirect URI of the client', async () => {
    const { status, headers, body, error } = await post({}, 'https://id.example');
    expect(summary(error)).toBe('no error');
    expect([status, headers['location']]).toEqual([200, undefined]);
    expect(postedForm(body)).toEqual({
      action: CALLBACK,
      fields: { code: expect.stringMatching(/^[\da-f]{64}$/), state: 'xyz', iss: 'https://id.example' },
    });
  });

  it('also posts tokens and errors', async () => {
    const { fields } = postedForm((await post({ response_type: 'token' })).body);
    expect(fields).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer', state: 'xyz' });
    const refused = await post({ scope: 'nonsense' });
    expect([refused.status, refused.error?.name]).toEqual([200, 'invalid_scope']);
    expect(postedForm(refused.body)).toMatchObject({
      action: CALLBACK,
      fields: { error: 'invalid_scope', state: 'xyz' },
    });
  });

  it('posts to the redirect URI as it is registered, including its query', async () => {
    const { body } = await post({ redirect_uri: OTHER_CALLBACK });
    expect(postedForm(body).action).toBe(OTHER_CALLBACK);
  });

  it('allows one script by its hash, and forbids caching and framing of the page', async () => {
    const { headers, body } = await post();
    const [, script] = /<script>([^<]*)<\/script>/.exec(body as unknown as string)!;
    const source = `'sha256-${createHash('sha256').update(script!).digest('base64')}'`;
    expect(headers).toEqual({
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src ${source}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it('escapes any state that the client sends', async () => {
    const hostile = oneof(
      string({ unit: constantFrom('"', "'", '<', '>', '&', ' ', '/', '=', 'a', 'script', 'onload', '&quot', '-->') }),
      string({ unit: 'grapheme-ascii' }),
    );
    await assert(
      asyncProperty(hostile, async (state) => {
        const page = (await post({ state: state || 'x' })).body as unknown as string;
        expect(postedForm(page).fields['state']).toBe(state || 'x');
        // Each page has this number of tags, so the state added none.
        expect(page.match(/<[^>]*>/g)).toHaveLength(20);
      }),
      { numRuns: 200 },
    );
  });

  it('is listed in the server metadata', async () => {
    const server = new OAuth2Server({
      model: createTestModel().model,
      issuer: 'https://id.example',
      features: [formPost(), serverMetadata()],
    });
    const response = new Response();
    await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
    expect(response.body).toMatchObject({ response_modes_supported: ['query', 'fragment', 'form_post'] });
  });

  it('can be requested by a pushed authorization request', async () => {
    const client = { id: 'web', secret: 'web-secret', grants: ['authorization_code'], redirectUris: [CALLBACK] };
    const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
    const model = new MemoryStore({ clients: [{ ...client, scopes: ['read'] }], users });
    const server = new OAuth2Server({ model, features: [formPost(), pushedRequests()], ...signedIn });
    const pushed = new Response();
    const { query } = authorizeRequest({ response_mode: 'form_post', client_secret: 'web-secret' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
    const form = new Request({ method: 'POST', headers, query: {}, body: query });
    await server.handle('pushed_authorization_request', form, pushed);
    const name = { client_id: 'web', request_uri: pushed.body.request_uri as string };
    const { body } = await runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query: name }));
    expect(postedForm(body)).toMatchObject({ action: CALLBACK, fields: { state: 'xyz' } });
  });
});

describe('a response mode of an application', () => {
  const mode = (write: () => void, exposed = false): Feature => ({
    id: 'carrier pigeon',
    install: () => ({ responseModes: { pigeon: { exposed, write } } }),
  });

  it('is rejected for tokens if its responses appear in logs', async () => {
    const server = serverWith([mode(() => undefined, true)]);
    const requested = authorizeRequest({ response_type: 'token', response_mode: 'pigeon' });
    const { error, headers } = await runOperation(server, 'authorize', requested);
    expect(summary(error)).toBe('400 invalid_request: Invalid parameter: `response_mode`');
    expect(headers['location']).toContain('#error=invalid_request');
  });

  it('causes an error in the browser, and no redirect, if it throws', async () => {
    const server = serverWith([
      mode(() => {
        throw new Error('The pigeon is lost');
      }),
    ]);
    for (const scope of ['read', 'nonsense']) {
      const { error, status, headers, body } = await runOperation(
        server,
        'authorize',
        authorizeRequest({ response_mode: 'pigeon', scope }),
      );
      expect(error?.name).toBe('server_error');
      expect([status, headers['location']]).toEqual([503, undefined]);
      expect(JSON.stringify(body)).not.toContain('pigeon');
    }
  });

  it('must not have the name of another response mode', () => {
    expect(() =>
      serverWith([{ id: 'another query', install: () => ({ responseModes: { query: { write: () => undefined } } }) }]),
    ).toThrow('the features `RFC 6749` and `another query` both add `query` to `responseModes`');
  });
});
