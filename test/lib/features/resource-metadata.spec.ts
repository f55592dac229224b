import { describe, expect, it } from '@jest/globals';
import {
  protectedResource,
  type ProtectedResource,
  type ProtectedResourceOptions,
  serverMetadata,
} from 'nest-oauth2/features';
import { InvalidArgumentError, OAuth2Server, type OAuth2ServerOptions, Request } from 'nest-oauth2/server';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { addAccessToken, createTestModel } from '../../support/models/model.js';
import { runOperation } from '../../support/clients/requests.js';

const issuer = 'https://id.example';
const API = 'https://api.example/v1';
const ROOT = 'https://api.example';

const testModel = createTestModel();
addAccessToken(testModel, { scope: 'read' });

function serverOf(resources: readonly ProtectedResource[], options: Partial<OAuth2ServerOptions> = {}): OAuth2Server {
  return new OAuth2Server({ model: testModel.model, issuer, features: [protectedResource({ resources })], ...options });
}

const read = () => new Request({ method: 'GET', headers: {}, query: {}, body: {} });

/** Returns the status and the challenge of a request at a path. */
async function challengeAt(server: OAuth2Server, url: string, authorization?: string): Promise<unknown[]> {
  const headers = authorization === undefined ? {} : { authorization };
  const request = new Request({ method: 'GET', headers, query: {}, body: {}, url });
  const { status, headers: answered } = await runOperation(server, 'authenticate', request, { scope: 'write' });
  return [status, answered['www-authenticate']];
}

describe('the metadata of a protected resource (RFC 9728)', () => {
  it('contains the resource and its authorization server, is public, and can be cached for an hour', async () => {
    const members = { resource_name: 'Notes', resource_documentation: 'https://api.example/docs' };
    const server = serverOf([{ resource: API, scopes: ['read', 'write'], members }]);
    expect(await callEndpoint(server, 'resource-metadata/v1', read())).toEqual({
      error: undefined,
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        'content-type': 'application/json',
      },
      body: {
        resource: API,
        authorization_servers: [issuer],
        scopes_supported: ['read', 'write'],
        bearer_methods_supported: ['header', 'body'],
        ...members,
      },
    });
  });

  it('contains the bearer methods and a separate authorization server', async () => {
    const elsewhere = { resource: ROOT, authorizationServers: ['https://other.example'] };
    const server = serverOf([elsewhere], { issuer: undefined as never, allowBearerTokensInQueryString: true });
    expect((await callEndpoint(server, 'resource-metadata', read())).body).toEqual({
      resource: ROOT,
      authorization_servers: ['https://other.example'],
      bearer_methods_supported: ['header', 'body', 'query'],
    });
  });

  it('is linked in the challenge of the resource that a request is for', async () => {
    const server = serverOf([{ resource: API }, { resource: `${API}/admin` }]);
    const at = (path: string) => `resource_metadata="${ROOT}/.well-known/oauth-protected-resource${path}"`;
    expect(await challengeAt(server, '/v1/notes?a=b')).toEqual([401, `Bearer realm="Service",${at('/v1')}`]);
    expect(await challengeAt(server, '/v1')).toEqual([401, `Bearer realm="Service",${at('/v1')}`]);
    expect(await challengeAt(server, '/v1/admin/x')).toEqual([401, `Bearer realm="Service",${at('/v1/admin')}`]);
    expect(await challengeAt(server, '/v1/notes', 'Bearer wrong')).toEqual([
      401,
      `Bearer realm="Service",error="invalid_token",${at('/v1')}`,
    ]);
    expect(await challengeAt(server, '/v1/notes', 'Bearer access')).toEqual([
      403,
      `Bearer realm="Service",error="insufficient_scope",scope="write",${at('/v1')}`,
    ]);
    for (const path of ['/v10', '/', '/other/v1']) {
      expect(await challengeAt(server, path)).toEqual([401, 'Bearer realm="Service"']);
    }
  });

  it('is not linked in the challenge of a resource that only another feature declares', async () => {
    const other = { id: 'other', resources: ['https://api.example/v2'], install: () => ({}) };
    const features = [protectedResource({ resources: [{ resource: API }] }), other];
    const server = new OAuth2Server({ model: testModel.model, issuer, features });
    expect(await challengeAt(server, '/v2/notes')).toEqual([401, 'Bearer realm="Service"']);
  });

  it('is linked in the challenges of all paths if the resource is an origin', async () => {
    const metadata = `resource_metadata="${ROOT}/.well-known/oauth-protected-resource"`;
    for (const resource of [ROOT, `${ROOT}/`]) {
      expect(await challengeAt(serverOf([{ resource }]), '/any')).toEqual([401, `Bearer realm="Service",${metadata}`]);
    }
  });

  it('is listed in `protected_resources` of the authorization server, unless the resource uses another server', async () => {
    const resources = [{ resource: API }, { resource: ROOT, authorizationServers: ['https://other.example'] }];
    const features = [serverMetadata(), protectedResource({ resources })];
    const server = new OAuth2Server({ model: testModel.model, issuer, features });
    const { body } = await callEndpoint(server, 'server-metadata', read());
    expect(body['protected_resources']).toEqual([API]);
  });
});

