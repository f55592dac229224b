import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { authorizationDetails, deviceAuthorization, findDeviceRequest, resourceIndicators } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import {
  type BackchannelRequest,
  ciba,
  decideBackchannelRequest,
  findBackchannelRequest,
  openid,
  type UserHint,
} from 'nest-oauth2/openid';
import { AccessDeniedError, OAuth2Server, Request } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { DEVICE, GRANT, openCiba as open } from '../../support/clients/ciba.js';
import { clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { CALLBACK, EC, openIdServer, SECRET } from '../../support/servers/openid-server.js';
import { basic, FORM } from '../../support/clients/requests.js';
import { CERTIFICATE, type Reply, TlsServer } from '../../support/servers/tls-server.js';

// OpenID Connect Client-Initiated Backchannel Authentication Core 1.0

const BOB = { id: 'bob' };

const clients = new TlsServer();
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
beforeAll(() => clients.start());
afterAll(() => clients.stop());
afterEach(() => {
  clients.reset();
  jest.useRealTimers();
});

const later = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);

describe('a CIBA request in poll mode', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });

  it('returns an auth_req_id, and an ID token after the user agreed on another device', async () => {
    const { begin, poll, decide, backchannelRequests, verifyIdToken, server } = await open();
    const begun = await begin({ scope: 'openid read', binding_message: 'Till 7', acr_values: 'urn:b urn:a' });
    const { auth_req_id: id } = begun.body;
    expect(begun.status).toBe(200);
    expect(begun.headers['cache-control']).toBe('no-store');
    expect(begun.body).toEqual({ auth_req_id: expect.stringMatching(/^[\da-f]{64}$/), expires_in: 300, interval: 5 });
    expect(backchannelRequests).toEqual([
      expect.objectContaining({ scope: 'openid read', bindingMessage: 'Till 7', acrValues: ['urn:b', 'urn:a'] }),
    ]);
    expect(backchannelRequests[0]).toMatchObject({
      user: { id: 'alice' },
      client: { id: 'web' },
      data: {},
      resource: [],
    });
    expect(JSON.stringify(backchannelRequests)).not.toContain(id);
    expect((await poll(id)).body).toMatchObject({ error: 'authorization_pending' });

    const authTime = new Date(1_700_000_000_000);
    expect(await decide(true, { scope: 'openid', signIn: { authTime, acr: 'urn:a', amr: ['hwk'] } })).toBe(true);
    later(5);
    const { body } = await poll(id);
    expect(body).toMatchObject({ scope: 'openid', token_type: 'Bearer', refresh_token: expect.any(String) });
    const { payload } = await verifyIdToken(body.id_token);
    expect(payload).toMatchObject({ sub: 'alice', auth_time: 1_700_000_000, acr: 'urn:a', amr: ['hwk'] });
    expect(payload).toMatchObject({
      at_hash: expect.any(String),
      'urn:openid:params:jwt:claim:auth_req_id': id,
    });
    expect(await server.options.model.getAccessToken!(body.access_token)).toMatchObject({ auth_time: 1_700_000_000 });
  });

  it('returns access_denied after the user denied access, which is final', async () => {
    const { begin, poll, decide } = await open();
    const { body } = await begin();
    expect(await decide(false)).toBe(true);
    expect(await decide(true)).toBeUndefined();
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ error: 'access_denied' });
  });

  it('expires after the lifetime of the server, or earlier if `requested_expiry` is shorter', async () => {
    const { begin, poll, decide, backchannelRequests } = await open();
    const { body } = await begin({ requested_expiry: '60' });
    expect(body).toMatchObject({ expires_in: 60 });
    expect((await begin({ requested_expiry: '3000' })).body).toMatchObject({ expires_in: 300 });
    const [first] = backchannelRequests;
    later(61);
    expect(await decideBackchannelRequest(first!, { allow: true })).toBe(false);
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ error: 'expired_token' });
    later(240);
    expect(await decide()).toBeUndefined();
  });

  it('returns slow_down for polls that are too fast, but not after the decision of the user', async () => {
    const { begin, poll, decide } = await open();
    const { body } = await begin();
    const error = async () => (await poll(body['auth_req_id'])).body['error'];
    expect([await error(), await error()]).toEqual(['authorization_pending', 'slow_down']);
    later(5);
    expect(await error()).toBe('authorization_pending');
    later(5);
    expect(await error()).toBe('slow_down');
    await decide();
    expect(await error()).toBeUndefined();
  });

  it('issues tokens once for concurrent polls, and revokes them on a later replay', async () => {
    const { begin, poll, decide, server } = await open({ interval: 1 });
    const { body } = await begin();
    await decide();
    const answers = await Promise.all([1, 2, 3].map(() => poll(body['auth_req_id'])));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(answers.filter(({ body: said }) => said['error'] === 'invalid_grant')).toHaveLength(2);
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ error: 'invalid_grant' });
    expect(await server.options.model.getAccessToken!(good[0]!.body.access_token)).toBeTruthy();
    later(20);
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ error: 'invalid_grant' });
    expect(await server.options.model.getAccessToken!(good[0]!.body.access_token)).toBeFalsy();
  });

  it('cannot be redeemed through the device grant or by its internal id', async () => {
    const { begin, poll, decide, token, backchannelRequests, server, alice } = await open({
      client: { grants: [GRANT, DEVICE] },
      more: [deviceAuthorization({ verificationUri: 'https://id.example.com/device' })],
    });
    const { auth_req_id: id } = (await begin()).body;
    await decide();
    for (const device_code of [id, `\tciba ${String(id)}`]) {
      const answer = await token({ grant_type: DEVICE, device_code });
      expect([answer.status, answer.body['error']]).toEqual([400, expect.stringMatching(/^invalid_/)]);
    }
    expect(await findDeviceRequest(server, backchannelRequests[0]!.id, { user: alice })).toBeUndefined();
    expect((await poll(backchannelRequests[0]!.id)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await poll(id)).status).toBe(200);
  });

  it('rejects its auth_req_id if another client presents it', async () => {
    const host = await openIdServer({ alg: 'ES256', from: [EC] });
    const model = new MemoryStore({
      clients: ['web', 'other'].map((id) => ({ id, secret: SECRET, grants: [GRANT], scopes: ['openid'] })),
      users: { findById: (id: string) => ({ id }), findByCredentials: () => undefined },
    });
    const findHintedUser = () => host.alice;
    let shown: BackchannelRequest | undefined;
    const askUser = (request: BackchannelRequest) => void (shown = request);
    const server = new OAuth2Server({
      model: Object.assign(model, { getClaims: () => ({}), findHintedUser, askUser }),
      issuer: 'https://id.example.com',
      features: [keys({ from: [EC] }), openid({ alg: 'ES256' }), ciba()],
    });
    const call = async (endpoint: string, as: string, body: object) => {
      const { Response } = await import('nest-oauth2/server');
      const response = new Response();
      const headers = { ...FORM, authorization: basic(as, SECRET) };
      const request = new Request({ method: 'POST', headers, query: {}, body });
      const done = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
      await done.catch(() => undefined);
      return response.body as Record<string, unknown>;
    };
    const begun = await call('backchannel_authentication', 'web', { scope: 'openid', login_hint: 'a' });
    await decideBackchannelRequest(shown!, { allow: true });
    const grant = { grant_type: GRANT, auth_req_id: begun['auth_req_id'] };
    expect(await call('token', 'other', grant)).toMatchObject({ error: 'invalid_grant' });
    expect(await call('token', 'web', grant)).toMatchObject({ id_token: expect.any(String) });
  });
});

