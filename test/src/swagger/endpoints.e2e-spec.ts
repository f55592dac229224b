import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { introspection, pushedRequests, resourceIndicators, revocation, serverMetadata } from 'nest-oauth2/features';
import { addOAuth2 } from 'nest-oauth2/swagger';
import { demoModule } from '../../support/servers/demo.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const issuer = 'https://id.example.com/tenant';
const own = {
  id: 'own',
  endpoints: { own: { path: 'oauth/own/:id', methods: ['PUT'], make: () => ({ handle: async () => undefined }) } },
};
const features = [
  revocation(),
  introspection(),
  pushedRequests(),
  resourceIndicators({ own: ['https://api.example.com/notes'] }),
  serverMetadata(),
  own,
];

type Said = Record<string, { type?: string; enum?: string[]; description?: string }>;

describe.each(ANY_PLATFORM)('the endpoints of the server in an OpenAPI document on %s', (platform) => {
  let document: OpenAPIObject;
  let hidden: OpenAPIObject;
  let bare: OpenAPIObject;
  let once: string;

  beforeAll(async () => {
    await startApplication(platform, demoModule({ features, issuer, paths: { prefix: 'auth', own: 'auth/own/:id' } }), {
      prepare(app) {
        app.setGlobalPrefix('api');
        const made = () => SwaggerModule.createDocument(app, new DocumentBuilder().build());
        document = addOAuth2(app, made(), { endpoints: true });
        once = JSON.stringify(document);
        addOAuth2(app, document, { endpoints: true });
        hidden = addOAuth2(app, made());
        const without = { ignoreGlobalPrefix: true };
        bare = SwaggerModule.createDocument(app, new DocumentBuilder().build(), without);
        addOAuth2(app, bare, { ...without, endpoints: true });
      },
    });
  });

  afterAll(stopApplications);

  const bodyOf = (path: string) =>
    (
      document.paths[path]!.post as unknown as {
        requestBody: { content: Record<string, { schema: { properties: Said } }> };
      }
    ).requestBody.content['application/x-www-form-urlencoded']!.schema;

  it('are omitted by default', () => {
    expect(Object.keys(hidden.paths)).toEqual(expect.not.arrayContaining([expect.stringContaining('auth/')]));
    expect(Object.keys(hidden.components!.securitySchemes!)).toEqual(['oauth2']);
  });

  it('are listed once each with their methods', () => {
    const methods = Object.entries(document.paths)
      .filter(([path]) => /auth/.test(path))
      .map(([path, item]) => `${Object.keys(item).join()} ${path}`);
    expect(methods.toSorted()).toEqual([
      'get /.well-known/oauth-authorization-server/tenant',
      'get /api/auth/authorize',
      'parameters,put /api/auth/own/{id}',
      'post /api/auth/introspect',
      'post /api/auth/par',
      'post /api/auth/revoke',
      'post /api/auth/token',
    ]);
  });

  it('are the same if added twice, and without global prefix if the document ignores it', () => {
    expect(JSON.stringify(document)).toBe(once);
    expect(Object.keys(bare.paths)).toContain('/auth/token');
  });

  it('have the parameters of all features', () => {
    const { parameters } = document.paths['/api/auth/authorize']!.get!;
    const names = (parameters as { name: string; required: boolean }[]).map(
      ({ name, required }) => `${name} ${required}`,
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'response_type true',
        'client_id true',
        'code_challenge false',
        'resource false',
        'request_uri false',
      ]),
    );
    const { properties } = bodyOf('/api/auth/token');
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining([
        'code',
        'code_verifier',
        'refresh_token',
        'username',
        'resource',
        'client_id',
        'client_secret',
      ]),
    );
    expect(properties['grant_type']!.enum).toEqual(
      expect.arrayContaining(['authorization_code', 'client_credentials']),
    );
    expect(bodyOf('/api/auth/token')).toMatchObject({ required: ['grant_type'] });
    expect(Object.keys(bodyOf('/api/auth/revoke').properties)).toEqual([
      'token',
      'token_type_hint',
      'client_id',
      'client_secret',
    ]);
    expect(Object.keys(bodyOf('/api/auth/par').properties)).toEqual(
      expect.arrayContaining(['response_type', 'code_challenge']),
    );
  });

  it('have response schemas and client authentication methods', () => {
    const token = document.paths['/api/auth/token']!.post!;
    expect(token.responses).toMatchObject({
      200: { content: { 'application/json': { schema: { properties: { expires_in: { type: 'integer' } } } } } },
      400: {},
      401: {},
    });
    expect(token.security).toEqual([{ 'oauth2-client': [] }, {}]);
    expect(document.paths['/api/auth/introspect']!.post!.security).toEqual([{ 'oauth2-client': [] }]);
    expect(document.paths['/api/auth/authorize']!.get!).toMatchObject({
      security: [],
      responses: { 200: {}, 302: {} },
    });
    expect(document.paths['/api/auth/own/{id}']!).toMatchObject({ parameters: [{ name: 'id', in: 'path' }] });
    expect(document.components!.securitySchemes).toMatchObject({ 'oauth2-client': { type: 'http', scheme: 'basic' } });
  });
});
