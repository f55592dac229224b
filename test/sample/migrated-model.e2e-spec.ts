import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, OAuth2Module, OAuthGuard, Scopes, type Token } from 'nest-oauth2';
import type { GrantTypeClass } from 'nest-oauth2/server';
import * as engine from 'nest-oauth2/server';
import * as oauth from 'oauth4webapi';

import model from '../../sample/02-migrated-model/legacy/model.cjs';
import {
  readResponse,
  basic,
  bearer,
  get,
  issued,
  post,
  REFRESH_TOKEN,
  expectedRefusal,
} from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

const BADGE = 'urn:example:badge';
const SHOP = basic('shop', 'shop-secret');
const insecure = { [oauth.allowInsecureRequests]: true };

@Controller('orders')
@UseGuards(OAuthGuard)
class OrdersController {
  @Get()
  @Scopes('orders:read')
  list(@CurrentUser('id') user: unknown, @AccessToken() token: Token) {
    return { user, client: token.client.id };
  }
}

describe('sample/02-migrated-model with a 3.x model on Express', () => {
  let url: string;
  let server: oauth.AuthorizationServer;
  const client: oauth.Client = { client_id: 'shop' };
  const secret = oauth.ClientSecretBasic('shop-secret');
  const ask = (form: Record<string, string>) => readResponse(post(`${url}/oauth/token`, form, SHOP));
  const orders = (token: string) => readResponse(get(`${url}/orders`, bearer(token)));

  /** Returns Ada’s tokens, requested by an independent client. */
  async function signIn(scope = 'orders:read') {
    const parameters = { username: 'ada', password: 'lovelace', scope };
    const response = await oauth.genericTokenEndpointRequest(server, client, secret, 'password', parameters, insecure);
    return oauth.processGenericTokenEndpointResponse(server, client, response);
  }

  async function refresh(token: string) {
    const response = await oauth.refreshTokenGrantRequest(server, client, secret, token, insecure);
    return oauth.processRefreshTokenResponse(server, client, response);
  }

  beforeAll(async () => {
    // Replaces the engine that the CommonJS file requires, because Jest cannot require ES modules before Node.js 24.
    jest.mock('nest-oauth2/server', () => engine);
    const grant = (await import('../../sample/02-migrated-model/legacy/badge-grant.cjs')) as {
      default: GrantTypeClass;
    };
    const options = { accessTokenLifetime: 900, extendedGrantTypes: { [BADGE]: grant.default } };
    const host = await startApplication('express', {
      imports: [OAuth2Module.forRoot({ model, ...options })],
      controllers: [OrdersController],
    });
    url = host.url;
    server = { issuer: url, token_endpoint: `${url}/oauth/token` };
  });

  afterAll(stopApplications);

  it('signs a user in by password and lets them use a guarded route', async () => {
    const tokens = await signIn();
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'orders:read', refresh_token: REFRESH_TOKEN });
    expect(tokens.expires_in).toBeGreaterThan(890);

    expect(await orders(tokens.access_token)).toMatchObject({ status: 200, body: { user: 7, client: 'shop' } });
  });

  it('redeems each refresh token once, and keeps the scope', async () => {
    const first = await signIn('orders:read orders:write');
    const second = await refresh(first.refresh_token!);
    expect(second).toMatchObject({ scope: 'orders:read orders:write', refresh_token: REFRESH_TOKEN });
    expect((await orders(second.access_token)).status).toBe(200);

    await expect(refresh(first.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    expect((await refresh(second.refresh_token!)).access_token).not.toBe(second.access_token);
  });

  it('issues one token response for five concurrent refreshes', async () => {
    const { refresh_token: token } = await signIn();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => refresh(token!)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('issues a client credentials token', async () => {
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      secret,
      { scope: 'orders:read' },
      insecure,
    );
    const { access_token: token, refresh_token: none } = await oauth.processClientCredentialsResponse(
      server,
      client,
      response,
    );
    expect(none).toBeUndefined();
    expect((await orders(token)).body).toEqual({ user: 'shop', client: 'shop' });
  });

  it('runs an extension grant that inherits with util.inherits', async () => {
    const granted = await ask({ grant_type: BADGE, badge: '1815', scope: 'orders:read' });
    expect(granted).toEqual(issued({ scope: 'orders:read', expires_in: expect.closeTo(900, -1) }));
    expect((await orders((granted.body as { access_token: string }).access_token)).body).toMatchObject({ user: 7 });

    expect(await ask({ grant_type: BADGE, badge: '0' })).toEqual(
      expectedRefusal('invalid_grant', 'Invalid grant: badge is unknown'),
    );
    expect(await ask({ grant_type: BADGE })).toEqual(expectedRefusal('invalid_request', 'Missing parameter: `badge`'));
  });

  it('supports a validateScope() that returns true or false', async () => {
    const own = { grant_type: 'client_credentials' };
    expect(await ask(own)).toEqual(issued({ expires_in: expect.closeTo(900, -1) }));
    expect(await ask({ ...own, scope: 'admin' })).toEqual(
      expectedRefusal('invalid_scope', 'Invalid scope: Requested scope is invalid'),
    );
  });

  it('rejects with the old methods a wrong secret, a wrong password, too wide a scope and an unknown token', async () => {
    const wrong = await readResponse(
      post(`${url}/oauth/token`, { grant_type: 'client_credentials' }, basic('shop', 'wrong')),
    );
    expect(wrong.status).toBe(401);
    expect(await ask({ grant_type: 'password', username: 'ada', password: 'wrong' })).toEqual(
      expectedRefusal('invalid_grant', 'Invalid grant: user credentials are invalid'),
    );
    expect((await orders((await signIn('orders:write')).access_token)).status).toBe(403);
    expect((await orders('unknown')).status).toBe(401);
  });
});