describe('protectedResource()', () => {
  const place = (resource: unknown) => `the resource \`${String(resource)}\` of \`protectedResource()\``;
  const noUrl = (resource: unknown) =>
    `${place(resource)} must be an https URL without query and fragment, an http URL of localhost, or a path such as \`/mcp\``;

  it.each<[string, ProtectedResourceOptions['resources'], string]>([
    [
      'an empty list of resources',
      [],
      "`protectedResource()` requires `resources`, a list such as `[{ resource: 'https://api.example.com' }]`",
    ],
    ...[
      'http://api.example',
      '//v1',
      '/v1/../v2',
      'https://api.example#a',
      'https://api.example?a',
      'urn:example:api',
      1,
    ].map((resource): [string, ProtectedResource[], string] => [
      `the invalid resource ${resource}`,
      [{ resource: resource as string }],
      noUrl(resource),
    ]),
    ['an undefined resource', [undefined as never], noUrl(undefined)],
    [
      'two resources with the same path',
      [{ resource: API }, { resource: 'https://other.example/v1' }],
      `the resources \`${API}\` and \`https://other.example/v1\` have the same path: give each its own path`,
    ],
    [
      'two resources whose paths differ in upper and lower case only',
      [{ resource: API }, { resource: API.toUpperCase() }],
      `the resources \`${API}\` and \`${API.toUpperCase()}\` have the same path: give each its own path`,
    ],
    [
      'an invalid authorization server',
      [{ resource: API, authorizationServers: ['http://id.example'] }],
      `\`authorizationServers\` of ${place(API)} must contain https URLs without query and fragment. Got \`http://id.example\``,
    ],
    [
      'an invalid scope',
      [{ resource: API, scopes: [''] }],
      `\`scopes\` of ${place(API)} contains \`\`, which is not a valid scope value`,
    ],
    [
      'members that an option sets',
      [{ resource: API, members: { scopes_supported: ['a'] } }],
      `\`members\` of ${place(API)} must not contain \`scopes_supported\`: set \`scopes\` instead`,
    ],
  ])('rejects at start-up %s', (_name, resources, sentence) => {
    expect(() => serverOf(resources)).toThrow(new InvalidArgumentError(`Invalid argument: ${sentence}`));
  });

  it.each<[unknown, string]>([
    [undefined, '`protectedResource()` requires `resources`'],
    [
      { resource: [] },
      'unknown option `resource` of `protectedResource()`: the options are `resources`, `maxAge` and `atRoot`',
    ],
    [
      { resources: [{ resource: API, scope: ['a'] }] },
      `unknown option \`scope\` of ${place(API)}: the options are \`resource\`, \`scopes\`, \`authorizationServers\` and \`members\``,
    ],
  ])('rejects at start-up the options %j', (given, sentence) => {
    const features = [protectedResource(given as ProtectedResourceOptions)];
    const make = () => new OAuth2Server({ model: createTestModel().model, issuer: 'https://id.example', features });
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(sentence);
  });

  it('rejects at start-up a resource without an issuer', () => {
    expect(() => serverOf([{ resource: API }], { issuer: undefined as never })).toThrow(
      `${place(API)} requires an issuer of tokens: set the option \`issuer\`, or its \`authorizationServers\``,
    );
  });
});
