import { Controller, Get, Injectable, Module, Post, Scope, VersioningType } from '@nestjs/common';
import { APP_GUARD, RouterModule } from '@nestjs/core';
import { ApiWebhook, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions, OAuth2Server, OAuthGuard, Public, Scopes } from 'nest-oauth2';
import { addOAuth2, type OAuth2DocumentOptions } from 'nest-oauth2/swagger';
import { demoModule, demoStore } from '../../support/servers/demo.js';
import {
  ANY_PLATFORM,
  type TestApplicationOptions,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

@Controller({ path: 'notes', version: ['1', '2'] })
class Notes {
  @Get(':id')
  @Scopes('notes:read')
  read() {}

  @Get(['all', 'everything'])
  all() {}

  @Post('hook')
  @ApiWebhook('noted')
  @Scopes('notes:write')
  noted() {}
}

@Controller({ path: 'status', version: '1' })
class Status {
  @Get()
  @Public()
  status() {}

  @Get('details')
  details() {}
}

/** Its path equals that of another controller. */
@Controller({ path: 'status', version: '2' })
@Scopes('admin')
class Other {
  @Get('details')
  details() {}
}

@Module({ controllers: [Status] })
class StatusModule {}

@Module({ controllers: [Other] })
class OtherModule {}

@Module({ controllers: [Notes] })
class NotesModule {}

const ISSUER = 'https://id.example.com/tenant';
const GUARDED = { provide: APP_GUARD, useClass: OAuthGuard };

interface Described extends TestApplicationOptions {
  server?: Partial<OAuth2ModuleOptions>;
  options?: OAuth2DocumentOptions;
  said?: OAuth2DocumentOptions;
  builder?: DocumentBuilder;
  more?: Parameters<typeof startApplication>[1];
}

async function describeHost(platform: Platform, given: Described = {}): Promise<OpenAPIObject> {
  const { server = {}, options = {}, said = options, builder = new DocumentBuilder(), more = {}, prepare } = given;
  const { imports = [], providers = [] } = demoModule({ isGlobal: true, ...server });
  let document: OpenAPIObject | undefined;
  await startApplication(
    platform,
    {
      imports: [...imports, NotesModule, StatusModule, ...(more.imports ?? [])],
      providers: [...providers, ...(more.providers ?? [GUARDED])],
    },
    {
      async prepare(app) {
        await prepare?.(app);
        document = addOAuth2(app, SwaggerModule.createDocument(app, builder.build(), options), said);
      },
    },
  );
  return document!;
}

const security = ({ paths }: OpenAPIObject) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { security?: object[] }>).map(([method, said]) => [
        `${method} ${path}`,
        said.security?.map((one) => Object.values(one).flat().join(' ')),
      ]),
    ),
  );

const flows = ({ components }: OpenAPIObject) =>
  (components!.securitySchemes!['oauth2'] as unknown as { flows: Record<string, Record<string, unknown>> }).flows;

