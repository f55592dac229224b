import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiOAuth2,
  ApiSecurity,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AnyScope,
  type OAuth2ModuleOptions,
  OAuthGuard,
  OptionalAuth,
  Public,
  RequireAuth,
  Scopes,
  UserRequired,
} from 'nest-oauth2';
import { addOAuth2, type OAuth2DocumentOptions } from 'nest-oauth2/swagger';
import { CountingGuard } from '../../support/servers/global-enhancers.js';
import { demoModule } from '../../support/servers/demo.js';
import {
  ANY_PLATFORM,
  type TestApplicationOptions,
  type Platform,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

class Base {
  @Get('inherited')
  inherited() {}

  @Get('admin')
  @Scopes('admin')
  admin() {}
}

@Controller('notes')
@UseGuards(OAuthGuard)
@ApiBearerAuth()
@Scopes('notes:read')
class Notes extends Base {
  @Get()
  read() {}

  @Post()
  @Scopes('notes:read', 'notes:write')
  @ApiOAuth2(['notes:read'])
  @ApiForbiddenResponse({ description: 'As the host has it' })
  write() {}

  @Get('any')
  @AnyScope('notes:write', 'admin')
  any() {}

  @Get('both')
  @Scopes('notes:read')
  @AnyScope('notes:write', 'admin')
  both() {}

  @Get('good')
  @Scopes()
  good() {}

  @Get('public')
  @Public()
  open() {}

  @Get('optional')
  @OptionalAuth()
  optional() {}

  @Get('optional/scoped')
  @OptionalAuth()
  @Scopes('notes:read')
  optionalScoped() {}

  @Get('user')
  @UserRequired()
  user() {}

  @Get('recent')
  @RequireAuth({ acr: ['urn:example:mfa', 'urn:example:phr'], maxAge: 60 })
  recent() {}

  @Get('key')
  @ApiSecurity('key')
  key() {}
}

class ApiGuard extends OAuthGuard {}

@Controller('elsewhere')
@Scopes('never:asked')
class Elsewhere extends Base {
  @Get('guarded')
  @UseGuards(CountingGuard, ApiGuard)
  guarded() {}

  @Get('guarded/twice')
  @UseGuards(new ApiGuard({} as never))
  @Scopes('twice')
  instance() {}

  @Get('own')
  @UseGuards(CountingGuard)
  @ApiBearerAuth()
  own() {}
}

@Public()
class Open extends Base {}

@Controller('closed')
@UseGuards(OAuthGuard)
class Closed extends Open {}

@Controller('open')
class StillOpen extends Open {}

const controllers = [Notes, Elsewhere, Closed, StillOpen];

const config = () =>
  new DocumentBuilder()
    .addSecurity('key', { type: 'apiKey', in: 'header', name: 'X-Key' })
    .addBearerAuth()
    .addSecurity('oauth2', { type: 'oauth2', description: 'As the host calls it', flows: {} });

interface Described extends TestApplicationOptions {
  module?: Partial<OAuth2ModuleOptions>;
  options?: OAuth2DocumentOptions;
  builder?: DocumentBuilder;
}

async function describeHost(
  platform: Platform,
  host: Parameters<typeof startApplication>[1],
  { options, builder = config(), ...rest }: Described = {},
): Promise<OpenAPIObject> {
  let document: OpenAPIObject | undefined;
  await startApplication(platform, host, {
    ...rest,
    async prepare(app) {
      await rest.prepare?.(app);
      // Runs before the application listens, as in real applications.
      document = addOAuth2(app, SwaggerModule.createDocument(app, builder.build(), options), options);
    },
  });
  return document!;
}

const demo = (module: Partial<OAuth2ModuleOptions> = {}) => ({
  ...demoModule(module),
  controllers,
});

/** Returns the security alternatives of an operation, one per line. */
const security = ({ paths }: OpenAPIObject, path: string, method: 'get' | 'post' = 'get') =>
  paths[path]?.[method]?.security?.map((one) =>
    Object.entries(one)
      .map(([name, scopes]) => `${name}: ${scopes.join(' ')}`.trim())
      .join(', '),
  );

describe.each(ANY_PLATFORM)('an OpenAPI document from addOAuth2() on %s', (platform) => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await describeHost(platform, demo());
  });

  afterAll(stopApplications);

  it.each([
    ['/notes', ['oauth2: notes:read']],
    ['/notes/any', ['oauth2: notes:write', 'oauth2: admin']],
    ['/notes/both', ['oauth2: notes:read notes:write', 'oauth2: notes:read admin']],
    ['/notes/good', ['oauth2:']],
    ['/notes/public', undefined],
    ['/notes/optional', ['oauth2:', '']],
    ['/notes/optional/scoped', ['oauth2: notes:read', '']],
    ['/notes/user', ['oauth2: notes:read']],
    ['/notes/key', ['key:, oauth2: notes:read']],
    ['/notes/inherited', ['oauth2: notes:read']],
    ['/notes/admin', ['oauth2: admin']],
    ['/elsewhere/guarded', ['oauth2: never:asked']],
    ['/elsewhere/guarded/twice', ['oauth2: twice']],
    ['/elsewhere/own', ['bearer:']],
    ['/elsewhere/inherited', undefined],
    ['/closed/inherited', ['oauth2:']],
    ['/closed/admin', ['oauth2: admin']],
    ['/open/inherited', undefined],
  ])('has for %s the security requirements of the guard: %j', (path, wanted) => {
    expect(document.paths[path]?.get).toBeDefined();
    expect(security(document, path)).toEqual(wanted);
  });

  it('lists all scopes of a route with several requirements, and replaces those set manually', () => {
    expect(security(document, '/notes', 'post')).toEqual(['oauth2: notes:read notes:write']);
  });

  it('describes refused requests, unless the application describes them', () => {
    const read = document.paths['/notes']!.get!.responses;
    expect(read['401']).toMatchObject({
      description: 'The access token is missing or invalid',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthRefusal' } } },
    });
    expect(read['403']).toMatchObject({
      description: 'The access token is valid, but it lacks the scope `notes:read`',
    });
    expect(document.paths['/notes']!.post!.responses['403']).toMatchObject({ description: 'As the host has it' });
    const described = (path: string) =>
      Object.entries(document.paths[path]!.get!.responses).map(([status, said]) => [
        status,
        (said as { description: string }).description,
      ]);
    expect(described('/notes/public')).toEqual([['200', '']]);
    expect(described('/notes/good').map(([status]) => status)).toEqual(['200', '401']);
    expect(described('/notes/optional')).toContainEqual(['401', 'The access token is invalid']);
    expect(described('/notes/any')).toContainEqual([
      '403',
      'The access token is valid, but it lacks the scope `notes:write`, or `admin`',
    ]);
    expect(described('/notes/user')).toContainEqual([
      '403',
      'The access token is valid, but it lacks the scope `notes:read`, or it has no user',
    ]);
    expect(described('/notes/recent')).toContainEqual([
      '401',
      'The access token is missing or invalid, or its user has not signed in with `urn:example:mfa` or `urn:example:phr` in the last 60 seconds',
    ]);
    expect(document.components!.schemas!['OAuthRefusal']).toMatchObject({ type: 'object' });
  });

  it('describes the OAuth flows with their URLs and scopes', () => {
    const scopes = { 'notes:read': '', 'notes:write': '', admin: '', 'never:asked': '', twice: '' };
    expect(document.components!.securitySchemes!['oauth2']).toEqual({
      type: 'oauth2',
      description: 'As the host calls it',
      flows: {
        authorizationCode: {
          authorizationUrl: '/oauth/authorize',
          tokenUrl: '/oauth/token',
          refreshUrl: '/oauth/token',
          scopes,
        },
        clientCredentials: { tokenUrl: '/oauth/token', scopes },
      },
    });
  });

  it('omits the endpoints of the server, and leaves no metadata behind', () => {
    expect(Object.keys(document.paths).filter((path) => path.includes('oauth'))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('nest-oauth2');
    const marks = [Notes, Notes.prototype.read, Base.prototype.admin].map((target) =>
      Reflect.getOwnMetadata('swagger/apiSecurity', target),
    );
    expect(marks).toEqual([[{ bearer: [] }], undefined, undefined]);
  });
});
