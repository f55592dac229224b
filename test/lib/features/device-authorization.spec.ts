import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  decideDeviceRequest,
  deviceAuthorization,
  type DeviceRequest,
  type Feature,
  findDeviceRequest,
  pushedRequests,
  resourceIndicators,
} from 'nest-oauth2/features';
import { OAuth2Server, OAuthError, type Request, Response, TemporarilyUnavailableError } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { callEndpoint } from '../../support/call-endpoint.js';
import { basic, FORM, formRequest } from '../../support/requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const PAGE = 'https://id.example/device';
const NOTES = 'https://api.example/notes';

const device = {
  scopes: ['read', 'write'],
  grants: [GRANT, 'refresh_token', 'authorization_code'],
  redirectUris: ['https://a.example/cb'],
};
const CLIENTS = [
  { ...device, id: 'tv', tokenEndpointAuthMethod: 'none', defaultScope: 'read' },
  { ...device, id: 'radio', tokenEndpointAuthMethod: 'none' },
  { ...device, id: 'box', secret: 'box-secret' },
  { ...device, id: 'other', tokenEndpointAuthMethod: 'none', grants: ['authorization_code'] },
];
const ALICE = { id: 'alice' };
const BOB = { id: 'bob' };

const storeOf = () =>
  new MemoryStore({
    clients: CLIENTS,
    users: { findById: (id) => [ALICE, BOB].find((user) => user.id === id), findByCredentials: () => ALICE },
  });

const serverOf = (model: MemoryStore, features: Feature[] = [], more: object = {}) =>
  new OAuth2Server({
    model,
    issuer: 'https://id.example',
    features: [deviceAuthorization({ verificationUri: PAGE }), ...features],
    ...more,
  });

type Form = Record<string, string | string[] | undefined>;

const from = (id: string, form: Form): Request =>
  id === 'box'
    ? formRequest(form, { headers: { ...FORM, authorization: basic(id, 'box-secret') } })
    : formRequest({ client_id: id, ...form });

async function token(server: OAuth2Server, request: Request): Promise<Record<string, unknown>> {
  const response = new Response();
  try {
    await server.token(request, response);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
  }
  return { ...(response.body as object), status: response.status };
}

interface Begun {
  device_code: string;
  user_code: string;
  [member: string]: unknown;
}

const begin = async (server: OAuth2Server, id = 'tv', form: Form = { scope: 'read write' }) =>
  (await callEndpoint(server, 'device_authorization', from(id, form))).body as unknown as Begun;

const poll = (server: OAuth2Server, { device_code }: Begun, id = 'tv') =>
  token(server, from(id, { grant_type: GRANT, device_code }));

const find = (server: OAuth2Server, { user_code }: Begun, user = ALICE) =>
  findDeviceRequest(server, user_code, { user });

async function decide(server: OAuth2Server, begun: Begun, allow = true, scope?: string): Promise<boolean> {
  const request = (await find(server, begun)) as DeviceRequest;
  return decideDeviceRequest(request, { allow, ...(scope !== undefined && { scope }) });
}

