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

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';

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

describe('device authorization (RFC 8628)', () => {
  let store: MemoryStore;
  let server: OAuth2Server;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    store = storeOf();
    server = serverOf(store);
  });
  afterEach(() => void jest.useRealTimers());

  /** Advances the clock by the time that a device waits between two polls. */
  const wait = (seconds = 5) => jest.advanceTimersByTime(seconds * 1000);

  it('returns device code, user code, verification URIs and polling interval', async () => {
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

  it('issues tokens after the user agreed, with a working refresh token', async () => {
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

  it.each(['shown', 'lowercase', 'spaced', 'bare'])(
    'finds a user code in any case, with spaces or without its hyphen: %s',
    async (how) => {
      const begun = await begin(server);
      const bare = begun.user_code.replace('-', '');
      const typed = {
        shown: begun.user_code,
        lowercase: begun.user_code.toLowerCase(),
        spaced: ` ${bare.slice(0, 4)} ${bare.slice(4)} `,
        bare,
      }[how]!;
      expect(await findDeviceRequest(server, typed, { user: ALICE })).toMatchObject({
        userCode: begun.user_code,
        client: { id: 'tv' },
        scope: 'read write',
        resource: [],
      });
    },
  );

  it('grants the scope that the user agreed to, within the requested or the default scope', async () => {
    const begun = await begin(server);
    await decide(server, begun, true, 'write admin');
    expect(await poll(server, begun)).toMatchObject({ status: 200, scope: 'write' });
    const unnamed = await begin(server, 'tv', {});
    expect(await find(server, unnamed)).toMatchObject({ scope: 'read' });
    await decide(server, unnamed);
    expect(await poll(server, unnamed)).toMatchObject({ scope: 'read' });
  });

  it('returns access_denied on each poll after the user denied access', async () => {
    const begun = await begin(server);
    expect(await decide(server, begun, false)).toBe(true);
    for (let time = 0; time < 2; time += 1) {
      expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'access_denied' });
      wait();
    }
    expect(await find(server, begun)).toBeUndefined();
  });

  it('keeps the first of several decisions', async () => {
    const begun = await begin(server);
    const [alice, bob] = [(await find(server, begun))!, (await find(server, begun, BOB))!];
    expect(await decideDeviceRequest(alice, { allow: false })).toBe(true);
    expect(await decideDeviceRequest(bob, { allow: true })).toBe(false);
    expect(await poll(server, begun)).toMatchObject({ error: 'access_denied' });
    await expect(decideDeviceRequest(alice, { allow: true })).rejects.toThrow(
      /the object returned by `findDeviceRequest\(\)`/,
    );
    await expect(decideDeviceRequest({ ...bob }, { allow: true })).rejects.toThrow(
      /the object returned by `findDeviceRequest\(\)`/,
    );
    const raced = await begin(server);
    const shown = await Promise.all(Array.from({ length: 10 }, () => find(server, raced)));
    const answers = await Promise.all(shown.map((one) => decideDeviceRequest(one!, { allow: true })));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('does not find a user code that was decided already or belongs to another issuer', async () => {
    const begun = await begin(server);
    const away = serverOf(store, [], { issuer: 'https://other.example' });
    expect(await find(away, begun)).toBeUndefined();
    expect(await poll(away, begun)).toMatchObject({ error: 'invalid_grant' });
    await decide(server, begun);
    expect(await find(server, begun, BOB)).toBeUndefined();
  });

  it('returns slow_down to a device that polls too often, with a longer interval each time', async () => {
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

  it('returns the result after the decision of the user even if the device polls early', async () => {
    const [agreed, denied] = [await begin(server), await begin(server)];
    for (const begun of [agreed, denied])
      expect(await poll(server, begun)).toMatchObject({ error: 'authorization_pending' });
    await decide(server, agreed);
    await decideDeviceRequest((await find(server, denied))!, { allow: false });
    expect(await poll(server, agreed)).toMatchObject({ status: 200 });
    expect(await poll(server, denied)).toMatchObject({ error: 'access_denied' });
  });

  it('issues tokens once for concurrent polls, and keeps them valid', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(server, begun)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(19);
    expect(await store.getAccessToken(String(won[0]!['access_token']))).toBeTruthy();
  });

  it('rejects a second poll right after the tokens were issued, and keeps the tokens valid', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const { access_token } = await poll(server, begun);
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeTruthy();
  });

  it('issues a user code only if no device has had it until ten minutes after its expiry', async () => {
    const seconds: number[] = [];
    const once = (_: string, given: number) => seconds.push(given) > 2;
    expect(await begin(serverOf(Object.assign(storeOf(), { once })))).toHaveProperty('user_code');
    expect(seconds).toEqual([1500, 1500, 1500]);
    const taken = serverOf(Object.assign(storeOf(), { once: () => false }));
    expect(await begin(taken)).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it('treats a later poll with a used device code as a replay, and revokes its tokens', async () => {
    const begun = await begin(server);
    await decide(server, begun);
    const { access_token } = await poll(server, begun);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(await poll(server, begun)).toMatchObject({ error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeUndefined();
  });

  it('returns expired_token to the device, and ignores a decision of the user, after the expiry', async () => {
    const begun = await begin(server);
    const shown = (await find(server, begun))!;
    wait(901);
    expect(await decideDeviceRequest(shown, { allow: true })).toBe(false);
    expect(await find(server, begun)).toBeUndefined();
    expect(await poll(server, begun)).toMatchObject({ status: 400, error: 'expired_token' });
  });

  it.each([
    ['a missing device code', 'tv', () => ({ device_code: undefined }), 'invalid_request'],
    ['an unknown device code', 'tv', () => ({ device_code: 'x' }), 'invalid_grant'],
    [
      'the user code in place of the device code',
      'tv',
      ({ user_code }: Begun) => ({ device_code: user_code }),
      'invalid_grant',
    ],
    ['the device code of another client', 'radio', () => ({}), 'invalid_grant'],
    ['a client without this grant', 'other', () => ({}), 'unauthorized_client'],
    [
      'the device code as an authorization code',
      'tv',
      ({ device_code }: Begun) => ({
        grant_type: 'authorization_code',
        code: device_code,
        redirect_uri: 'https://a.example/cb',
      }),
      'invalid_grant',
    ],
    [
      'the device code as a refresh token',
      'tv',
      ({ device_code }: Begun) => ({ grant_type: 'refresh_token', refresh_token: device_code }),
      'invalid_grant',
    ],
  ])('rejects %s, and keeps the device code valid', async (_, id, form, error) => {
    const begun = await begin(server);
    await decide(server, begun);
    const requested = { grant_type: GRANT, device_code: begun.device_code, ...form(begun) };
    expect(await token(server, from(id, requested))).toMatchObject({ status: 400, error });
    expect(await poll(server, begun)).toMatchObject({ status: 200 });
  });

  it('does not accept an authorization code as a device code', async () => {
    const code = { authorizationCode: 'a-code', expiresAt: new Date(Date.now() + 60_000), scope: 'read' };
    const client = CLIENTS[0]!;
    await store.saveAuthorizationCode({ ...code, redirectUri: 'https://a.example/cb' }, client, ALICE);
    expect(await token(server, from('tv', { grant_type: GRANT, device_code: 'a-code' }))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it.each([
    ['a client without this grant', 'other', {}, 400, 'unauthorized_client'],
    ['an unknown client', 'nobody', {}, 401, 'invalid_client'],
    ['a scope that the client may not request', 'tv', { scope: 'admin' }, 400, 'invalid_scope'],
    ['a repeated scope', 'tv', { scope: ['read', 'write'] }, 400, 'invalid_request'],
  ])('returns an error and no codes for %s', async (_, id, form, status, error) => {
    const answer = await callEndpoint(server, 'device_authorization', from(id, form));
    expect(answer).toMatchObject({ status, body: { error } });
  });

  it('requires the secret of a confidential client', async () => {
    const begun = await begin(server, 'box');
    const answer = await callEndpoint(server, 'device_authorization', formRequest({ client_id: 'box' }));
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
    await decide(server, begun);
    const bare = formRequest({ client_id: 'box', grant_type: GRANT, device_code: begun.device_code });
    expect(await token(server, bare)).toMatchObject({ status: 401, error: 'invalid_client' });
    expect(await poll(server, begun, 'box')).toMatchObject({ status: 200 });
  });

  it('binds the tokens to the requested resource, and needs no pushed request even if those are required', async () => {
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

  it('ends when the grants of the user are revoked, before or after the tokens are issued', async () => {
    const [early, late] = [await begin(server), await begin(server)];
    await decide(server, early);
    await decide(server, late);
    const { access_token } = await poll(server, late);
    await store.revokeGrantsOf({ userId: 'alice', clientId: 'tv' });
    expect(await poll(server, early)).toMatchObject({ error: 'invalid_grant' });
    expect(await store.getAccessToken(String(access_token))).toBeUndefined();
  });

  it('limits guesses of user codes for one user, for one network and in total', async () => {
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
    // A single IPv6 user has many addresses, so the limit counts the /64 network.
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
    const tenant = serverOf(store, [], { issuer: 'https://tenant.example' });
    expect(await find(tenant, await begin(tenant))).toMatchObject({ client: { id: 'tv' } });
    wait(301);
    expect(await find(server, begun)).toMatchObject({ client: { id: 'tv' } });
  });

  it('lets users enter a code while 150 accounts of an attacker guess codes', async () => {
    const begun = await begin(server);
    const guesses = Array.from({ length: 150 * 20 }, (_, index) =>
      findDeviceRequest(server, 'BBBB-BBBB', { user: { id: `m${index % 150}` } }).catch((error: unknown) => error),
    );
    const accepted = (await Promise.all(guesses)).filter((one) => one === undefined).length;
    expect(accepted).toBeLessThanOrEqual(150 * 3 + 1000);
    expect(await find(server, begun)).toMatchObject({ client: { id: 'tv' } });
  });

  it('limits requests of public clients from one network, but not of confidential clients', async () => {
    const one = serverOf(store, [], {
      features: [deviceAuthorization({ verificationUri: PAGE, rate: { requests: 3, per: 60 } })],
    });
    const requested = (request: Request, ip: string) =>
      callEndpoint(one, 'device_authorization', Object.assign(request, { native: { ip } }));
    const statuses = [];
    for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:1::1']) {
      statuses.push((await requested(from('tv', {}), ip)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200]);
    const refusal = await requested(from('tv', {}), '2001:db8::5');
    expect(refusal.body['error']).toBe('temporarily_unavailable');
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(50);
    expect((await requested(from('box', {}), '2001:db8::6')).status).toBe(200);
    wait(61);
    expect((await requested(from('tv', {}), '2001:db8::7')).status).toBe(200);
  });

  it.each([
    ['an invalid rate', { verificationUri: PAGE, rate: { requests: 0, per: 60 } }, /`rate` of .* must be `false` or/],
    ['a misspelled option', { interval: 5, verificationURI: PAGE }, /unknown option `verificationURI`/],
    ['a missing verification URI', {}, /requires a page where users enter their codes/],
    ['a verification URI that is not a URL', { verificationUri: '/device' }, /must be an https URL/],
    [
      'an invalid polling interval',
      { verificationUri: PAGE, interval: 0 },
      /`interval` of `deviceAuthorization\(\)` must be a whole number/,
    ],
  ])('rejects at start-up %s', (_, options, message) => {
    const features = [deviceAuthorization(options)];
    expect(() => new OAuth2Server({ model: store, issuer: 'https://id.example', features })).toThrow(message);
  });
});
