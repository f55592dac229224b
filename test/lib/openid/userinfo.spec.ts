import { describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { introspection, resourceIndicators } from 'nest-oauth2/features';
import { Request, TemporarilyUnavailableError } from 'nest-oauth2/server';

import { clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { ALICE, CALLBACK, ISSUER, openIdServer, OTHER_CALLBACK, SECRET } from '../../support/servers/openid-server.js';
import { basic, FORM } from '../../support/clients/requests.js';

type Server = Awaited<ReturnType<typeof openIdServer>>;

const ask = ({ send }: Server, token?: unknown, headers: object = {}) => {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${String(token)}` };
  return send('userinfo', new Request({ method: 'GET', headers: { ...authorization, ...headers }, query: {} }));
};
const post = ({ send }: Server, body: object, headers: object = {}) =>
  send('userinfo', new Request({ method: 'POST', headers: { ...FORM, ...headers }, query: {}, body }));

/** Signs Alice in, and returns the userinfo response. */
const learn = async (server: Server, query: object) => {
  const { access_token } = await server.signIn(query);
  return (await ask(server, access_token)).body;
};

describe('the userinfo endpoint', () => {
  it.each(clientShapes(CALLBACK))(
    'returns the same `sub` as the ID token, and the claims of the scope ($shape)',
    async (shape) => {
      const server = await openIdServer({ client: withoutSector(shape) });
      const { access_token, id_token } = await server.signIn({ scope: 'openid profile email' });
      const { status, headers, body } = await ask(server, access_token);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(body).toEqual({
        sub: decodeJwt(id_token).sub,
        name: ALICE.name,
        given_name: 'Alice',
        email: ALICE.email,
        email_verified: true,
      });
      expect(server.claimsRequests.at(-1)).toMatchObject({ location: 'userinfo', scope: 'openid profile email' });
    },
  );

  it.each([
    ['openid', []],
    ['openid email', ['email', 'email_verified']],
    ['openid address', ['address']],
    ['openid phone', ['phone_number']],
    ['openid groups read', []],
  ])('returns only `sub` and, for the scope %s, the claims %j', async (scope, names) => {
    expect(Object.keys(await learn(await openIdServer(), { scope })).toSorted()).toEqual(['sub', ...names].toSorted());
  });

  it('returns the claims of the scopes that the application defines', async () => {
    const server = await openIdServer({ scopes: { groups: ['groups', 'roles'], email: false } });
    expect(await learn(server, { scope: 'openid groups email' })).toEqual({ sub: 'alice', groups: ['readers'] });
  });

  it('returns the claims that were requested by name for this endpoint', async () => {
    const server = await openIdServer();
    const claims = JSON.stringify({ userinfo: { email: { essential: true } }, id_token: { name: null } });
    expect(await learn(server, { claims })).toEqual({ sub: 'alice', email: ALICE.email });
    expect(server.claimsRequests.at(-1)).toMatchObject({ names: ['email'], requests: { email: { essential: true } } });
  });

  it('returns the same claims after a refresh, within a narrower scope', async () => {
    const server = await openIdServer();
    const claims = JSON.stringify({ userinfo: { name: null } });
    const { refresh_token } = await server.signIn({ scope: 'openid email address', claims });
    const grant = { grant_type: 'refresh_token', scope: 'openid address' };
    const { body } = await server.token({ ...grant, refresh_token });
    expect((await ask(server, body.access_token)).body).toEqual({
      sub: 'alice',
      name: ALICE.name,
      address: ALICE.address,
    });
  });

  it('accepts the access token in a form, but not in two places and not in the URL', async () => {
    const server = await openIdServer();
    const { access_token } = await server.signIn();
    expect((await post(server, { access_token })).body).toEqual({ sub: 'alice' });
    expect((await post(server, {}, { authorization: `Bearer ${access_token}` })).body).toEqual({ sub: 'alice' });
    const twice = await post(server, { access_token }, { authorization: `Bearer ${access_token}` });
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const inUrl = new Request({ method: 'GET', headers: {}, query: { access_token } });
    expect(await server.send('userinfo', inUrl)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('responds to a request without token with 401 and a challenge without error', async () => {
    const { status, headers, body } = await ask(await openIdServer());
    expect({ status, body }).toEqual({ status: 401, body: {} });
    expect(headers['www-authenticate']).toBe('Bearer realm="Service"');
  });

  it('rejects an unknown or revoked token, and one without the scope openid', async () => {
    const server = await openIdServer();
    expect(await ask(server, 'unknown')).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    const { access_token } = await server.signIn({ scope: 'read email' });
    const { status, headers, body } = await ask(server, access_token);
    expect({ status, body }).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    expect(headers['www-authenticate']).toContain('scope="openid"');
    const good = await server.signIn();
    await server.store.revokeGrant((await server.store.getAccessToken(good.access_token))!.grantId!);
    expect(await ask(server, good.access_token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
  });

  it('rejects ID tokens, refresh tokens and client credentials tokens', async () => {
    const server = await openIdServer();
    const { id_token, refresh_token } = await server.signIn();
    for (const token of [id_token, refresh_token]) expect((await ask(server, token)).status).toBe(401);
    const { body } = await server.token({ grant_type: 'client_credentials', scope: 'openid email' });
    const refused = await ask(server, body.access_token);
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="Service",error="invalid_token"');
  });

  it('returns to each client the claims and the pairwise subject of its own access token', async () => {
    const server = await openIdServer({ pairwise: { salt: 'x'.repeat(32), byDefault: true } });
    const mine = await server.signIn({ scope: 'openid email' });
    const { code } = (await server.authorize({ client_id: 'other', redirect_uri: OTHER_CALLBACK, scope: 'openid' }))
      .parameters;
    const { body: theirs } = await server.redeem(code, {}, 'other');
    const [one, other] = [(await ask(server, mine.access_token)).body, (await ask(server, theirs.access_token)).body];
    expect(one['email']).toBe(ALICE.email);
    expect(other).toEqual({ sub: decodeJwt(theirs.id_token).sub });
    expect(one['sub']).not.toBe(other['sub']);
  });

  it('also accepts an access token for another resource', async () => {
    const notes = 'https://notes.example.com';
    const server = await openIdServer({ more: [resourceIndicators({ resources: [notes] })] });
    expect(await learn(server, { resource: notes, scope: 'openid read' })).toEqual({ sub: 'alice' });
  });

  it.each(['RS256', 'ES256'])('returns a JWT signed with %s if the client registered it', async (alg) => {
    const server = await openIdServer({ client: { metadata: { userinfo_signed_response_alg: alg } } });
    const { access_token } = await server.signIn({ scope: 'openid email' });
    const { headers, body } = await ask(server, access_token);
    expect(headers['content-type']).toBe('application/jwt');
    expect(decodeProtectedHeader(String(body)).alg).toBe(alg);
    const { payload } = await server.verifyIdToken(body);
    expect(payload).toEqual({ iss: ISSUER, aud: 'web', sub: 'alice', email: ALICE.email, email_verified: true });
  });

  it('returns JSON to a client whose registered algorithm is null', async () => {
    const server = await openIdServer({ client: { metadata: { userinfo_signed_response_alg: null } } });
    const { access_token } = await server.signIn();
    expect((await ask(server, access_token)).headers['content-type']).toMatch(/^application\/json/);
  });

  it('never returns an unsigned response if the client registered the algorithm none', async () => {
    const server = await openIdServer({ client: { userinfoSignedResponseAlg: 'none' } });
    const { access_token } = await server.signIn();
    expect(await ask(server, access_token)).toMatchObject({ status: 503, body: { error: 'server_error' } });
  });

  it('does not reveal an error of the model to the client', async () => {
    const getClaims = () => Promise.reject(new Error('password of the directory: 123'));
    const server = await openIdServer({ model: { getClaims } });
    const { access_token } = await server.signIn({ scope: 'openid email' });
    const { status, body } = await ask(server, access_token);
    expect({ status, text: JSON.stringify(body) }).toEqual({ status: 503, text: expect.not.stringContaining('123') });
  });

  it.each([
    [503, []],
    [429, [['endpoint.refused', expect.objectContaining({ endpoint: 'userinfo', clientId: 'web', status: 429 })]]],
  ])('responds with %i and `Retry-After` if the model asks the client to try again later', async (code, refusals) => {
    const events: [string, object][] = [];
    const getClaims = () => Promise.reject(new TemporarilyUnavailableError('Busy', { code, retryAfter: 7 }));
    const sink = { emit: (name: string, payload: object) => events.push([name, payload]) };
    const server = await openIdServer({ model: { getClaims }, options: { events: sink } });
    const { access_token } = await server.signIn({ scope: 'openid email' });
    events.length = 0;
    const { status, headers, body } = await ask(server, access_token);
    expect([status, headers['retry-after'], body['error']]).toEqual([code, '7', 'temporarily_unavailable']);
    expect(events).toEqual(refusals);
  });

  it('reports each refused request once, as `endpoint.refused`', async () => {
    const events: [string, object][] = [];
    const sink = { emit: (name: string, payload: object) => events.push([name, payload]) };
    const server = await openIdServer({ options: { events: sink } });
    const narrow = await server.signIn({ scope: 'read' });
    const { body: machine } = await server.token({ grant_type: 'client_credentials', scope: 'openid' });
    events.length = 0;
    for (const token of ['unknown', narrow.access_token, machine.access_token]) await ask(server, token);
    expect(events).toEqual([
      ['endpoint.refused', expect.objectContaining({ endpoint: 'userinfo', error: 'invalid_token' })],
      ['endpoint.refused', expect.objectContaining({ endpoint: 'userinfo', clientId: 'web', scope: 'openid' })],
      ['endpoint.refused', expect.objectContaining({ endpoint: 'userinfo', clientId: 'web', error: 'invalid_token' })],
    ]);
  });

  const circle: Record<string, unknown> = {};
  circle['of'] = circle;
  it.each<[string, unknown]>([
    ['a bigint', 10n],
    ['a circular object', circle],
    ['an object whose toJSON() throws', { toJSON: () => [].at(1)!['x'] }],
  ])('responds with 503 if a claim is %s, and leaves the code valid', async (_, name) => {
    let said: object = { name };
    const server = await openIdServer({ model: { getClaims: () => said }, claimsInIdToken: true });
    const { code } = (await server.authorize({ scope: 'openid profile' })).parameters;
    expect(await server.redeem(code)).toMatchObject({ status: 503, body: { error: 'server_error' } });
    said = ALICE;
    const { status, body } = await server.redeem(code);
    expect([status, decodeJwt(body.id_token)['name']]).toEqual([200, ALICE.name]);
    said = { name };
    expect(await ask(server, body.access_token)).toMatchObject({ status: 503, body: { error: 'server_error' } });
  });

  it('converts claims to JSON, and omits those that JSON cannot represent', async () => {
    const known = { name: Number.NaN, nickname: () => 'x', updated_at: new Date(0), profile: Symbol('x') };
    const server = await openIdServer({ model: { getClaims: () => known } });
    expect(await learn(server, { scope: 'openid profile' })).toEqual({
      sub: 'alice',
      updated_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('warns once if `getClaims()` returns nothing', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    let said: object | null | undefined = null;
    const server = await openIdServer({ model: { getClaims: () => said } });
    expect(await learn(server, { scope: 'openid profile' })).toEqual({ sub: 'alice' });
    expect(emitWarning).not.toHaveBeenCalled();
    said = undefined;
    for (let i = 0; i < 2; i++) expect(await learn(server, { scope: 'openid profile' })).toEqual({ sub: 'alice' });
    expect(emitWarning.mock.calls).toEqual([
      [expect.stringContaining("the model's `getClaims()` returned nothing, so clients get no claims but `sub`")],
    ]);
    emitWarning.mockRestore();
  });

  it('warns of a claim in camel case, which no client receives', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const server = await openIdServer({
      model: { getClaims: () => ({ givenName: 'Alice', name: 'Alice', shoeSize: 38 }) },
    });
    expect(await learn(server, { scope: 'openid profile' })).toEqual({ sub: 'alice', name: 'Alice' });
    expect(emitWarning.mock.calls).toEqual([
      [
        "nest-oauth2: the model's `getClaims()` returned `givenName`, which no client receives: name the claim `given_name`",
      ],
    ]);
    emitWarning.mockRestore();
  });

  it('can be called by pages of configured origins', async () => {
    const server = await openIdServer({ options: { cors: { origins: ['https://app.example'] } } });
    const { access_token } = await server.signIn();
    const headersFor = async (origin: string) => (await ask(server, access_token, { origin })).headers;
    expect((await headersFor('https://app.example'))['access-control-allow-origin']).toBe('https://app.example');
    expect(await headersFor('https://evil.example')).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('claims in other languages', () => {
  const known = {
    ...ALICE,
    'name#ja-Kana-JP': 'アリス',
    'name#JA': '有栖',
    'name#fr': 'Aline',
    'email#ja': 'nobody asked',
    'name#': 'no tag',
    'name#ja#x': 'no tag',
    'sub#ja': 'mallory',
    'iss#ja': 'https://evil.example',
  };
  const getClaims = () => known;
  const query = { scope: 'openid profile', claims_locales: 'ja-JP fr-CA <b>' };

  it('are passed to the model as `locales`, and returned together with the default ones', async () => {
    const server = await openIdServer();
    await learn(server, query);
    expect(server.claimsRequests.at(-1)).toMatchObject({ locales: ['ja-JP', 'fr-CA'] });
    expect(await learn(await openIdServer({ model: { getClaims } }), query)).toEqual({
      sub: 'alice',
      name: ALICE.name,
      given_name: 'Alice',
      'name#JA': '有栖',
      'name#fr': 'Aline',
    });
    const anyJapanese = await learn(await openIdServer({ model: { getClaims } }), { ...query, claims_locales: 'ja' });
    expect(Object.keys(anyJapanese)).toEqual(expect.arrayContaining(['name#ja-Kana-JP', 'name#JA']));
  });

  it('are not returned if the client did not request them', async () => {
    const server = await openIdServer({ model: { getClaims } });
    const names = Object.keys(await learn(server, { scope: 'openid profile email' }));
    expect(names.filter((name) => name.includes('#'))).toEqual([]);
    const unasked = await openIdServer();
    await learn(unasked, { scope: 'openid profile' });
    expect(unasked.claimsRequests.at(-1)).toMatchObject({ locales: [] });
  });

  it('are kept with the grant, for its ID tokens and after a refresh', async () => {
    const server = await openIdServer({ model: { getClaims }, claimsInIdToken: true });
    const { refresh_token, id_token } = await server.signIn(query);
    const { body } = await server.token({ grant_type: 'refresh_token', refresh_token });
    for (const one of [id_token, body.id_token]) expect(decodeJwt(one)).toMatchObject({ 'name#fr': 'Aline' });
    expect((await ask(server, body.access_token)).body).toMatchObject({ 'name#fr': 'Aline' });
  });

  it('are limited to 20 requested languages', async () => {
    const server = await openIdServer();
    await learn(server, { ...query, claims_locales: Array.from({ length: 100 }, () => 'fr').join(' ') });
    expect(server.claimsRequests.at(-1)?.locales).toHaveLength(20);
    for (const claims_locales of ['x'.repeat(1001), 'français']) {
      expect((await server.authorize({ claims_locales })).parameters).toMatchObject({ error: 'invalid_request' });
    }
  });

  it('are listed in the metadata if the application names them', async () => {
    const { get } = await openIdServer({ claimsLocales: ['en', 'fr-CA'] });
    expect(await get('openid-configuration')).toMatchObject({ claims_locales_supported: ['en', 'fr-CA'] });
    const silent = await openIdServer();
    expect(await silent.get('openid-configuration')).not.toHaveProperty('claims_locales_supported');
  });
});

describe('the subject (`sub`) of a user', () => {
  const salt = 'salt of thirty-two characters at least';
  const pairwise = { salt };
  const sub = async (server: Server, user = server.alice) => decodeJwt((await server.signIn({}, user)).id_token).sub;

  it.each(clientShapes(CALLBACK))(
    'is pairwise: stable, different for each sector, and the same at the userinfo endpoint ($shape)',
    async (shape) => {
      const server = await openIdServer({ pairwise, client: { subjectType: 'pairwise', ...shape } });
      const { access_token, id_token } = await server.signIn();
      const named = decodeJwt(id_token).sub;
      expect(named).toMatch(/^[\w-]{43}$/);
      expect((await ask(server, access_token)).body).toEqual({ sub: named });
      expect(await sub(server)).toBe(named);
      expect(await sub(server, { id: 'bob' })).not.toBe(named);
      const elsewhere = {
        redirectUris: [CALLBACK, 'https://third.example/cb'],
        sectorIdentifierUri: 'https://third.example/x',
      };
      expect(await sub(await openIdServer({ pairwise, client: { subjectType: 'pairwise', ...elsewhere } }))).not.toBe(
        named,
      );
      const resalted = { salt: salt.toUpperCase() };
      expect(await sub(await openIdServer({ pairwise: resalted, client: { subjectType: 'pairwise' } }))).not.toBe(
        named,
      );
    },
  );

  const nameAt = async (redirectUri: string, id = 'web') => {
    const known = { subjectType: 'pairwise', redirectUris: [redirectUri], id };
    const server = await openIdServer({ pairwise, client: known });
    const { code } = (await server.authorize({ client_id: id, redirect_uri: redirectUri })).parameters;
    return decodeJwt((await server.redeem(code, { redirect_uri: redirectUri }, id)).body.id_token).sub;
  };

  it('differs for an app whose private-use URI contains the host of a sector', async () => {
    const sector = await nameAt(CALLBACK);
    expect(await nameAt('https://app.example:8443/other')).toBe(sector);
    const app = await nameAt('com.evil.app://app.example/cb');
    expect(app).not.toBe(sector);
    expect(await nameAt('com.evil.app:/cb')).toBe(app);
  });

  it.each(['http://127.0.0.1/cb', 'http://localhost/cb'])(
    'differs for each client with the redirect URI %s, which has no sector',
    async (uri) => {
      const name = await nameAt(uri);
      expect(await nameAt(uri)).toBe(name);
      expect(await nameAt(uri, 'app')).not.toBe(name);
    },
  );

  it('differs for each client without redirect URIs', async () => {
    const names = ['web', 'tv'].map(async (id) => {
      const client = { id, subjectType: 'pairwise', redirectUris: [] };
      const server = await openIdServer({ pairwise, client, model: { getUser: () => ({ id: 'alice' }) } });
      const requested = { grant_type: 'password', username: 'alice', password: 'x', scope: 'openid' };
      return (await ask(server, (await server.token(requested, id)).body.access_token)).body['sub'];
    });
    const [one, other] = await Promise.all(names);
    expect([one, other]).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)]);
    expect(one).not.toBe(other);
  });

  it('is pairwise if a client introspects its own token, and the user id if a resource server introspects it', async () => {
    const api = 'https://notes.example.com';
    const more = [introspection(), resourceIndicators({ resources: [api] })];
    const known = { subjectType: 'pairwise' };
    const server = await openIdServer({ pairwise, more, client: known });
    await server.store.createClient({ id: 'api', secret: SECRET, grants: [], resources: [api] });
    Object.assign(server.alice, { username: 'alice@example.com' });
    const tokens = await server.signIn({ resource: api });
    const about = async (token: string, as: string) => {
      const headers = { ...FORM, authorization: basic(as, SECRET) };
      return (await server.send('introspection', new Request({ method: 'POST', headers, query: {}, body: { token } })))
        .body;
    };
    const { sub: name } = decodeJwt(tokens.id_token);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const said = await about(token, 'web');
      expect([said['active'], said['sub'], said['username']]).toEqual([true, name, undefined]);
    }
    expect(await about(tokens.access_token, 'api')).toMatchObject({ sub: 'alice', username: 'alice@example.com' });
  });

  it('is the user id unless pairwise subjects are registered or the default', async () => {
    for (const shape of clientShapes(CALLBACK)) {
      expect(await sub(await openIdServer({ pairwise, client: withoutSector(shape) }))).toBe('alice');
    }
    const byDefault = { salt, byDefault: true };
    expect(await sub(await openIdServer({ pairwise: byDefault }))).not.toBe('alice');
    expect(await sub(await openIdServer({ pairwise: byDefault, client: { subjectType: 'public' } }))).toBe('alice');
  });

  it('causes server_error for a client with several hosts and without a sector', async () => {
    const redirectUris = [CALLBACK, 'https://third.example/cb'];
    const server = await openIdServer({ pairwise, client: { subjectType: 'pairwise', redirectUris } });
    expect(await server.signIn()).toMatchObject({ error: 'server_error' });
  });
});
