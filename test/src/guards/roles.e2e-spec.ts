import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { OAuth2Module, OAuthGuard, OptionalAuth, Public, Roles, Scopes } from 'nest-oauth2';
import { JwtTokens, keycloak } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { readResponse, basic, bearer, get, post } from '../../support/clients/http.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

@Controller('notes')
@UseGuards(OAuthGuard)
@Roles('editor', 'admin')
class NotesController {
  @Get()
  list() {
    return { listed: true };
  }

  @Get('audit')
  @Roles('admin')
  audit() {
    return { audited: true };
  }

  @Get('scoped')
  @Scopes('write')
  scoped() {
    return { scoped: true };
  }

  @Get('optional')
  @OptionalAuth()
  optional() {
    return { optional: true };
  }

  @Get('terms')
  @Public()
  terms() {
    return { terms: true };
  }
}

const USERS: Record<string, object> = {
  alice: { id: 'alice', roles: ['editor'] },
  root: { id: 'root', roles: ['admin'] },
  bob: { id: 'bob' },
  eve: { id: 'eve', roles: 'editor admin' },
};

describe.each(PLATFORMS)('@Roles() on %s', (platform) => {
  const issuer = 'https://id.example.com';
  let own: string;
  let foreign: string;
  let foreignToken: (roles: unknown) => Promise<string>;

  beforeAll(async () => {
    const model = new MemoryStore({
      clients: [
        {
          id: 'app',
          secret: 'app-secret',
          grants: ['password', 'client_credentials'],
          scopes: ['read'],
          defaultScope: 'read',
        },
      ],
      users: { findById: (id) => USERS[id], findByCredentials: (name) => USERS[name] },
    });
    const controllers = [NotesController];
    ({ url: own } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model, interaction: null })],
      controllers,
    }));
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] } as never;
    const api = new JwtTokens({ issuer, jwks, audience: 'api', ...keycloak() });
    ({ url: foreign } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: api, controllers: false })],
      controllers,
    }));
    foreignToken = (roles) =>
      new SignJWT({ iss: issuer, aud: 'api', sub: 'alice', azp: 'web', typ: 'Bearer', realm_access: { roles } })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey);
  });
  afterAll(stopApplications);

  const tokenOf = async (username: string) => {
    const form = { grant_type: 'password', username, password: 'x' };
    const response = await post(`${own}/oauth/token`, form, basic('app', 'app-secret'));
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const statusOf = async (path: string, token?: string, url = own) =>
    (await get(`${url}/notes${path}`, token === undefined ? {} : bearer(token))).status;

  it('accepts a user with one of the roles', async () => {
    expect(await statusOf('', await tokenOf('alice'))).toBe(200);
    expect(await statusOf('', await tokenOf('root'))).toBe(200);
  });

  it('rejects users without one of the roles, and roles that are not a list', async () => {
    const response = await get(`${own}/notes`, bearer(await tokenOf('bob')));
    expect(await readResponse(response)).toMatchObject({ status: 403 });
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(await statusOf('', await tokenOf('eve'))).toBe(403);
  });

  it('rejects roles that are not strings', async () => {
    const getAccessToken = (accessToken: string) => ({
      accessToken,
      accessTokenExpiresAt: new Date(Date.now() + 60_000),
      client: { id: 'app', grants: [] },
      user: { id: 'odd', roles: [Object.create(null), null] },
    });
    const { url } = await startApplication(platform, {
      imports: [OAuth2Module.forRoot({ model: { getAccessToken }, controllers: false })],
      controllers: [NotesController],
    });
    expect(await statusOf('', 'odd', url)).toBe(403);
  });

  it('on a method replaces the roles of the controller', async () => {
    expect(await statusOf('/audit', await tokenOf('alice'))).toBe(403);
    expect(await statusOf('/audit', await tokenOf('root'))).toBe(200);
  });

  it('applies in addition to the scopes of the method', async () => {
    const response = await get(`${own}/notes/scoped`, bearer(await tokenOf('alice')));
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('scope="write"'),
    ]);
  });

  it('requires a token even if authentication is optional, and none at a public route', async () => {
    expect(await statusOf('/optional')).toBe(401);
    expect(await statusOf('/optional', await tokenOf('bob'))).toBe(403);
    expect(await statusOf('/terms')).toBe(200);
  });

  it('rejects a client credentials client, which has no user with roles', async () => {
    const response = await post(`${own}/oauth/token`, { grant_type: 'client_credentials' }, basic('app', 'app-secret'));
    expect(await statusOf('', ((await response.json()) as { access_token: string }).access_token)).toBe(403);
  });

  it('reads the roles from a token of another issuer', async () => {
    expect(await statusOf('', await foreignToken(['editor']), foreign)).toBe(200);
    expect(await statusOf('', await foreignToken(['viewer']), foreign)).toBe(403);
    expect(await statusOf('', await foreignToken({ editor: true }), foreign)).toBe(403);
  });

  it.each([[[]], [['']], [[undefined]]])('throws for the roles %j', (roles) => {
    expect(() => Roles(...(roles as unknown as [string]))).toThrow('@Roles() takes');
  });
});
