import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  clientIdDocuments,
  deviceAuthorization,
  mutualTls,
  personalAccessTokens,
  registration,
  revocation,
  serverMetadata,
} from 'nest-oauth2/features';
import { fapi2 } from 'nest-oauth2/fapi';
import { dpop, jwtAccessTokens, jwtBearer, keys, privateKeyJwt } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { openid } from 'nest-oauth2/openid';
import { pages, urlElicitation } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { oidc, upstreams } from 'nest-oauth2/upstreams';
import { RULES } from '../../../src/report/rules/index.js';
import { type Configuration, DurableStore, reportAbout, rulesOf, SECRET, users } from './reported-server.js';

const DAY = 86_400;
const LONG_AGO = new Date(Date.now() - 800 * DAY * 1000);
const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const client = (fields: object): Configuration => ({ client: fields });
const options = (given: Configuration['options']): Configuration => ({ options: given });
const redirect = (...redirectUris: string[]): Configuration => ({ client: { redirectUris } });
const feature = (...features: NonNullable<NonNullable<Configuration['options']>['features']>): Configuration => ({
  options: { features },
});
/** A model with only the given members of a store. */
const modelWith = (...names: string[]) => {
  const store = new DurableStore({ users });
  const members = names.map((name) => [name, () => undefined]);
  return { getClient: store.getClient, getAccessToken: () => undefined, ...Object.fromEntries(members) } as never;
};
const storeWhere = (members: object) => Object.assign(new DurableStore({ users }), members);
const bearer = (more: object) =>
  jwtBearer({
    issuers: [{ issuer: 'https://partner.company.com', jwksUri: 'https://partner.company.com/jwks' }],
    ...more,
  });
const claims = storeWhere({ getClaims: () => ({}) });
const withKeys = (...features: NonNullable<NonNullable<Configuration['options']>['features']>): Configuration => ({
  options: { model: claims, features: [keys({ secret: SECRET, algorithms: ['RS256'] }), ...features] },
});

const provider = (more: object): Configuration => {
  const settings = { issuer: 'https://id.acme.com', label: 'Acme', clientId: 'a', clientSecret: 'b', ...more };
  const accounts = { findById: () => undefined, create: () => undefined };
  return feature(pages(), upstreams({ accounts, providers: { acme: oidc(settings) } }));
};

/**
 * For each rule: a configuration that it reports, and one that it does not. The third entry lists the other rules that
 * report the first configuration too.
 */