describe('the parameters of a CIBA request', () => {
  it.each([
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['a scope without openid', { scope: 'read' }, 'invalid_scope'],
    ['a scope that the client may not request', { scope: 'openid admin' }, 'invalid_scope'],
    ['no hint', { login_hint: undefined }, 'invalid_request'],
    ['two hints', { login_hint_token: 'abc' }, 'invalid_request'],
    ['a repeated hint', { login_hint: ['alice', 'bob'] }, 'invalid_request'],
    ['a hint that is too long', { login_hint: 'a'.repeat(256) }, 'invalid_request'],
    ['a hint for an unknown user', { login_hint: 'nobody' }, 'unknown_user_id'],
    ['an invalid ID token as hint', { login_hint: undefined, id_token_hint: 'a.b.c' }, 'invalid_request'],
    ['a binding message of several lines', { binding_message: 'a\nb' }, 'invalid_binding_message'],
    ['a binding message with a right-to-left override', { binding_message: 'a\u202Eb' }, 'invalid_binding_message'],
    ['a binding message that is too long', { binding_message: 'a'.repeat(101) }, 'invalid_binding_message'],
    ['a requested expiry of 0', { requested_expiry: '0' }, 'invalid_request'],
    ['a requested expiry that is not a number', { requested_expiry: '1e3' }, 'invalid_request'],
    ['a request_uri', { request_uri: 'https://app.example/request' }, 'invalid_request'],
    ['repeated acr_values', { acr_values: ['a', 'b'] }, 'invalid_request'],
  ])('cause an error, and the user is not asked: %s', async (_, body, error) => {
    const { begin, backchannelRequests } = await open();
    const answer = await begin(body);
    expect([answer.status, answer.body['error']]).toEqual([400, error]);
    expect(backchannelRequests).toEqual([]);
  });

  it('are rejected if the id_token_hint is invalid, even if the model returns a client without id', async () => {
    const getClient = () => ({ grants: [GRANT], scopes: ['openid'] });
    const { begin, hints } = await open({ model: { getClient } });
    expect((await begin({ login_hint: undefined, id_token_hint: 'a.b.c' })).body).toMatchObject({
      error: 'invalid_request',
    });
    expect(hints).toEqual([]);
  });

  it('are rejected for a client that is not authenticated or lacks the CIBA grant', async () => {
    const { begin, backchannelRequests } = await open();
    expect((await begin({}, basic('web', 'wrong'))).body).toMatchObject({ error: 'invalid_client' });
    expect((await begin({}, basic('other', SECRET))).body).toMatchObject({ error: 'unauthorized_client' });
    const open2 = await open({ client: { secret: undefined, tokenEndpointAuthMethod: 'none' } });
    expect((await open2.begin({ client_id: 'web' }, '')).body).toMatchObject({ error: 'invalid_client' });
    expect([...backchannelRequests, ...open2.backchannelRequests]).toEqual([]);
  });

  it.each(
    clientShapes(CALLBACK).flatMap((shape) => [
      { ...shape, subjects: 'public', client: withoutSector(shape) },
      { ...shape, subjects: 'pairwise', client: { ...shape, subjectType: 'pairwise' } },
    ]),
  )(
    'can contain an ID token of this client ($shape, $subjects subjects) as hint, but no other one',
    async ({ client }) => {
      const pairwise = { salt: 'a salt of more than thirty-two characters' };
      const host = await openIdServer({
        alg: 'ES256',
        from: [EC],
        pairwise,
        client: { grants: ['authorization_code', GRANT], ...client },
        more: [ciba()],
        model: {
          findHintedUser: (hint: UserHint) => ({
            id: hint.idTokenHint!.claims['name'] === undefined ? 'alice' : 'bob',
          }),
          askUser: () => undefined,
        },
      });
      const begin = async (hint: unknown) =>
        await host.send(
          'backchannel_authentication',
          new Request({
            method: 'POST',
            headers: { ...FORM, authorization: basic('web', SECRET) },
            query: {},
            body: { scope: 'openid', id_token_hint: hint },
          }),
        );
      const mine = (await host.signIn()).id_token;
      expect((await begin(mine)).status).toBe(200);
      const { code } = (await host.authorize({ client_id: 'other', redirect_uri: 'https://other.example/cb' }))
        .parameters;
      const foreign = (await host.redeem(code, {}, 'other')).body.id_token;
      expect(foreign).toEqual(expect.any(String));
      expect((await begin(foreign)).body).toMatchObject({ error: 'invalid_request' });
      expect((await begin(mine.slice(0, -4))).body).toMatchObject({ error: 'invalid_request' });
      // The user is not asked if the model returns a different user than the ID token.
      const bob = (await host.signIn({}, BOB)).id_token;
      expect((await begin(bob)).body).toMatchObject({ error: 'unknown_user_id' });
    },
  );

  it('must contain the correct user code if the client registered this; guesses are limited', async () => {
    const { begin, backchannelRequests } = await open({
      userCode: true,
      client: { grants: [GRANT], backchannelUserCodeParameter: true },
    });
    const error = async (body: object) => (await begin(body)).body['error'];
    expect(await error({})).toBe('missing_user_code');
    for (let guess = 0; guess < 9; guess += 1) expect(await error({ user_code: `${guess}` })).toBe('invalid_user_code');
    expect(await error({ user_code: '1234' })).toBeUndefined();
    expect(backchannelRequests).toHaveLength(1);
    expect((await begin({ user_code: '1234' })).status).toBe(429);
    expect((await begin({ user_code: '1234', login_hint: 'bob' })).status).toBe(200);
  });

  it('are rejected if a user code is required and the server does not support it', async () => {
    const { begin, backchannelRequests } = await open({
      client: { grants: [GRANT], backchannelUserCodeParameter: true },
    });
    expect((await begin({ user_code: '1234' })).body).toMatchObject({ error: 'missing_user_code' });
    expect(backchannelRequests).toEqual([]);
  });

  it('cause the error that askUser() of the model throws', async () => {
    const askUser = () => Promise.reject(new AccessDeniedError('Access denied: she has no telephone'));
    const { begin } = await open({ model: { askUser } });
    expect((await begin()).body).toMatchObject({ error: 'access_denied' });
  });

  it('can contain a resource and authorization details', async () => {
    const { begin, poll, decide, backchannelRequests } = await open({
      more: [
        resourceIndicators({ resources: ['https://api.example/', 'https://b.example/'] }),
        authorizationDetails({ types: { payment: {} } }),
      ],
    });
    const details = [{ type: 'payment', amount: '5' }];
    const { body } = await begin({
      resource: 'https://api.example/',
      authorization_details: JSON.stringify(details),
    });
    expect(backchannelRequests[0]).toMatchObject({
      resource: ['https://api.example/'],
      data: { authorization_details: details },
    });
    expect(backchannelRequests[0]!.data).not.toHaveProperty('backchannel');
    await decide();
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ authorization_details: details });
  });
});

