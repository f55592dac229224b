import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, UseGuards } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { AuthorizationDetails, OAuth2Module, OAuthGuard } from 'nest-oauth2';
import { type AuthorizationDetail, authorizationDetails, introspection, pushedRequests } from 'nest-oauth2/features';
import { jwtAccessTokens, JwtTokens, keys } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';

import type { KindOfStore, OpenStore } from '../../stores/in-memory.js';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, bearer, get } from '../../support/clients/http.js';
import { type PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';

const CALLBACK = 'https://app.example/callback';
const insecure = { [oauth.allowInsecureRequests]: true };
const CLIENT = { client_id: 'shop' };
const BY_SECRET = oauth.ClientSecretPost('shop-secret');

const payment = (value: string) => ({ type: 'payment', amount: { currency: 'EUR', value }, creditor: '<b>Ann</b>' });
const ACCOUNT = { type: 'account', actions: ['balance', 'list'] };

@Controller('payments')
@UseGuards(OAuthGuard)
class PaymentsController {
  @Get()
  list(
    @AuthorizationDetails('payment') payments: readonly AuthorizationDetail[],
    @AuthorizationDetails() all: readonly AuthorizationDetail[],
  ) {
    return { payments, all: all.length };
  }
}

/** Registers the tests of authorization details with a store. */
export function describeAuthorizationDetails({ name, open }: KindOfStore, platform: (typeof PLATFORMS)[number]): void {
  describe(`authorization details on ${name}, behind ${platform}`, () => {
    let opened: OpenStore;
    let url: string;
    let as: oauth.AuthorizationServer;

    beforeAll(async () => {
      opened = await open();
      const { store } = opened;
      await store.saveClient({
        id: 'shop',
        name: 'Shop',
        secret: 'shop-secret',
        grants: ['authorization_code', 'refresh_token'],
        redirectUris: [CALLBACK],
        scopes: ['read'],
        defaultScope: 'read',
      });
      const port = await freePort();
      url = `http://localhost:${port}`;
      const features = [
        authorizationDetails({ types: { payment: { title: 'Pay' }, account: { remember: true } } }),
        pushedRequests(),
        introspection(),
        keys({ secret: SECRET }),
        jwtAccessTokens(),
        pages({ applications: false }),
      ];
      const imports = [OAuth2Module.forRoot({ model: store, features, issuer: url, secret: SECRET })];
      await startApplication(platform, { imports, controllers: [PaymentsController] }, { port });
      as = {
        issuer: url,
        authorization_endpoint: `${url}/oauth/authorize`,
        token_endpoint: `${url}/oauth/token`,
        introspection_endpoint: `${url}/oauth/introspect`,
        pushed_authorization_request_endpoint: `${url}/oauth/par`,
      };
    });
    afterAll(async () => {
      await stopApplications();
      await opened.close();
    });

    const verifier = oauth.generateRandomCodeVerifier();

    /** Pushes a request with these authorization details and opens it in a browser. */
    async function ask(browser: PageBrowser, details: object[]) {
      const requested = {
        response_type: 'code',
        client_id: 'shop',
        redirect_uri: CALLBACK,
        authorization_details: JSON.stringify(details),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      const pushed = await oauth.pushedAuthorizationRequest(as, CLIENT, BY_SECRET, requested, insecure);
      const { request_uri } = await oauth.processPushedAuthorizationResponse(as, CLIENT, pushed);
      return browser.get(`/oauth/authorize?${new URLSearchParams({ ...CLIENT, request_uri }).toString()}`);
    }

    async function redeem(location: string, more: Record<string, string> = {}) {
      const callback = oauth.validateAuthResponse(as, CLIENT, new URL(location));
      const options = { ...insecure, additionalParameters: more };
      const sent = await oauth.authorizationCodeGrantRequest(
        as,
        CLIENT,
        BY_SECRET,
        callback,
        CALLBACK,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(as, CLIENT, sent);
    }

    async function signedIn(): Promise<PageBrowser> {
      const browser = new PageBrowser(url);
      await browser.signIn('/oauth/login');
      return browser;
    }

    it('are shown on the consent page and returned with the token, in introspection and in the guard', async () => {
      const browser = await signedIn();
      const page = await ask(browser, [payment('12.00'), ACCOUNT]);
      expect(page.html).toContain('<h2>Pay</h2>');
      expect(page.html).toContain('<li>› value: 12.00</li>');
      expect(page.html).toContain('<li>creditor: &lt;b&gt;Ann&lt;/b&gt;</li>');
      const { location } = await browser.send(page, { decision: 'allow' });
      const tokens = await redeem(location!);
      const details = [payment('12.00'), ACCOUNT];
      expect(tokens.authorization_details).toEqual(details);

      const reported = await oauth.introspectionRequest(as, CLIENT, BY_SECRET, tokens.access_token, insecure);
      expect(await oauth.processIntrospectionResponse(as, CLIENT, reported)).toMatchObject({
        authorization_details: details,
      });
      const here = await readResponse(get(`${url}/payments`, bearer(tokens.access_token)));
      expect(here.body).toEqual({ payments: [payment('12.00')], all: 2 });
      const jwks = (await readResponse(get(`${url}/oauth/jwks`))).body as never;
      const found = await new JwtTokens({ issuer: url, audience: url, jwks }).getAccessToken(tokens.access_token);
      expect(found).toMatchObject({ authorization_details: details });

      const narrowed = { additionalParameters: { authorization_details: JSON.stringify([ACCOUNT]) }, ...insecure };
      const sent = await oauth.refreshTokenGrantRequest(as, CLIENT, BY_SECRET, tokens.refresh_token!, narrowed);
      const less = await oauth.processRefreshTokenResponse(as, CLIENT, sent);
      expect(less.authorization_details).toEqual([ACCOUNT]);
      const again = await oauth.refreshTokenGrantRequest(as, CLIENT, BY_SECRET, less.refresh_token!, insecure);
      expect((await oauth.processRefreshTokenResponse(as, CLIENT, again)).authorization_details).toEqual(details);
    });

    it('require consent each time, except for types whose consent may be remembered', async () => {
      const browser = await signedIn();
      const decide = async (details: object[]) => browser.send(await ask(browser, details), { decision: 'allow' });
      expect((await decide([payment('1.00')])).status).toBe(303);
      expect((await ask(browser, [payment('1.00')])).status).toBe(200);
      const mine = { ...ACCOUNT, identifier: 'mine' };
      await decide([mine]);
      expect((await ask(browser, [mine])).status).toBe(302);
      expect((await ask(browser, [{ ...mine, identifier: 'yours' }])).status).toBe(200);
      expect((await ask(browser, [mine, payment('1.00')])).status).toBe(200);
    });

    it('are approved only by the consent form that showed them', async () => {
      const browser = await signedIn();
      const cheap = await ask(browser, [payment('1.00')]);
      const dear = await ask(browser, [payment('9000.00')]);
      const swapped = await browser.post(dear.form.action, { ...cheap.form.fields, decision: 'allow' });
      expect([swapped.status, swapped.html.includes('9000.00')]).toEqual([200, true]);
    });

    it('are rejected in the pushed request if their type is unknown', async () => {
      await expect(ask(new PageBrowser(url), [{ type: 'keys' }])).rejects.toMatchObject({
        error: 'invalid_authorization_details',
      });
    });
  });
}