const CASES: Record<string, readonly [trips: Configuration, fine: Configuration, others?: readonly string[]]> = {
  'client-public-with-client-credentials': [
    client({ tokenEndpointAuthMethod: 'none', grants: ['client_credentials'] }),
    client({ grants: ['client_credentials'] }),
  ],
  'client-password-grant': [client({ grants: ['password'] }), client({})],
  'client-implicit-grant': [client({ grants: ['implicit'] }), client({})],
  'client-user-and-own-tokens': [client({ grants: ['authorization_code', 'client_credentials'] }), client({})],
  'client-native-with-secret': [
    client({ applicationType: 'native' }),
    client({ applicationType: 'native', tokenEndpointAuthMethod: 'none' }),
  ],
  'client-without-secret': [client({ secrets: [] }), client({ secrets: [], tokenEndpointAuthMethod: 'none' })],
  'client-old-secret': [
    client({ secrets: [{ createdAt: LONG_AGO }] }),
    client({ secrets: [{ createdAt: new Date() }, { createdAt: LONG_AGO }] }),
  ],
  'client-consent-never': [client({ consent: 'never', tokenEndpointAuthMethod: 'none' }), client({ consent: 'never' })],
  'client-http-url': [
    client({ metadata: { policy_uri: 'http://app.company.com/privacy' } }),
    client({ policyUri: 'https://app.company.com/privacy' }),
  ],
  'client-weak-key': [client({ jwks: { keys: [rsa(1024)] } }), client({ jwks: { keys: [rsa(2048)] } })],
  'client-private-key-stored': [
    client({ jwks: { keys: [ec()] } }),
    client({ jwks: { keys: [{ ...ec(), d: undefined }].map(({ d, ...one }) => one) } }),
  ],
  'client-long-access-tokens': [client({ accessTokenLifetime: DAY + 1 }), client({ accessTokenLifetime: DAY })],
  'client-unsafe-origin': [
    client({ allowedOrigins: ['http://app.company.com'] }),
    client({ allowedOrigins: ['https://app.company.com'] }),
  ],
  'clients-not-examined': [
    { clients: undefined, options: { model: modelWith('saveToken', 'revokeGrant', 'redeem') } },
    client({}),
  ],
  'redirect-wildcard': [redirect('https://*.company.com/callback'), redirect('https://app.company.com/a')],
  'redirect-script-scheme': [redirect('javascript:alert(1)'), redirect('com.company.app:/callback')],
  'redirect-fragment': [redirect('https://app.company.com/#/callback'), redirect('https://app.company.com/?a=1')],
  'redirect-http': [redirect('http://app.company.com/callback'), redirect('https://app.company.com/callback')],
  'redirect-loopback-of-web-client': [
    redirect('http://127.0.0.1/callback'),
    client({ applicationType: 'native', tokenEndpointAuthMethod: 'none', redirectUris: ['http://127.0.0.1/callback'] }),
  ],
  'redirect-localhost-name': [
    client({ applicationType: 'native', tokenEndpointAuthMethod: 'none', redirectUris: ['http://localhost/callback'] }),
    client({ applicationType: 'native', tokenEndpointAuthMethod: 'none', redirectUris: ['http://127.0.0.1/callback'] }),
  ],
  'redirect-short-scheme': [redirect('myapp:/callback'), redirect('com.company.app:/callback')],
  'redirect-open-redirector': [
    redirect('https://app.company.com/go?next=/home'),
    redirect('https://app.company.com/go?view=home'),
  ],
  'redirect-shared-host': [
    redirect('https://preview-12.vercel.app/callback'),
    redirect('https://vercel.app.company.com/'),
  ],
  'redirect-ip-address': [redirect('https://203.0.113.5/callback'), redirect('https://app.company.com/203.0.113.5')],
  'redirect-credentials': [
    redirect('https://bob:pw@app.company.com/callback'),
    redirect('https://app.company.com/@bob'),
  ],
  'redirect-missing': [redirect(), client({ grants: ['client_credentials'], redirectUris: [] })],
  'redirect-shared-by-clients': [
    {
      clients: () =>
        ['one', 'two'].map((id) => ({ id, grants: [], redirectUris: ['https://app.company.com/callback'] })),
    },
    {
      clients: () => ['one', 'two'].map((id) => ({ id, grants: [], redirectUris: [`https://app.company.com/${id}`] })),
    },
  ],
  'pkce-off': [options({ requirePKCE: 'none' }), options({ requirePKCE: 'public' })],
  'pkce-confidential': [options({ requirePKCE: 'public' }), options({ requirePKCE: 'all' })],
  'pkce-plain': [options({ enablePlainPKCE: true }), options({})],
  'state-optional': [options({ allowEmptyState: true }), options({ allowEmptyState: true, requirePKCE: 'all' })],
  'grant-without-authentication': [
    options({ requireClientAuthentication: { password: false } }),
    options({ requireClientAuthentication: { password: true } }),
  ],
  'grant-of-your-own': [options({ extendedGrantTypes: { 'urn:x': class {} as never } }), options({})],
  'grant-front-channel': [
    withKeys(openid({ responseTypes: ['code token'] })),
    withKeys(openid({ responseTypes: ['code id_token'] })),
  ],
  'grant-password-published': [
    feature(serverMetadata({ grantTypes: ['authorization_code', 'password'] })),
    feature(serverMetadata({ grantTypes: ['authorization_code', 'refresh_token'] })),
  ],
  'device-code-lifetime': [
    feature(deviceAuthorization({ verificationUri: 'https://id.company.com/d', lifetime: 3600 })),
    feature(deviceAuthorization({ verificationUri: 'https://id.company.com/d' })),
  ],
  'device-code-rate': [
    feature(deviceAuthorization({ verificationUri: 'https://id.company.com/d', rate: false })),
    feature(deviceAuthorization({ verificationUri: 'https://id.company.com/d' })),
  ],
  'assertion-reusable': [feature(bearer({ reusable: true })), feature(bearer({}))],
  'token-in-url': [options({ allowBearerTokensInQueryString: true }), options({})],
  'token-long-access': [options({ accessTokenLifetime: DAY + 1 }), options({ accessTokenLifetime: DAY })],
  'token-long-jwt': [
    { options: { ...withKeys(jwtAccessTokens()).options, accessTokenLifetime: 7200 } },
    { options: { ...withKeys(jwtAccessTokens()).options, accessTokenLifetime: 3600 } },
  ],
  'token-long-code': [options({ authorizationCodeLifetime: 601 }), options({ authorizationCodeLifetime: 600 })],
  'token-long-refresh': [options({ refreshTokenLifetime: 367 * DAY }), options({ refreshTokenLifetime: 366 * DAY })],
  'token-grant-unlimited': [options({}), options({ grantLifetime: 365 * DAY })],
  'token-no-rotation': [
    options({ alwaysIssueNewRefreshToken: false }),
    options({ alwaysIssueNewRefreshToken: false, features: [dpop()] }),
  ],
  'token-long-reuse': [options({ refreshTokenReuseInterval: 61 }), options({ refreshTokenReuseInterval: 10 })],
  'token-no-replay-detection': [
    options({ model: modelWith('saveToken', 'redeem') }),
    options({ model: modelWith('saveToken', 'redeem', 'revokeGrant') }),
  ],
  'token-not-atomic': [
    options({ model: modelWith('saveToken', 'revokeGrant') }),
    options({ model: modelWith('saveToken', 'revokeGrant', 'redeem') }),
  ],
  'token-more-attributes': [options({ allowExtendedTokenAttributes: true }), options({})],
  'token-not-bound': [options({}), feature(dpop())],
  'token-no-revocation': [options({}), feature(revocation())],
  'id-token-lifetime': [withKeys(openid({ idTokenLifetime: 2 * DAY })), withKeys(openid())],
  'secret-guessable': [{ secret: 'change-me-change-me-change-me-change-me' }, { secret: SECRET }],
  'key-small': [storeWithKey(1024), storeWithKey(2048)],
  'key-old': [oldKey(400), oldKey(100)],
  'key-rotation-manual': [feature(keys({ secret: SECRET })), feature(keys({ secret: SECRET, rotateEvery: DAY }))],
  'authentication-by-shared-secret': [options({}), feature(privateKeyJwt())],
  'clock-tolerance': [feature(dpop({ clockTolerance: 120 })), feature(dpop({ clockTolerance: 60 }))],
  'dpop-lifetime': [feature(dpop({ lifetime: 600 })), feature(dpop({ lifetime: 300 }))],
  'dpop-no-nonce': [feature(dpop()), feature(dpop({ nonce: { secret: SECRET } }))],
  'dpop-url-of-request': [
    feature(dpop({ publicUrl: 'request' })),
    feature(dpop({ publicUrl: 'https://id.company.com' })),
  ],
  'assertion-audience': [feature(privateKeyJwt()), feature(privateKeyJwt({ issuerAudienceOnly: true }))],
  'mtls-proxy-wide': [
    feature(mutualTls({ proxy: { trusted: ['0.0.0.0/0'] } })),
    feature(mutualTls({ proxy: { trusted: ['10.1.2.0/24'] } })),
  ],
  'fetch-not-public': [
    feature(clientIdDocuments({ fetch: { allow: ['10.0.0.0/8'] } })),
    feature(clientIdDocuments({ fetch: { timeout: 2 } })),
  ],
  'session-long': [feature(pages({ sessionLifetime: 2 * DAY })), feature(pages())],
  'login-one-factor': [
    feature(pages()),
    feature(pages({ secondFactor: { by: { verify: () => false, isEnrolled: () => true } } })),
  ],
  'login-limits-in-memory': [
    options({ model: storeWhere({ countWithin: undefined }), features: [pages()] }),
    feature(pages()),
  ],
  'login-limits-by-typed-name': [
    options({ model: storeWhere({ findByUsername: undefined }), features: [pages()] }),
    feature(pages()),
  ],
  'password-change-keeps-sessions': [
    options({
      model: new DurableStore({ users: { ...users, credentialOf: undefined } }),
      features: [pages()],
    }),
    feature(pages()),
  ],
  'session-any-route': [
    feature(pages({ acceptSessions: { scopes: ['a'] } })),
    feature(pages({ acceptSessions: { scopes: ['a'], routes: 'marked' } })),
  ],
  'upstream-any-email': [provider({ trustEmail: true }), provider({ trustEmail: ['company.com'] })],
  'upstream-authentication': [provider({ trustAuthentication: true }), provider({})],
  'personal-token-long': [
    feature(personalAccessTokens({ scopes: ['a'], maxLifetime: 367 * DAY })),
    feature(personalAccessTokens({ scopes: ['a'] })),
  ],
  'elicitation-long': [
    feature(pages(), urlElicitation({ lifetime: 3601 })),
    feature(pages(), urlElicitation({ lifetime: 3600 })),
  ],
  'issuer-missing': [options({ issuer: undefined }), options({})],
  'issuer-not-https': [options({ issuer: 'http://id.company.com' }), options({})],
  'issuer-not-public': [options({ issuer: 'https://id.test' }), options({ issuer: 'https://test.company.com' })],
  'metadata-missing': [options({}), feature(serverMetadata())],
  'cors-any-origin': [options({ cors: { origins: '*' } }), options({ cors: { origins: ['https://app.company.com'] } })],
  'cors-http-origin': [
    options({ cors: { origins: ['http://app.company.com'] } }),
    options({ cors: { origins: ['https://app.company.com'] } }),
  ],
  'registration-open': [
    feature(registration({ open: true })),
    feature(registration({ initialAccessScope: 'register' })),
  ],
  'registration-no-rate': [
    feature(registration({ initialAccessScope: 'register', rate: false })),
    feature(registration({ initialAccessScope: 'register' })),
  ],
  'registration-strong-grants': [
    feature(registration({ initialAccessScope: 'register', grants: ['client_credentials'] })),
    feature(registration({ initialAccessScope: 'register' })),
  ],
  'client-documents-any-redirect': [feature(clientIdDocuments()), feature(clientIdDocuments({ redirects: 'own' }))],
  'store-in-memory': [options({ model: new MemoryStore({ users }) }), options({})],
  'store-unreachable': [
    options({ model: storeWhere({ ping: () => Promise.reject(new Error('postgres://user:hunter2@db')) }) }),
    options({}),
  ],
  'store-schema': [
    options({ model: storeWhere({ checkSchema: () => Promise.reject(new Error('no table')) }) }),
    options({ model: storeWhere({ checkSchema: () => undefined }) }),
  ],
  'process-not-production': [{ environment: { NODE_ENV: 'development' } }, {}],
  'process-accepts-any-certificate': [
    { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    { environment: { NODE_TLS_REJECT_UNAUTHORIZED: '1' } },
  ],
  'mcp-resource-not-https': [
    options({ issuer: 'http://127.0.0.1:3000', features: [mcp({ scopes: ['a', 'b'], defaultScope: ['a'] })] }),
    feature(mcp({ scopes: ['a', 'b'], defaultScope: ['a'] })),
    ['issuer-not-https', 'issuer-not-public'],
  ],
  'mcp-no-scopes': [feature(mcp()), feature(mcp({ scopes: ['a'] }))],
  'mcp-all-scopes-at-first': [
    feature(mcp({ scopes: ['a', 'b'] })),
    feature(mcp({ scopes: ['a', 'b'], defaultScope: ['a'] })),
  ],
  'mcp-any-host': [
    feature(mcp({ scopes: ['a'], hosts: '*' })),
    feature(mcp({ scopes: ['a'], hosts: ['a.company.com'] })),
  ],
  'mcp-long-tokens': [
    options({ accessTokenLifetime: 7200, features: [mcp({ scopes: ['a'] })] }),
    feature(mcp({ scopes: ['a'] })),
  ],
  'fapi-client-authentication': [
    feature(fapi2()),
    { ...feature(fapi2()), client: { tokenEndpointAuthMethod: 'private_key_jwt' } },
  ],
  'fapi-client-redirect': [
    {
      ...feature(fapi2()),
      client: { tokenEndpointAuthMethod: 'private_key_jwt', redirectUris: ['http://a.company.com/'] },
    },
    { ...feature(fapi2()), client: { tokenEndpointAuthMethod: 'private_key_jwt' } },
    ['redirect-http'],
  ],
  'fapi-client-algorithm': [
    {
      ...feature(fapi2()),
      client: { tokenEndpointAuthMethod: 'private_key_jwt', tokenEndpointAuthSigningAlg: 'RS256' },
    },
    {
      ...feature(fapi2()),
      client: { tokenEndpointAuthMethod: 'private_key_jwt', tokenEndpointAuthSigningAlg: 'ES256' },
    },
  ],
};

/** Returns a server whose key set publishes an RSA key of this size. No store would create such a key. */
function storeWithKey(bits: number): Configuration {
  const jwk = { ...rsa(bits), kid: 'rsa', alg: 'RS256' };
  return { options: { features: [keyRing({ published: () => [jwk] })] } };
}

function oldKey(days: number): Configuration {
  const key = { kid: 'old', alg: 'ES256', state: 'current', signsFrom: new Date(Date.now() - days * DAY * 1000) };
  const model = storeWhere({ getSigningKeys: () => 'encrypted' });
  const ring = keyRing({ published: () => [{ kid: 'old', alg: 'ES256' }], list: async () => [key] });
  return { options: { model, features: [ring] } };
}

function keyRing(ring: object) {
  const install = (builder: { provide(key: object, make: () => object): void }) =>
    builder.provide({ name: 'keys', providedBy: 'keys' }, () => ring);
  return { id: 'ownKeys', install } as never;
}

/** The rules with tests in `report.e2e-spec.ts`: they need a Nest application or tenants. */
const ELSEWHERE = [
  'mcp-endpoint-not-guarded',
  'operation-no-alerts',
  'route-any-scope',
  'route-not-guarded',
  'store-not-pruned',
  'tenant-issuer-shared-host',
  'tenants-not-examined',
];

describe('the rules of the report', () => {
  it('have unique ids, and at least 60 of them', () => {
    const ids = Object.values(RULES)
      .flat()
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(60);
    expect(ids.filter((id) => !/^[a-z]+(?:-[a-z]+)+$/.test(id))).toEqual([]);
  });

  it('each have a case here or in another test', () => {
    const ids = Object.values(RULES)
      .flat()
      .map(({ id }) => id);
    expect([...Object.keys(CASES), ...ELSEWHERE].toSorted()).toEqual(ids.toSorted());
  });

  it.each(ELSEWHERE)('`%s` has expectations with and without a finding in `report.e2e-spec.ts`', (id) => {
    const lines = readFileSync(join(import.meta.dirname, 'report.e2e-spec.ts'), 'utf8').split('\n');
    const expectations = lines.filter((line) => line.includes('expect(') && line.includes(`'${id}'`));
    const isEmpty = (line: string) => line.includes('.toEqual([])');
    expect([expectations.some(isEmpty), expectations.every(isEmpty)]).toEqual([true, false]);
  });

  it.each(Object.entries(CASES))(
    '`%s` reports its fault and no other, and accepts the correct form',
    async (id, [trips, fine, others = []]) => {
      const [bad, good] = [await reportAbout(trips), await reportAbout(fine)];
      expect(good.findings.map(({ rule }) => rule)).not.toContain(id);
      const found = bad.findings.filter(({ rule }) => rule === id);
      expect(found).not.toEqual([]);
      for (const { is, subject, should, change, risk, source } of found) {
        for (const sentence of [is, should, change, risk]) expect(sentence).toMatch(/^[^a-z].*\.$/);
        expect([subject, source]).toEqual([expect.stringMatching(/^[a-z]/), expect.stringMatching(/^[A-Z]/)]);
      }
      // A fault is found by exactly the rule meant for it.
      const inform = found.every(({ severity }) => severity === 'info');
      expect(rulesOf(bad.findings)).toEqual([...(inform ? [] : [id]), ...others].toSorted());
    },
  );
});