describe('device authorization', () => {
  let store: MemoryStore;
  let server: OAuth2Server;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    store = storeOf();
    server = serverOf(store);
  });
  afterEach(() => void jest.useRealTimers());

  /** The time that a device waits. */
  const wait = (seconds = 5) => jest.advanceTimersByTime(seconds * 1000);

  it('gives a device two codes, and says where to enter one and how often to bring the other', async () => {
    const { status, headers, body } = await callEndpoint(server, 'device_authorization', from('tv', { scope: 'read' }));
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const code: unknown = expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\da-f]{64}$/),
      user_code: code,
      verification_uri: PAGE,
      verification_uri_complete: `${PAGE}?user_code=${String(body['user_code'])}`,
      expires_in: 900,
      interval: 5,
    });
  });

  it('gives tokens once the user has agreed, and a refresh token that is good', async () => {
    const begun = await begin(server);
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect(await decide(server, begun)).toBe(true);
    wait();
    const tokens = await poll(server, begun);
    expect(tokens).toMatchObject({ status: 200, scope: 'read write', refresh_token: expect.any(String) });
    const again = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) };
    expect(await token(server, from('tv', again))).toMatchObject({ status: 200, scope: 'read write' });
    expect((await store.listApplications('alice')).map(({ clientId }) => clientId)).toEqual(['tv']);
  });

  it.each(['%', '%-lower', '% spaced', '%_bare'])('takes a code as people type it: %s', async (how) => {
    const begun = await begin(server);
    const bare = begun.user_code.replace('-', '');
    const typed = {
      '%': begun.user_code,
      '%-lower': begun.user_code.toLowerCase(),
      '% spaced': ` ${bare.slice(0, 4)} ${bare.slice(4)} `,
      '%_bare': bare,
    }[how]!;
    expect(await findDeviceRequest(server, typed, { user: ALICE })).toMatchObject({
      userCode: begun.user_code,
      client: { id: 'tv' },
      scope: 'read write',
      resource: [],
    });
  });

  it('grants what the user agreed to, and never more', async () => {
    const begun = await begin(server);
    await decide(server, begun, true, 'write admin');
    expect(await poll(server, begun)).toMatchObject({ status: 200, scope: 'write' });
    const unnamed = await begin(server, 'tv', {});
    expect(await find(server, unnamed)).toMatchObject({ scope: 'read' });
    await decide(server, unnamed);
    expect(await poll(server, unnamed)).toMatchObject({ scope: 'read' });
  });

  it('says that the user said no, as often as it is asked', async () => {
    const begun = await begin(server);
    expect(await decide(server, begun, false)).toBe(true);
    for (let time = 0; time < 2; time += 1) {
      expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'access_denied' });
      wait();
    }
    expect(await find(server, begun)).toBeUndefined();
  });

  it('counts the first of two decisions, whoever makes them', async () => {
    const begun = await begin(server);
    const [alice, bob] = [(await find(server, begun))!, (await find(server, begun, BOB))!];
    expect(await decideDeviceRequest(alice, { allow: false })).toBe(true);
    expect(await decideDeviceRequest(bob, { allow: true })).toBe(false);
    expect(await poll(server, begun)).toMatchObject({ error: 'access_denied' });
    await expect(decideDeviceRequest(alice, { allow: true })).rejects.toThrow(/the very object/);
    await expect(decideDeviceRequest({ ...bob }, { allow: true })).rejects.toThrow(/the very object/);
    const raced = await begin(server);
    const shown = await Promise.all(Array.from({ length: 10 }, () => find(server, raced)));
    const answers = await Promise.all(shown.map((one) => decideDeviceRequest(one!, { allow: true })));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('shows nobody a code that was decided, and nobody one of another issuer', async () => {
    const begun = await begin(server);
    const away = serverOf(store, [], { issuer: 'https://other.example' });
    expect(await find(away, begun)).toBeUndefined();
    expect(await poll(away, begun)).toMatchObject({ error: 'invalid_grant' });
    await decide(server, begun);
    expect(await find(server, begun, BOB)).toBeUndefined();
  });

  it('slows a device down that asks too often, more each time, and forgets no poll', async () => {
    const begun = await begin(server);
    await poll(server, begun);
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'slow_down' });
    wait();
    expect(await poll(server, begun)).toMatchObject({ error: 'authorization_pending' });
    wait();
    expect(await poll(server, begun)).toMatchObject({ error: 'slow_down' });
    await decide(server, begun);
    wait(5);
    expect(await poll(server, begun)).toMatchObject({ status: 200 });
  });

  it('answers at once when the user has decided, however early the device asks again', async () => {
    const [agreed, denied] = [await begin(server), await begin(server)];
    for (const begun of [agreed, denied])
      expect(await poll(server, begun)).toMatchObject({ error: 'authorization_pending' });
    await decide(server, agreed);
    await decideDeviceRequest((await find(server, denied))!, { allow: false });
    expect(await poll(server, agreed)).toMatchObject({ status: 200 });
    expect(await poll(server, denied)).toMatchObject({ error: 'access_denied' });
  });

  it('gives tokens once, however many polls come at once, and keeps them alive', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(server, begun)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(19);
    expect(await store.getAccessToken(String(won[0]!['access_token']))).toBeTruthy();
  });

  it('says of a device code that is spent that it is good no more, and takes nobody in a hurry for a thief', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const { access_token } = await poll(server, begun);
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeTruthy();
  });

  it('takes a device code that comes again later for a stolen one', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const { access_token } = await poll(server, begun);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(await poll(server, begun)).toMatchObject({ error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeUndefined();
  });

  it('says that it was too late, to the device and to the user', async () => {
    const begun = await begin(server);
    const shown = (await find(server, begun))!;
    wait(901);
    expect(await decideDeviceRequest(shown, { allow: true })).toBe(false);
    expect(await find(server, begun)).toBeUndefined();
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'expired_token' });
  });

  it.each([
    ['no device code', 'tv', () => ({ device_code: undefined }), 'invalid_request'],
    ['a code that nobody knows', 'tv', () => ({ device_code: 'x' }), 'invalid_grant'],
    ['the user code in its place', 'tv', ({ user_code }: Begun) => ({ device_code: user_code }), 'invalid_grant'],
    ['the code of another client', 'radio', () => ({}), 'invalid_grant'],
    ['a client that may not', 'other', () => ({}), 'unauthorized_client'],
    [
      'a device code as an authorization code',
      'tv',
      ({ device_code }: Begun) => ({
        grant_type: 'authorization_code',
        code: device_code,
        redirect_uri: 'https://a.example/cb',
      }),
      'invalid_grant',
    ],
    [
      'a device code as a refresh token',
      'tv',
      ({ device_code }: Begun) => ({ grant_type: 'refresh_token', refresh_token: device_code }),
      'invalid_grant',
    ],
  ])('refuses %s, and goes on', async (_, id, form, error) => {
    const begun = await begin(server);
    await decide(server, begun);
    const asked = { grant_type: GRANT, device_code: begun.device_code, ...form(begun) };
    expect(await token(server, from(id, asked))).toMatchObject({ status: 400, error });
    expect(await poll(server, begun)).toMatchObject({ status: 200 });
  });

  it('takes no authorization code for a device code', async () => {
    const code = { authorizationCode: 'a-code', expiresAt: new Date(Date.now() + 60_000), scope: 'read' };
    const client = CLIENTS[0]!;
    await store.saveAuthorizationCode({ ...code, redirectUri: 'https://a.example/cb' }, client, ALICE);
    expect(await token(server, from('tv', { grant_type: GRANT, device_code: 'a-code' }))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it.each([
    ['a client that may not use the grant', 'other', {}, 400, 'unauthorized_client'],
    ['a client that nobody knows', 'nobody', {}, 401, 'invalid_client'],
    ['scope that the client may not have', 'tv', { scope: 'admin' }, 400, 'invalid_scope'],
    ['two scopes', 'tv', { scope: ['read', 'write'] }, 400, 'invalid_request'],
  ])('gives no codes for %s', async (_, id, form, status, error) => {
    const answer = await callEndpoint(server, 'device_authorization', from(id, form));
    expect(answer).toMatchObject({ status, body: { error } });
  });

  it('demands the secret of a client that has one', async () => {
    const begun = await begin(server, 'box');
    const answer = await callEndpoint(server, 'device_authorization', formRequest({ client_id: 'box' }));
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
    await decide(server, begun);
    const bare = formRequest({ client_id: 'box', grant_type: GRANT, device_code: begun.device_code });
    expect(await token(server, bare)).toMatchObject({ status: 401, error: 'invalid_client' });
    expect(await poll(server, begun, 'box')).toMatchObject({ status: 200 });
  });

  it('binds the tokens to the resource that the device names, and needs no push', async () => {
    const one = serverOf(store, [resourceIndicators({ resources: [NOTES] }), pushedRequests({ required: true })]);
    const begun = await begin(one, 'tv', { scope: 'read', resource: NOTES });
    expect(await find(one, begun)).toMatchObject({ resource: [NOTES] });
    await decide(one, begun);
    const tokens = await poll(one, begun);
    expect(await store.getAccessToken(String(tokens['access_token']))).toMatchObject({ resource: [NOTES] });
    const unknown = await callEndpoint(
      one,
      'device_authorization',
      from('tv', { resource: 'https://unknown.example/' }),
    );
    expect(unknown.body['error']).toBe('invalid_target');
  });

  it('ends with the grant of the user, before and after the tokens', async () => {
    const [early, late] = [await begin(server), await begin(server)];
    await decide(server, early);
    await decide(server, late);
    const { access_token } = await poll(server, late);
    await store.revokeGrantsOf({ userId: 'alice', clientId: 'tv' });
    expect(await poll(server, early)).toMatchObject({ error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeUndefined();
  });

  it('lets nobody guess user codes: one user, one address, and all together', async () => {
    const begun = await begin(server);
    const guess = (id: string, address?: string) =>
      findDeviceRequest(server, 'BBBB-BBBB', { user: { id }, address }).then(
        (found) => String(found),
        (error: unknown) => error,
      );
    const refused = (answers: unknown[]) => answers.filter((one) => one instanceof TemporarilyUnavailableError);
    const many = await Promise.all(Array.from({ length: 50 }, () => guess('mallory')));
    expect(refused(many)).toHaveLength(30);
    expect(many.find((one) => one instanceof OAuthError)).toMatchObject({ status: 429, retryAfter: 300 });
    const net = await Promise.all(Array.from({ length: 50 }, (_, index) => guess(`m${index}`, '192.0.2.1')));
    expect(refused(net)).toHaveLength(30);
    // One who has an IPv6 address has very many of them.
    const half = ['2001:db8::', '2001:db8:0:0:1::', '2001:0DB8:0000::7:', '2001:db8::1:2:3:4%eth0'];
    const wide = await Promise.all(
      Array.from({ length: 48 }, (_, index) => {
        const start = half[index % 4]!;
        return guess(`w${index}`, /[:]$/.test(start) ? start + (index + 1).toString(16) : start);
      }),
    );
    expect(refused(wide)).toHaveLength(28);
    const all = await Promise.all(
      Array.from({ length: 6000 }, (_, index) => guess(`n${index}`, `10.${index >> 8}.${index & 255}.1`)),
    );
    expect(all.length - refused(all).length).toBeLessThanOrEqual(2000);
    wait(301);
    expect(await find(server, begun)).toMatchObject({ client: { id: 'tv' } });
  });

  it('lets users enter a code whatever 150 accounts of an attacker enter', async () => {
    const begun = await begin(server);
    const guesses = Array.from({ length: 150 * 20 }, (_, index) =>
      findDeviceRequest(server, 'BBBB-BBBB', { user: { id: `m${index % 150}` } }).catch((error: unknown) => error),
    );
    const accepted = (await Promise.all(guesses)).filter((one) => one === undefined).length;
    expect(accepted).toBeLessThanOrEqual(150 * 3 + 1000);
    expect(await find(server, begun)).toMatchObject({ client: { id: 'tv' } });
  });

  it('limits how many codes public clients ask for from one network, and no client that authenticates', async () => {
    const one = serverOf(store, [], {
      features: [deviceAuthorization({ verificationUri: PAGE, rate: { requests: 3, per: 60 } })],
    });
    const asked = (request: Request, ip: string) =>
      callEndpoint(one, 'device_authorization', Object.assign(request, { native: { ip } }));
    const statuses = [];
    for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:1::1']) {
      statuses.push((await asked(from('tv', {}), ip)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200]);
    const refusal = await asked(from('tv', {}), '2001:db8::5');
    expect(refusal.body['error']).toBe('temporarily_unavailable');
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(50);
    expect((await asked(from('box', {}), '2001:db8::6')).status).toBe(200);
    wait(61);
    expect((await asked(from('tv', {}), '2001:db8::7')).status).toBe(200);
  });

  it.each([
    [
      'a rate that is none',
      { verificationUri: PAGE, rate: { requests: 0, per: 60 } },
      /`rate` of .* must be `false` or/,
    ],
    ['a misspelt option', { interval: 5, verificationURI: PAGE }, /unknown option `verificationURI`/],
    ['no page to go to', {}, /needs a page where users enter their codes/],
    ['a page that is no URL', { verificationUri: '/device' }, /must be an https URL/],
    [
      'an interval that is none',
      { verificationUri: PAGE, interval: 0 },
      /`interval` of `deviceAuthorization\(\)` is a whole number/,
    ],
  ])('does not start with %s', (_, options, message) => {
    const features = [deviceAuthorization(options)];
    expect(() => new OAuth2Server({ model: store, issuer: 'https://id.example', features })).toThrow(message);
  });
});