describe('the decision of a user on a CIBA request', () => {
  it('can be made only by the user that the request is for, and only once', async () => {
    const { begin, backchannelRequests, server, alice } = await open();
    await begin();
    const { id } = backchannelRequests[0]!;
    expect(await findBackchannelRequest(server, id, { user: BOB })).toBeUndefined();
    expect(await findBackchannelRequest(server, 'nothing', { user: alice })).toBeUndefined();
    const both = [1, 2].map(() => findBackchannelRequest(server, id, { user: alice }));
    const [one, two] = await Promise.all(both);
    const decisions = [
      decideBackchannelRequest(one!, { allow: true }),
      decideBackchannelRequest(two!, { allow: false }),
    ];
    expect((await Promise.all(decisions)).filter(Boolean)).toHaveLength(1);
    await expect(decideBackchannelRequest(one!, { allow: true })).rejects.toThrow('`request` must be the object that');
    expect(await findBackchannelRequest(server, id, { user: alice })).toBeUndefined();
  });

  it('cannot exceed the requested scope', async () => {
    const { begin, poll, decide } = await open();
    const { body } = await begin({ scope: 'openid' });
    expect(await decide(true, { scope: 'openid read' })).toBe(true);
    expect((await poll(body['auth_req_id'])).body).toMatchObject({ scope: 'openid' });
  });
});

