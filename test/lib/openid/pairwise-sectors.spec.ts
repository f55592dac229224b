import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import {
  decideDeviceRequest,
  deviceAuthorization,
  findDeviceRequest,
  introspection,
  registration,
  tokenExchange,
} from 'nest-oauth2/features';
import { logout } from 'nest-oauth2/openid';
import { Request } from 'nest-oauth2/server';

import { clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { CALLBACK, openIdServer, OTHER_CALLBACK, SECRET } from '../../support/servers/openid-server.js';
import { basic, FORM, VERIFIER } from '../../support/clients/requests.js';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';
const grants = ['authorization_code', 'refresh_token', DEVICE];
const METADATA = { grant_types: grants, redirect_uris: [CALLBACK], scope: 'openid' };

/** Creates a server with the client `web` of the application, whose sector is the host of `CALLBACK`. */
async function setUp(settings: object = {}) {
  const open = { open: true, scopes: ['openid', 'read'], grants, rate: false as const };
  const more = [
    registration(open),
    deviceAuthorization({ verificationUri: 'https://id.example.com/device' }),
    introspection(),
    tokenExchange(),
    logout(),
  ];
  const all = [...grants, EXCHANGE, 'client_credentials'];
  const server = await openIdServer({
    more,
    pairwise: { salt: 'salt of thirty-two characters at least', byDefault: true },
    client: { grants: all, ...settings },
  });
  const { send, alice, authorize, token, store } = server;

  const register = async (said: object) => {
    const request = new Request({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      query: {},
      body: { ...METADATA, ...said },
    });
    return (await send('registration', request)).body as Record<string, string>;
  };
  const change = async (client: Record<string, string>, said: object) => {
    const request = new Request({
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${client['registration_access_token']}`,
      },
      query: { client_id: client['client_id']! },
      body: { ...METADATA, client_id: client['client_id'], ...said },
    });
    return (await send('registration', request)).status;
  };
  const form = async (endpoint: string, id: string, secret: string, body: object) =>
    (
      await send(
        endpoint,
        new Request({ method: 'POST', headers: { ...FORM, authorization: basic(id, secret) }, query: {}, body }),
      )
    ).body;
  const byCode = async (id: string, secret: string, redirectUri = CALLBACK) => {
    const { code } = (await authorize({ client_id: id, redirect_uri: redirectUri }, alice, { sid: 'session' }))
      .parameters;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: VERIFIER };
    return (await token(grant, id, secret)).body;
  };
  const byDevice = async (id: string, secret: string) => {
    const begun = (await form('device_authorization', id, secret, { scope: 'openid' })) as Record<string, string>;
    const found = await findDeviceRequest(server.server, begun['user_code']!, { user: alice });
    await decideDeviceRequest(found!, { allow: true });
    return (await token({ grant_type: DEVICE, device_code: begun['device_code'] }, id, secret)).body;
  };
  const userinfo = async (accessToken: string) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await send('userinfo', new Request({ method: 'GET', headers, query: {} }))).body['sub'];
  };
  const introspect = async (id: string, secret: string, value: string) =>
    (await form('introspection', id, secret, { token: value })) as Record<string, unknown>;
  const subOf = ({ id_token }: { id_token: string }) => decodeJwt(id_token).sub;
  const victim = subOf(await byCode('web', SECRET));
  return { ...server, store, register, change, byCode, byDevice, userinfo, introspect, subOf, victim };
}

const own = (client: Record<string, string>) => [client['client_id']!, client['client_secret']!] as const;

describe('the pairwise subject of a client that registered itself', () => {
  it('is the subject of the sector if the code was delivered to a redirect URI of that sector', async () => {
    const { register, byCode, subOf, userinfo, introspect, victim, token } = await setUp();
    const client = await register({});
    const tokens = await byCode(...own(client));
    expect(subOf(tokens)).toBe(victim);
    expect(await userinfo(tokens.access_token)).toBe(victim);
    expect(await introspect(...own(client), tokens.access_token)).toMatchObject({ active: true, sub: victim });
    const again = (await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, ...own(client)))
      .body;
    expect([subOf(again), await userinfo(again.access_token)]).toEqual([victim, victim]);
  });

  it('is unique to the client if no response was delivered to a redirect URI (device grant)', async () => {
    const { register, byDevice, subOf, userinfo, introspect, victim } = await setUp();
    const [one, other] = [await register({}), await register({})];
    const tokens = await byDevice(...own(one));
    const sub = subOf(tokens);
    expect(sub).toMatch(/^[\w-]{43}$/);
    expect(sub).not.toBe(victim);
    expect(await userinfo(tokens.access_token)).toBe(sub);
    expect(await introspect(...own(one), tokens.access_token)).toMatchObject({ active: true, sub });
    expect(subOf(await byDevice(...own(other)))).not.toBe(sub);
  });

  it('stays the same for tokens that were issued before the registration changed', async () => {
    const { register, change, byCode, byDevice, subOf, userinfo, introspect, victim, token } = await setUp();
    const client = await register({ redirect_uris: ['https://evil.example/cb'] });
    const [coded, device] = [await byCode(...own(client), 'https://evil.example/cb'), await byDevice(...own(client))];
    expect(await change(client, { redirect_uris: [CALLBACK] })).toBe(200);
    for (const tokens of [coded, device]) {
      const sub = subOf(tokens);
      expect(sub).not.toBe(victim);
      expect(await userinfo(tokens.access_token)).toBe(sub);
      expect(await introspect(...own(client), tokens.access_token)).toMatchObject({ sub });
      const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
      const again = (await token(grant, ...own(client))).body;
      expect([subOf(again), await userinfo(again.access_token)]).toEqual([sub, sub]);
    }
  });

  it('is unique to the client if its redirect URI has a private-use scheme', async () => {
    const { register, byCode, subOf } = await setUp();
    const uri = 'com.example.app:/cb';
    const native = { redirect_uris: [uri], application_type: 'native' };
    const [one, other] = [await register(native), await register(native)];
    expect(subOf(await byCode(...own(one), uri))).not.toBe(subOf(await byCode(...own(other), uri)));
  });

  it('is accepted in an id_token_hint, whether it is the subject of the sector or of this client alone', async () => {
    const { register, byCode, byDevice, authorize } = await setUp();
    const client = await register({});
    for (const tokens of [await byCode(...own(client)), await byDevice(...own(client))]) {
      const query = { client_id: client['client_id'], prompt: 'none', id_token_hint: tokens.id_token };
      expect((await authorize(query)).parameters).toHaveProperty('code');
      expect((await authorize(query, { id: 'bob' })).parameters).toMatchObject({ error: 'login_required' });
    }
  });
});

describe('the pairwise subject of a client that was not registered by this version', () => {
  it.each(clientShapes(CALLBACK))(
    'is the same by code and by device for a client that the application stores ($shape)',
    async (shape) => {
      const { byDevice, subOf, userinfo, victim } = await setUp(shape);
      const tokens = await byDevice('web', SECRET);
      expect([subOf(tokens), await userinfo(tokens.access_token)]).toEqual([victim, victim]);
    },
  );

  it.each(clientShapes(CALLBACK))(
    'is accepted in an id_token_hint of a client that the application stores ($shape)',
    async (shape) => {
      for (const client of [{ ...withoutSector(shape), subjectType: 'public' }, shape]) {
        const { byCode, byDevice, authorize } = await setUp(client);
        for (const tokens of [await byCode('web', SECRET), await byDevice('web', SECRET)]) {
          const query = { prompt: 'none', id_token_hint: tokens.id_token };
          expect((await authorize(query)).parameters).toHaveProperty('code');
          expect((await authorize(query, { id: 'bob' })).parameters).toMatchObject({ error: 'login_required' });
        }
      }
    },
  );

  it('stays the same for a client of an earlier version until it claims another sector', async () => {
    const { store, register, change, byDevice, subOf, victim } = await setUp();
    const client = await register({});
    // Stores the client as an earlier version did.
    const legacy = await register({});
    await store.saveToken(
      { accessToken: 'first use', accessTokenExpiresAt: new Date(Date.now() + 1000) },
      (await store.getClient(legacy['client_id']!, null))!,
      { id: 'alice' },
    );
    await store.changeClient(legacy['client_id']!, { requiresSectorProof: null });
    expect(subOf(await byDevice(...own(legacy)))).toBe(victim);
    expect(await change(legacy, { client_name: 'Renamed', redirect_uris: [`${CALLBACK}/2`] })).toBe(200);
    expect(subOf(await byDevice(...own(legacy)))).toBe(victim);
    expect(await change(legacy, { redirect_uris: [OTHER_CALLBACK] })).toBe(200);
    expect(await change(legacy, {})).toBe(200);
    expect(subOf(await byDevice(...own(legacy)))).not.toBe(victim);
    expect(subOf(await byDevice(...own(client)))).not.toBe(victim);
  });
});

describe('the session id (`sid`) of a client with pairwise subjects', () => {
  it('differs between sectors and is the same within one sector', async () => {
    const { store, byCode, register } = await setUp();
    await store.changeClient('other', { grants: [...grants] });
    const sidOf = ({ id_token }: { id_token: string }) => decodeJwt(id_token)['sid'];
    const web = sidOf(await byCode('web', SECRET));
    const other = sidOf(await byCode('other', SECRET, OTHER_CALLBACK));
    expect([web, other]).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)]);
    expect(other).not.toBe(web);
    expect(sidOf(await byCode(...own(await register({}))))).toBe(web);
  });

  it('is the session id of the application for a client with public subjects', async () => {
    const { byCode } = await setUp({ subjectType: 'public' });
    expect(decodeJwt((await byCode('web', SECRET)).id_token)['sid']).toBe('session');
  });
});

describe('the actor of an exchanged token', () => {
  it('has the pairwise subject of the client that introspects the token', async () => {
    const { byCode, token, introspect, victim } = await setUp();
    const [subject, actor] = [await byCode('web', SECRET), await byCode('web', SECRET)];
    const exchanged = (
      await token({
        grant_type: EXCHANGE,
        subject_token: subject.access_token,
        subject_token_type: ACCESS,
        actor_token: actor.access_token,
        actor_token_type: ACCESS,
      })
    ).body;
    const said = await introspect('web', SECRET, exchanged.access_token);
    expect(said).toMatchObject({ active: true, sub: victim, act: { sub: victim, client_id: 'web' } });
    expect(JSON.stringify(said)).not.toContain('"alice"');
  });

  it('keeps the id of the client for a client credentials token', async () => {
    const { byCode, token, introspect } = await setUp();
    const subject = await byCode('web', SECRET);
    const actor = (await token({ grant_type: 'client_credentials', scope: 'read' })).body;
    const exchanged = (
      await token({
        grant_type: EXCHANGE,
        subject_token: subject.access_token,
        subject_token_type: ACCESS,
        actor_token: actor.access_token,
        actor_token_type: ACCESS,
      })
    ).body;
    const said = await introspect('web', SECRET, exchanged.access_token);
    expect(said['act']).toEqual({ sub: 'web', client_id: 'web' });
  });
});
