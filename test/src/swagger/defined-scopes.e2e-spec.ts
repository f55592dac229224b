import { Controller, Get, UseGuards } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineScopes, OAuth2Module, OAuthGuard, UseOAuth } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { pages } from 'nest-oauth2/pages';
import { addOAuth2 } from 'nest-oauth2/swagger';
import { AUTHORIZATION_PARAMETERS, demoStore, SECRET } from '../../support/servers/demo.js';
import { readResponse, get } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const scopes = defineScopes({
  'notes:read': { title: 'Read notes', consent: 'Read all your notes' },
  'notes:write': { title: 'Write notes' },
} as const);

const partnerScopes = defineScopes({ 'orders:read': { title: 'Read orders' } } as const);

const issuer = 'https://id.example.com';
const alice = { id: 'alice', name: 'Alice' };
const sessions = { find: () => alice, start: () => undefined, end: () => undefined };

@Controller('notes')
@UseGuards(OAuthGuard)
class Notes {
  @Get()
  @scopes.Scopes('notes:read')
  read() {}

  @Get('orders')
  @UseOAuth('partners')
  @partnerScopes.AnyScope('orders:read')
  orders() {}

  @Get('any')
  @UseOAuth('partners')
  any() {}
}

const imports = [
  OAuth2Module.forRoot({
    model: demoStore(),
    secret: SECRET,
    issuer,
    isGlobal: true,
    // The metadata, the pages and the OpenAPI document all use these scopes.
    features: [scopes, serverMetadata({ scopes: ['offline_access'] }), pages({ sessions, login: '/login' })],
  }),
  OAuth2Module.forRoot({
    name: 'partners',
    model: demoStore(),
    issuer: `${issuer}/partners`,
    paths: { prefix: 'partners' },
    features: [partnerScopes],
    scope: 'partner',
    authenticateHandler: { handle: () => alice },
  }),
];

describe.each(ANY_PLATFORM)('scopes from defineScopes() on %s', (platform) => {
  let url: string;
  let document: OpenAPIObject;

  beforeAll(async () => {
    const prepare = (app: Parameters<typeof addOAuth2>[0]) => {
      document = addOAuth2(app, SwaggerModule.createDocument(app, new DocumentBuilder().build()));
    };
    ({ url } = await startApplication(platform, { imports, controllers: [Notes] }, { prepare }));
  });

  afterAll(stopApplications);

  it('are in the metadata of their server, together with scopes from serverMetadata()', async () => {
    const { body } = await readResponse(get(`${url}/.well-known/oauth-authorization-server`));
    expect(body).toMatchObject({ scopes_supported: ['offline_access', 'notes:read', 'notes:write'] });
  });

  it('are described on the consent page', async () => {
    const page = await get(`${url}/oauth/authorize?${new URLSearchParams(AUTHORIZATION_PARAMETERS).toString()}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<li>Read all your notes <code>notes:read</code></li>');
  });

  it('are in the OpenAPI security scheme of their server, which its operations refer to', () => {
    const { securitySchemes } = document.components!;
    expect(Object.keys(securitySchemes!)).toEqual(['oauth2', 'oauth2-partners']);
    expect(securitySchemes!['oauth2']).toMatchObject({
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/oauth/authorize`,
          scopes: { 'notes:read': 'Read notes', 'notes:write': 'Write notes' },
        },
      },
    });
    expect(securitySchemes!['oauth2-partners']).toMatchObject({
      flows: {
        authorizationCode: { tokenUrl: `${issuer}/partners/token` },
        clientCredentials: { scopes: { 'orders:read': 'Read orders', partner: '' } },
      },
    });
    expect(document.paths['/notes']!.get!.security).toEqual([{ oauth2: ['notes:read'] }]);
    expect(document.paths['/notes/orders']!.get!.security).toEqual([{ 'oauth2-partners': ['partner', 'orders:read'] }]);
    expect(document.paths['/notes/any']!.get!.security).toEqual([{ 'oauth2-partners': ['partner'] }]);
  });
});