describe.each(ANY_PLATFORM)('an OpenAPI document of a complete application on %s', (platform) => {
  afterEach(stopApplications);

  it('applies a global guard to all routes, and finds routes with global prefix and version', async () => {
    const document = await describeHost(platform, {
      server: { issuer: ISSUER, paths: { prefix: 'auth' } },
      prepare: (app) => {
        app.setGlobalPrefix('api', { exclude: ['status', 'status/details'] });
        app.enableVersioning({ type: VersioningType.URI });
      },
    });
    expect(security(document)).toMatchObject({
      'get /api/v1/notes/{id}': ['notes:read'],
      'get /api/v2/notes/{id}': ['notes:read'],
      'get /api/v1/notes/all': [''],
      'get /api/v2/notes/everything': [''],
      'post /api/v1/notes/hook': ['notes:write'],
      'get /v1/status': undefined,
      'get /v1/status/details': [''],
    });
    expect(flows(document)['authorizationCode']).toEqual({
      authorizationUrl: 'https://id.example.com/tenant/api/auth/authorize',
      tokenUrl: 'https://id.example.com/tenant/api/auth/token',
      refreshUrl: 'https://id.example.com/tenant/api/auth/token',
      scopes: { 'notes:read': '', 'notes:write': '' },
    });
  });

  it('finds a guard registered with useGlobalGuards(), and a request-scoped one', async () => {
    const given = await describeHost(platform, {
      more: { providers: [] },
      prepare: (app) => app.useGlobalGuards(new OAuthGuard(app.get(OAuth2Server))),
    });
    const perRequest = await describeHost(platform, { more: { providers: [{ ...GUARDED, scope: Scope.REQUEST }] } });
    for (const document of [given, perRequest]) expect(security(document)).toMatchObject({ 'get /notes/all': [''] });
    const open = await describeHost(platform, { more: { providers: [] } });
    expect(security(open)).toMatchObject({ 'get /notes/all': undefined, 'get /notes/{id}': undefined });
  });

  it('describes included modules, and the right one if two modules share a path', async () => {
    const include = (module: object) =>
      describeHost(platform, {
        options: { include: [module as never] },
        prepare: (app) => app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version' }),
        more: { imports: [OtherModule], providers: [GUARDED] },
      });
    expect(security(await include(StatusModule))).toEqual({ 'get /status': undefined, 'get /status/details': [''] });
    expect(security(await include(OtherModule))).toEqual({ 'get /status/details': ['admin'] });
  });

  it('describes routes without the global prefix if the document ignores it', async () => {
    const prepare: Described['prepare'] = (app) => app.setGlobalPrefix('api');
    const options = { ignoreGlobalPrefix: true };
    const untold = await describeHost(platform, { prepare, options, said: {} });
    for (const document of [await describeHost(platform, { prepare, options }), untold]) {
      expect(security(document)).toMatchObject({ 'get /notes/{id}': ['notes:read'], 'get /status': undefined });
    }
  });

  it('describes routes and endpoints with the path set by RouterModule', async () => {
    const routes = [
      { path: 'inner', module: NotesModule },
      { path: 'id', module: OAuth2Module },
    ];
    const document = await describeHost(platform, {
      more: { providers: [GUARDED], imports: [RouterModule.register(routes)] },
    });
    expect(security(document)).toMatchObject({ 'get /inner/notes/{id}': ['notes:read'] });
    expect(flows(document)['clientCredentials']).toMatchObject({ tokenUrl: '/id/oauth/token' });
  });

  it('does not change webhooks, which other servers implement', async () => {
    const builder = new DocumentBuilder().setOpenAPIVersion('3.1.0');
    const document = await describeHost(platform, { builder });
    const { webhooks } = document as { webhooks?: Record<string, { post: { security?: unknown } }> };
    expect(webhooks!['noted']!.post.security).toBeUndefined();
    expect(security(document)).toMatchObject({ 'get /notes/{id}': ['notes:read'] });
  });

  it('is the same if addOAuth2() is called twice', async () => {
    let first = '';
    const document = await describeHost(platform, {
      prepare: (app) => {
        const made = addOAuth2(app, SwaggerModule.createDocument(app, new DocumentBuilder().build()));
        first = JSON.stringify(made);
        expect(JSON.stringify(addOAuth2(app, made))).toBe(first);
      },
    });
    expect(JSON.stringify(document)).toBe(first);
  });

  it('removes the document’s security requirements from public operations', async () => {
    const builder = new DocumentBuilder().addBearerAuth().addSecurityRequirements('bearer');
    const document = await describeHost(platform, { builder });
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.paths['/status']!.get!.security).toEqual([]);
    expect(document.paths['/notes/all']!.get!.security).toEqual([{ oauth2: [] }]);
  });

  it('contains the scope option of the server for routes without their own scopes', async () => {
    const document = await describeHost(platform, { server: { scope: ['base', 'more'] } });
    expect(security(document)).toMatchObject({ 'get /notes/all': ['base more'], 'get /notes/{id}': ['notes:read'] });
  });

  it('contains further flows if they are configured and supported by the server', async () => {
    const options: OAuth2DocumentOptions = { flows: ['password', 'implicit'], scheme: 'ours' };
    const { components } = await describeHost(platform, { options });
    expect(components!.securitySchemes!['ours']).toMatchObject({
      type: 'oauth2',
      flows: { password: { tokenUrl: '/oauth/token' }, implicit: { authorizationUrl: '/oauth/authorize' } },
    });
    const { getUser: _, ...without } = Object.fromEntries(
      ['getClient', 'saveToken', 'getAccessToken', 'getUserFromClient', 'getUser'].map((name) => [
        name,
        () => undefined,
      ]),
    );
    const server = { model: without as never, interaction: undefined as never };
    expect(Object.keys(flows(await describeHost(platform, { server })))).toEqual(['clientCredentials']);
    await expect(describeHost(platform, { server, options })).rejects.toThrow(
      'Invalid argument: `flows` of addOAuth2() contains `password`, but the server supports `clientCredentials`',
    );
  });

  it('contains the grants that a request-scoped model supports', async () => {
    const store = demoStore();

    @Injectable({ scope: Scope.REQUEST })
    class Model {
      getClient = store.getClient.bind(store);
      getAccessToken() {}
      saveToken() {}
      getUserFromClient() {}
    }
    Model.prototype.getClient = store.getClient.bind(store);
    const server = { model: Model as never };
    const document = await describeHost(platform, {
      server,
      more: { providers: [{ ...GUARDED, scope: Scope.REQUEST }] },
    });
    expect(Object.keys(flows(document))).toEqual(['clientCredentials']);
  });

  it('describes the properties that all tenants of a server share', async () => {
    const tenants = { findTenant: () => 'acme', createTenantOptions: () => ({ issuer: 'https://acme.example.com' }) };
    const document = await describeHost(platform, { server: { tenants } });
    expect(flows(document)).toMatchObject({
      authorizationCode: { authorizationUrl: '/oauth/authorize' },
      clientCredentials: { tokenUrl: '/oauth/token' },
    });
    expect(security(document)).toMatchObject({ 'get /notes/{id}': ['notes:read'] });
  });

  it('describes an API without authorization server by the given options', async () => {
    const server = { model: { getAccessToken() {} } as never, interaction: undefined as never, controllers: false };
    const apart = await describeHost(platform, { server });
    expect(apart.components!.securitySchemes!['oauth2']).toMatchObject({ type: 'http', scheme: 'bearer' });
    // Before OpenAPI 3.1, only OAuth schemes have scopes.
    expect(apart.paths['/notes/{id}']!.get!.security).toEqual([{ oauth2: [] }]);
    const urls = { authorize: 'https://id.example.com/authorize', token: 'https://id.example.com/token' };
    const reported = await describeHost(platform, { server, options: { urls } });
    expect(flows(reported)).toMatchObject({
      authorizationCode: { authorizationUrl: urls.authorize, tokenUrl: urls.token },
      clientCredentials: { tokenUrl: urls.token },
    });
  });

  it('cannot be extended without OAuth2Module: addOAuth2() throws', async () => {
    const prepare: TestApplicationOptions['prepare'] = async (app) => {
      const document = () => SwaggerModule.createDocument(app, new DocumentBuilder().build());
      expect(() => addOAuth2(app, document())).toThrow('Invalid argument: addOAuth2() finds no OAuth2Module');
    };
    await startApplication(platform, { imports: [StatusModule] }, { prepare });
  });

  it('contains scopes with special characters unchanged', async () => {
    const odd = ["it's", '</script>', '__proto__', 'constructor', '%22', '$&', '`', 'a/b~1'];

    @Controller('odd')
    class Odd {
      @Get()
      @Scopes(...odd)
      odd() {}
    }
    @Module({ controllers: [Odd] })
    class OddModule {}
    const document = await describeHost(platform, { more: { imports: [OddModule], providers: [GUARDED] } });
    expect(document.paths['/odd']!.get!.security).toEqual([{ oauth2: odd }]);
    const { scopes } = JSON.parse(JSON.stringify(flows(document)))['clientCredentials'];
    expect(Object.keys(scopes)).toEqual(expect.arrayContaining(odd));
  });
});
