import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { OAuth2Module, OAuth2Server } from 'nest-oauth2';
import { registration } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import {
  type BackchannelRequest,
  ciba,
  decideBackchannelRequest,
  findBackchannelRequest,
  openid,
  type UserHint,
} from 'nest-oauth2/openid';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as client from 'openid-client';

import { type KindOfStore, type OpenStore, users } from '../../stores/in-memory.js';
import { SIGNING_ALGORITHMS } from '../../support/keys/algorithms.js';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { type PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CERTIFICATE, TlsServer } from '../../support/servers/tls-server.js';

// OpenID Connect Client-Initiated Backchannel Authentication Core 1.0, by openid-client

const ID = '1';
/** The grant type of CIBA. CIBA Core §10.1 */
export const GRANT = 'urn:openid:params:grant-type:ciba';

/** Registers the tests of CIBA requests with a store. */
export function describeCibaRequests({ name, open }: KindOfStore, platform: (typeof PLATFORMS)[number]): void {
  describe(`a CIBA request with ${name} and ${platform}`, () => {
    const reported = new TlsServer();
    beforeAll(() => reported.start());
    afterAll(() => reported.stop());

    let opened: OpenStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    afterEach(stopApplications);

    it('signs the user in at a client in poll mode and at one in ping mode', async () => {
      const { store, another } = opened;
      const port = await freePort();
      const issuer = `http://localhost:${port}`;
      const messages: BackchannelRequest[] = [];
      const more = {
        getClaims: () => ({}),
        findHintedUser: ({ loginHint, idTokenHint }: UserHint) => users.findById(idTokenHint?.sub ?? loginHint!),
        askUser: (request: BackchannelRequest) => void messages.push(request),
      };
      const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
      const module = (model: object) =>
        OAuth2Module.forRoot({
          model: Object.assign(Object.create(model) as typeof store, more),
          issuer,
          secret: SECRET,
          features: [
            registration({ open: true, scopes: ['openid'], grants: [GRANT, 'refresh_token'] }),
            keys({ secret: SECRET, algorithms: ['ES256'] }),
            openid({ alg: 'ES256' }),
            ciba({ interval: 1, fetch }),
          ],
        });

      /** Endpoints for an authenticator app, in which the user is signed in. */
      @Controller('telephone')
      class Telephone {
        constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

        @Post(':id')
        async decide(@Param('id') id: string, @Body() { allow, as }: { allow: string; as: string }) {
          const request = await findBackchannelRequest(this.server, id, { user: { id: as } });
          return { done: request ? await decideBackchannelRequest(request, { allow: allow === 'yes' }) : false };
        }
      }
      await startApplication(platform, { imports: [module(store)] }, { port });
      // The request is approved in another process.
      const elsewhere = await startApplication('express', { imports: [module(another)], controllers: [Telephone] });
      const answer = async (id: string, allow: string, as: string) => {
        const body = new URLSearchParams({ allow, as });
        const response = await globalThis.fetch(`${elsewhere.url}/telephone/${id}`, { method: 'POST', body });
        return (await response.json()) as { done: boolean };
      };

      const execute = [client.allowInsecureRequests];
      const said = {
        grant_types: [GRANT, 'refresh_token'],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      };
      const register = (mode: object) =>
        client.dynamicClientRegistration(new URL(issuer), { ...said, ...mode }, undefined, { execute });
      const polling = await register({ backchannel_token_delivery_mode: 'poll' });
      expect(polling.serverMetadata()).toMatchObject({
        backchannel_authentication_endpoint: `${issuer}/oauth/backchannel_authentication`,
        backchannel_token_delivery_modes_supported: ['poll', 'ping'],
        backchannel_user_code_parameter_supported: false,
        backchannel_authentication_request_signing_alg_values_supported: SIGNING_ALGORITHMS,
        grant_types_supported: expect.arrayContaining([GRANT]),
      });
      const begun = await client.initiateBackchannelAuthentication(polling, {
        scope: 'openid',
        login_hint: ID,
        binding_message: 'Till 7',
      });
      const tokens = client.pollBackchannelAuthenticationGrant(polling, begun);
      const [message] = messages as [BackchannelRequest];
      expect(message).toMatchObject({ bindingMessage: 'Till 7', scope: 'openid' });
      expect(await answer(message.id, 'yes', 'mallory')).toEqual({ done: false });
      expect(await answer(message.id, 'yes', ID)).toEqual({ done: true });
      expect(await answer(message.id, 'no', ID)).toEqual({ done: false });
      const all = await tokens;
      expect(all.claims()).toMatchObject({ sub: ID });
      const refreshed = await client.refreshTokenGrant(polling, all.refresh_token!);
      expect(refreshed.claims()).toMatchObject({ sub: ID });

      const again = await client.initiateBackchannelAuthentication(polling, {
        scope: 'openid',
        id_token_hint: all.id_token!,
      });
      expect(await answer(messages[1]!.id, 'no', ID)).toEqual({ done: true });
      const denied = client.genericGrantRequest(polling, GRANT, { auth_req_id: again.auth_req_id });
      await expect(denied).rejects.toMatchObject({
        error: 'access_denied',
      });

      const place = { backchannel_client_notification_endpoint: reported.url('/told') };
      const pinged = await register({ backchannel_token_delivery_mode: 'ping', ...place });
      const heard = new Promise((resolve) => {
        reported.replies['/told'] = async (response, request) => {
          const { authorization } = request.headers;
          resolve({ authorization, ...(JSON.parse(Buffer.concat(await request.toArray()).toString()) as object) });
          response.writeHead(204).end();
        };
      });
      const third = await client.initiateBackchannelAuthentication(pinged, {
        scope: 'openid',
        login_hint: ID,
        client_notification_token: 'its-own-token',
      });
      expect(await answer(messages[2]!.id, 'yes', ID)).toEqual({ done: true });
      const { auth_req_id } = third;
      expect(await heard).toEqual({ authorization: 'Bearer its-own-token', auth_req_id });
      const granted = await client.genericGrantRequest(pinged, GRANT, { auth_req_id });
      expect(granted.claims()).toMatchObject({ 'urn:openid:params:jwt:claim:auth_req_id': auth_req_id });

      // A client that signs its requests.
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const signing = await register({
        backchannel_authentication_request_signing_alg: 'ES256',
        jwks: { keys: [await exportJWK(publicKey)] },
      });
      const { client_id } = signing.clientMetadata();
      const sign = (audience: string) =>
        new SignJWT({ scope: 'openid', login_hint: ID, binding_message: 'Till 8' })
          .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt' })
          .setIssuer(client_id)
          .setAudience(audience)
          .setJti('one')
          .setIssuedAt()
          .setNotBefore('0s')
          .setExpirationTime('5m')
          .sign(privateKey);
      const elsewhereSigned = client.initiateBackchannelAuthentication(signing, {
        request: await sign('https://x.example'),
      });
      await expect(elsewhereSigned).rejects.toMatchObject({ error: 'invalid_request' });
      const unsigned = client.initiateBackchannelAuthentication(signing, { scope: 'openid', login_hint: ID });
      await expect(unsigned).rejects.toMatchObject({ error: 'invalid_request' });
      const fourth = await client.initiateBackchannelAuthentication(signing, { request: await sign(issuer) });
      expect(messages).toHaveLength(4);
      expect(messages[3]).toMatchObject({ bindingMessage: 'Till 8', client: { id: client_id } });
      expect(await answer(messages[3]!.id, 'yes', ID)).toEqual({ done: true });
      const last = await client.genericGrantRequest(signing, GRANT, { auth_req_id: fourth.auth_req_id });
      expect(last.claims()).toMatchObject({ sub: ID });
    });
  });
}