describe('a CIBA request in ping mode', () => {
  const reported = { backchannelTokenDeliveryMode: 'ping' };
  const client = () => ({ grants: [GRANT], ...reported, backchannelClientNotificationEndpoint: clients.url('/told') });
  const TOKEN = 'token-of-the-client_~+/=';

  /** Collects the notifications to the client until `count` of them have arrived. */
  const hear = (count: number, reply: (nth: number) => Reply) =>
    new Promise<unknown[]>((resolve) => {
      const heard: unknown[] = [];
      clients.replies['/told'] = async (response, request) => {
        const { authorization, 'content-type': type } = request.headers;
        const body = Buffer.concat(await request.toArray()).toString();
        heard.push({ authorization, type, body: JSON.parse(body) as unknown });
        reply(heard.length)(response, request);
        if (heard.length === count) resolve(heard);
      };
    });

  it.each([true, false])('notifies the client, which then polls (the user agreed: %s)', async (allow) => {
    const { begin, poll, decide, store } = await open({ fetch, client: client() });
    const heard = hear(1, () => (response) => response.writeHead(204).end());
    const { body } = await begin({ client_notification_token: TOKEN });
    const { auth_req_id: id } = body;
    const kept = JSON.stringify(await store.getDeviceAuthorization(`\tciba ${String(id)}`));
    expect(kept).toContain('"backchannel"');
    expect(kept).not.toContain(TOKEN);
    await decide(allow);
    expect(await heard).toEqual([
      { authorization: `Bearer ${TOKEN}`, type: 'application/json', body: { auth_req_id: id } },
    ]);
    expect((await poll(id)).status).toBe(allow ? 200 : 400);
  });

  it('repeats the notification if the client responds with 503', async () => {
    const { begin, decide } = await open({ fetch, client: client() });
    const heard = hear(2, (nth) => (response) => response.writeHead(nth === 1 ? 503 : 204).end());
    await begin({ client_notification_token: TOKEN });
    expect(await decide()).toBe(true);
    expect(await heard).toHaveLength(2);
  });

  it('follows no redirect of the notification endpoint, and does not delay the user', async () => {
    const { begin, decide, poll } = await open({ fetch, client: client() });
    const heard = hear(1, () => (response) => response.writeHead(307, { location: clients.url('/x') }).end());
    const { body } = await begin({ client_notification_token: TOKEN });
    expect(await decide()).toBe(true);
    await heard;
    expect((await poll(body['auth_req_id'])).status).toBe(200);
    expect(clients.count('/x')).toBe(0);
  });

  it('sends no notification to a private address', async () => {
    const { begin, decide, poll } = await open({ client: client(), fetch: { ...fetch, allow: [] } });
    const { body } = await begin({ client_notification_token: TOKEN });
    expect(await decide()).toBe(true);
    expect((await poll(body['auth_req_id'])).status).toBe(200);
    expect(clients.requests).toEqual([]);
  });

  it.each([
    ['a missing notification token', undefined],
    ['a notification token with a space', 'a b'],
    ['a notification token that is too long', 'a'.repeat(1025)],
    ['a notification token with a line break', 'a\r\nx: y'],
  ])('rejects %s', async (_, token) => {
    const { begin, backchannelRequests } = await open({ fetch, client: client() });
    expect((await begin({ client_notification_token: token })).body).toMatchObject({ error: 'invalid_request' });
    expect(backchannelRequests).toEqual([]);
  });
});
